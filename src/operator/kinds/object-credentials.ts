// The Secret with credentials that the service stores with an object and hands to jobs: what is read of it, and what must not be shown. PURE.
import type { ResourceReference, SecretKeys } from '../reconcile/kind/kind.ts';

/** The Secret, or none. `keys`: what the service needs of it. */
export const secretReferences = (
  { credentialsSecretRef }: { readonly credentialsSecretRef?: { readonly name: string } | undefined },
  keys: SecretKeys | undefined,
): readonly ResourceReference[] => {
  if (credentialsSecretRef === undefined) return [];
  const { name } = credentialsSecretRef;
  return [{ field: 'spec.credentialsSecretRef', kind: 'Secret', name, ...(keys && { keys }) }];
};

/** Values that must never be shown. */
const secretKeys: readonly string[] = ['password', 'accesskey', 'secretkey'];

/** What an answer of the service must not repeat in a message. */
export const secretsIn = (sent: Readonly<Record<string, unknown>> = {}): readonly string[] =>
  secretKeys.flatMap((key) => (typeof sent[key] === 'string' ? [sent[key]] : []));
