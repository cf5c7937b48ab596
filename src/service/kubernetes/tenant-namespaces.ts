// The namespace of the clusters of each tenant.
import { z } from 'zod';
import { ownValue } from '../../lib/own.ts';
import { parseSettings, readSettings } from '../command-line/settings-file.ts';

const schema = z.strictObject({ tenants: z.record(z.string().min(1), z.string().regex(/^[a-z0-9-]{1,63}$/)) });

/**
 * The namespace by the name of a tenant, which can be any text. `own`: that of tenants that the file does not list. Throws
 * `cannot read tenant namespaces FILE: ...`.
 */
export function readTenantNamespaces(file: string | undefined, own: string): (tenant: string) => string {
  if (file === undefined) return () => own;
  const { tenants } = readSettings('tenant namespaces', file, (text) => parseSettings(schema, text));
  return (tenant) => ownValue(tenants, tenant) ?? own;
}
