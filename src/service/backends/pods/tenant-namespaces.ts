// The namespace of the clusters of each tenant.
import { z } from 'zod';
import { ownValue } from '../../../lib/own.ts';
import { parseSettings, readSettings } from '../../../lib/settings-file.ts';

const schema = z.strictObject({ tenants: z.record(z.string().min(1), z.string().regex(/^[a-z0-9-]{1,63}$/)) });

export interface TenantNamespaces {
  /** The namespace by the name of a tenant, which can be any text. */
  readonly namespaceOf: (tenant: string) => string;
  /** All of them. The tenant of `own` is ''. */
  readonly namespaces: readonly { readonly tenant: string; readonly namespace: string }[];
}

/** `own`: the namespace of tenants that the file does not list. Throws `cannot read tenant namespaces FILE: ...`. */
export function readTenantNamespaces(file: string | undefined, own: string): TenantNamespaces {
  const tenants =
    file === undefined ? {} : readSettings('tenant namespaces', file, (text) => parseSettings(schema, text)).tenants;
  const listed = Object.entries(tenants).map(([tenant, namespace]) => ({ tenant, namespace }));
  return {
    namespaceOf: (tenant) => ownValue(tenants, tenant) ?? own,
    namespaces: [{ tenant: '', namespace: own }, ...listed],
  };
}
