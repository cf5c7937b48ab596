// The Secret with credentials that the service stores with an object and hands to jobs: what is read of it, and what is sent. PURE.
import type { ResourceReference, SecretKeys } from '../reconcile/kind.ts';

interface SecretUser {
  readonly credentialsSecretRef?: { readonly name: string } | undefined;
}

/** `keys`: what the service needs; undefined: nothing. */
export function secretReference(
  { credentialsSecretRef }: SecretUser,
  keys: SecretKeys = { required: [] },
): ResourceReference | undefined {
  if (credentialsSecretRef === undefined) return undefined;
  return { field: 'spec.credentialsSecretRef', kind: 'Secret', name: credentialsSecretRef.name, keys };
}

/** For people: `swift needs the keys user and password.`, for each name. */
export function keysText(needed: readonly (readonly [name: string, keys: SecretKeys])[]): string {
  const texts = needed.map(([name, { required, optional = [] }]) => {
    const more = optional.length === 0 ? '' : `, and can have ${optional.join(', ')}`;
    return `${name} needs the keys ${required.slice(0, -1).join(', ')} and ${required.at(-1)}${more}.`;
  });
  return texts.join(' ');
}

/** Values that must never be shown. */
const secretKeys: readonly string[] = ['password', 'accesskey', 'secretkey'];

/** What an answer of the service must not repeat in a message. */
export function secretsIn(sent: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return secretKeys.flatMap((key) => (typeof sent[key] === 'string' ? [sent[key]] : []));
}
