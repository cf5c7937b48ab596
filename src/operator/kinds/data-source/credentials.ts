// The credentials of a data source: which keys each type reads, and what is sent of them. PURE.
import type { DataSourceType } from '../../../wire/jobs.ts';
import type { SecretKeys } from '../../reconcile/kind/kind.ts';

/** Keys of the interface that are true or false. */
const switches: readonly string[] = ['bucket_in_path', 'ssl'];

/** The types whose data can need credentials, with the keys of the interface. */
export const credentialKeys: Readonly<Partial<Record<DataSourceType, SecretKeys>>> = {
  swift: { required: ['user', 'password'] },
  s3: { required: ['accesskey', 'secretkey'], optional: ['endpoint', ...switches] },
};

/** The values of the Secret as the service wants them. Any other text of a switch is sent as it is, and refused. */
export const credentialsOf = (values: Readonly<Record<string, string>>): Readonly<Record<string, string | boolean>> => {
  const sent = ([key, value]: readonly [string, string]) =>
    [key, switches.includes(key) && /^(true|false)$/.test(value) ? value === 'true' : value] as const;
  return Object.fromEntries(Object.entries(values).map(sent));
};
