// Data sources on the wire: section 4.6 of the interface, with the bodies of real services.
import { z } from 'zod';
import { access, answer, type Immutable, jobResourceName } from '../common.ts';

/** The types of data sources. Early releases have only `swift`. */
const dataSourceTypes = ['swift', 'hdfs', 'maprfs', 'manila', 's3'] as const;

/** A data source as answered. Its credentials, which early releases return, are not read. */
export const dataSource = answer({
  id: z.string(),
  name: z.string(),
  type: z.string().optional(),
  url: z.string().optional(),
  description: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});

/** Body of POST. The service checks the URL and the credentials, whose form depends on the type. */
export const dataSourceCreate = z.strictObject({
  name: jobResourceName,
  type: z.enum(dataSourceTypes),
  url: z.string(),
  description: z.string().optional(),
  credentials: z.record(z.string(), z.unknown()).optional(),
  ...access,
});
export type DataSourceCreate = Immutable<z.infer<typeof dataSourceCreate>>;
