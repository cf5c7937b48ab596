// The content that a spec asks for, as a hash: it decides whether an object of the service is replaced. PURE.
import { memoize } from '../../../lib/memoize.ts';
import type { Kind, ResourceReference } from '../kind/kind.ts';
import { contentHash } from '../ledger/naming.ts';
import type { ResourceFacts } from './facts.ts';
import { type Resolution, type Resolved, referenceText, resolutionOf } from './references.ts';

interface HashInput {
  readonly kind: Kind;
  readonly resolutions: readonly Resolution[];
  readonly facts: Pick<ResourceFacts, 'spec'>;
}

function hashOfReferent({ hash, id }: Resolved): string {
  return hash ?? id;
}

/** By spec: the last hash, and the referents it was computed for. */
const lastHash = memoize((_spec: object) => {
  let known: { readonly referents: string; readonly hash: string } | undefined;
  return (referents: string, hash: () => string): string => {
    if (known?.referents !== referents) known = { referents, hash: hash() };
    return known.hash;
  };
});

/** The hash of the content that the spec asks for; undefined: something that it refers to is not resolved. */
export function wantedHash({ kind, facts, resolutions }: HashInput): string | undefined {
  if (kind.identity !== 'content' || !facts.spec.ok) return undefined;
  const { value } = facts.spec;
  const referents = resolutions.map((one) => (one.state === 'resolved' ? hashOfReferent(one) : undefined));
  if (referents.includes(undefined)) return undefined;
  const hashOf = (reference: ResourceReference): string => {
    const found = resolutionOf(resolutions, reference);
    if (found?.state !== 'resolved') throw new Error(`cannot hash ${referenceText(reference)}: it is not resolved`);
    return hashOfReferent(found);
  };
  return lastHash(value)(referents.join(' '), () => contentHash(kind.content(value, hashOf)));
}
