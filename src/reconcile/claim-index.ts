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

/** Only ledgers that are confirmed as of their own object count: a copied one claims nothing. */
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
    const claims = current ? claimedIds(current, this.#installation) : [];
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
    return endpoints.some((endpoint) => this.#claimants.has([endpoint, tenant, collection, idOrName].join(' ')));
  }

  /** The other resources that claim an object of this ledger. */
  others(resource: RawResource, ledger: Ledger): readonly RawResource[] {
    const claimants = idsOf(ledger).flatMap((claim) => [...(this.#claimants.get(claim)?.values() ?? [])]);
    return claimants.filter((other) => other.metadata.uid !== resource.metadata.uid);
  }

  #unlink(claim: string, text: string): void {
    const known = this.#claimants.get(claim);
    known?.delete(text);
    if (known?.size === 0) this.#claimants.delete(claim);
  }
}

function claimedIds(resource: RawResource, installation: string): readonly string[] {
  const state = ledgerOf(resource, installation);
  return state.state === 'ours' ? [...idsOf(state.ledger), ...namesOf(state.ledger)] : [];
}

function idsOf({ endpoint, tenant, claims }: Ledger): readonly string[] {
  return claims.flatMap(({ collection, id }) =>
    id === undefined ? [] : [[endpoint, tenant, collection, id].join(' ')],
  );
}

function namesOf({ endpoint, tenant, claims }: Ledger): readonly string[] {
  return claims.map(({ collection, name }) => [endpoint, tenant, collection, name].join(' '));
}
