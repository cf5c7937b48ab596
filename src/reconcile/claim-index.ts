// Who claims which object of the service, over all namespaces: kept up to date from the changes of the cache.
import type { RawResource } from '../api/definition.ts';
import type { Ledger } from './ledger.ts';
import { type Change, keyText } from './ports.ts';
import { ledgerOf } from './references.ts';

/** A collection of a service, whatever address it had when the claim was written. */
export interface Place {
  readonly endpoints: readonly string[];
  readonly tenant: string;
  readonly collection: string;
}

/** Ledgers that are confirmed as of their own object claim; one that was copied, or restored, only wants to. */
export class ClaimIndex {
  readonly #installation: string;
  readonly #claimsOf = new Map<string, readonly string[]>();
  readonly #claimants = new Map<string, Map<string, RawResource>>();

  constructor(installation: string) {
    this.#installation = installation;
  }

  changed({ key, current }: Pick<Change, 'key' | 'current'>): void {
    const text = keyText(key);
    for (const claim of this.#claimsOf.get(text) ?? []) this.#unlink(claim, text);
    const claims = current ? claimsOf(current, this.#installation) : [];
    if (claims.length === 0 || !current) {
      this.#claimsOf.delete(text);
      return;
    }
    this.#claimsOf.set(text, claims);
    for (const claim of claims) {
      const known = this.#claimants.get(claim) ?? new Map<string, RawResource>();
      this.#claimants.set(claim, known.set(text, current));
    }
  }

  /** Whether any resource claims an object by this id, or by this name while its id is not known. */
  has({ endpoints, tenant, collection }: Place, idOrName: string): boolean {
    return endpoints.some((endpoint) => this.#confirmed([endpoint, tenant, collection, idOrName].join(' ')).length > 0);
  }

  /** The other resources that claim an object of this ledger. */
  others(resource: RawResource, ledger: Ledger): readonly RawResource[] {
    const claimants = idsOf(ledger).flatMap((claim) => this.#confirmed(claim));
    return claimants.filter((other) => other.metadata.uid !== resource.metadata.uid);
  }

  /** Of a ledger that was written for another object: that one if it is there, else the oldest with the same ledger if that is another. */
  holder(resource: RawResource, ledger: Ledger): RawResource | undefined {
    const names = [...idsOf(ledger), ...namesOf(ledger)];
    const confirmed = names.flatMap((claim) => this.#confirmed(claim));
    const all = names.flatMap((claim) => [...(this.#claimants.get(claim)?.values() ?? [])]);
    const [first] = confirmed.length > 0 ? confirmed : all.toSorted(byAge);
    return first?.metadata.uid === resource.metadata.uid ? undefined : first;
  }

  #confirmed(claim: string): readonly RawResource[] {
    const known = this.#claimants.get(claim)?.values() ?? [];
    return [...known].filter((one) => ledgerOf(one, this.#installation).state === 'ours');
  }

  #unlink(claim: string, text: string): void {
    const known = this.#claimants.get(claim);
    known?.delete(text);
    if (known?.size === 0) this.#claimants.delete(claim);
  }
}

/** As text: what sorts before is older, or has the smaller uid. */
export const ageText = ({ metadata: { creationTimestamp = '', uid } }: RawResource): string =>
  `${creationTimestamp} ${uid}`;
const byAge = (one: RawResource, other: RawResource): number => (ageText(one) < ageText(other) ? -1 : 1);

function claimsOf(resource: RawResource, installation: string): readonly string[] {
  const state = ledgerOf(resource, installation);
  const claiming = state.state === 'ours' || state.state === 'moved';
  return claiming ? [...idsOf(state.ledger), ...namesOf(state.ledger)] : [];
}

function idsOf({ endpoint, tenant, claims }: Ledger): readonly string[] {
  return claims.flatMap(({ collection, id }) =>
    id === undefined ? [] : [[endpoint, tenant, collection, id].join(' ')],
  );
}

/** A fixed name tells nothing of who claims it: its private template does. */
function namesOf({ endpoint, tenant, claims }: Ledger): readonly string[] {
  const fixed = claims.some((one) => one.role === 'private');
  const telling = fixed ? claims.filter((one) => one.role === 'private') : claims;
  return telling.map(({ collection, name }) => [endpoint, tenant, collection, name].join(' '));
}
