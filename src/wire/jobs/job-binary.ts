// Job binaries and internal job binaries on the wire: section 4.6, with the bodies of real services.
import { z } from 'zod';
import { access, answer, flatConfigs, type Immutable, isUuid, jobResourceName, lenientInteger } from '../common.ts';

/** An internal job binary as answered, without its bytes and without a checksum. */
export const jobBinaryInternal = answer({
  id: z.string(),
  name: z.string(),
  datasize: lenientInteger.optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});

/** The fields of an answered job binary, alone and inside a job. Its `extra`, which early releases return, is not read. */
export const jobBinaryFields = {
  id: z.string(),
  name: z.string(),
  url: z.string().optional(),
  description: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
};
export const jobBinary = answer(jobBinaryFields);

/** Splits a URL as plain text, so that the host keeps its case. */
export function splitUrl(url: string): { readonly scheme: string; readonly host: string; readonly path: string } {
  const [, scheme = '', host = '', path = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/is.exec(url) ?? [];
  return { scheme, host, path };
}

/** What has to follow the scheme, by scheme in neutral words. */
export const jobBinaryLocations: Readonly<Record<string, (host: string, path: string) => boolean>> = {
  'internal-db': (host, path) => isUuid(host) && path === '',
  swift: (host) => host !== '',
  s3: (host) => host !== '',
  manila: (host, path) => isUuid(host) && path !== '',
};

function isWellFormed(url: string): boolean {
  const { scheme, host, path } = splitUrl(url);
  return !Object.hasOwn(jobBinaryLocations, scheme) || jobBinaryLocations[scheme]?.(host, path) === true;
}

/** Body of POST. The service checks whether the scheme exists. */
export const jobBinaryCreate = z.strictObject({
  name: jobResourceName,
  url: z.string().refine(isWellFormed, { error: 'is not a location of this scheme' }),
  description: z.string().optional(),
  extra: flatConfigs.optional(),
  ...access,
});
export type JobBinaryCreate = Immutable<z.infer<typeof jobBinaryCreate>>;
