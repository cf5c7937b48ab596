// Data sources on the wire: section 4.6 of the interface, with the shapes of real services.
import { z } from 'zod';
import { access, answer, type Immutable, jobResourceName } from '../common.ts';

/** What data can be stored in. Early releases know `swift` only. */
export const dataSourceTypes = ['swift', 'hdfs', 'maprfs', 'manila', 's3'] as const;

/** A data source as answered; its credentials, which early releases give back, are not read. */
export const dataSource = answer({
  id: z.string(),
  name: z.string(),
  type: z.string().optional(),
  url: z.string().optional(),
  description: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type DataSource = Immutable<z.infer<typeof dataSource>>;

/** Body of POST. What the URL and the credentials have to be depends on the type, and is for the service to check. */
export const dataSourceCreate = z.strictObject({
  name: jobResourceName,
  type: z.enum(dataSourceTypes),
  url: z.string(),
  description: z.string().optional(),
  credentials: z.record(z.string(), z.unknown()).optional(),
  ...access,
});
export type DataSourceCreate = Immutable<z.infer<typeof dataSourceCreate>>;
