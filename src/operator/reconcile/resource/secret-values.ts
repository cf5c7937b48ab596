// A Secret that a spec refers to: its values for the request, and a digest that shows whether they changed.
import { createHmac } from 'node:crypto';
import { similarTo } from '../../../lib/similar.ts';
import type { RawResource } from '../../api/definition.ts';
import type { SecretKeys } from '../../api/secret-references.ts';
import { secretType } from '../../api/shared-api.ts';
import { canonicalJson } from '../ledger/naming.ts';

/** For people. Secrets of other types are not read, so such a Secret looks like a missing one. */
export function noSecret(name: string, place = 'this namespace'): string {
  return `Secret ${name} does not exist in ${place}, or is not of type ${secretType}: create it with that type. If it exists, delete it first: the type of a Secret cannot change`;
}

/** For people: the key is missing, or has no value. Undefined: it has one. */
export function keyProblem(secret: RawResource, key: string): string | undefined {
  if (valueOf(secret, key) !== undefined) return undefined;
  // Only a similar key: users put secrets in the wrong place, too.
  const similar = similarTo(key, Object.keys(secret.data ?? {}));
  const hint = similar === undefined ? '' : ` (its key ${similar} is not read)`;
  const trouble =
    secret.data?.[key] === undefined
      ? `has no key "${key}": add it${hint}`
      : `has nothing in its key "${key}": fill it in`;
  return `Secret ${secret.metadata.name} ${trouble}`;
}

/** The value without surrounding white space, such as a newline; undefined where there is none. */
export function valueOf({ data }: RawResource, key: string): string | undefined {
  const value = Buffer.from(data?.[key] ?? '', 'base64')
    .toString('utf8')
    .trim();
  return value === '' ? undefined : value;
}

/** The values of these keys, as far as the Secret has them. */
export function valuesOf(
  secret: RawResource,
  { required, optional = [] }: SecretKeys = { required: [] },
): Readonly<Record<string, string>> {
  const values = [...required, ...optional].map((key) => [key, valueOf(secret, key)] as const);
  return Object.fromEntries(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/**
 * Differs once one of the values does. Whoever may read the resource sees a hash that depends on it, and must not be able to try
 * passwords: so its key is the uid of the Secret, which only those see who may read the Secret. A Secret that was deleted and created
 * again counts as changed.
 */
export function digestOf(secret: RawResource, keys?: SecretKeys): string {
  return createHmac('sha256', secret.metadata.uid)
    .update(canonicalJson(valuesOf(secret, keys)))
    .digest('hex');
}
