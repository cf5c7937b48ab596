// Who claims which object of the service, over all namespaces; updated from the changes of the cache.
import type { RawResource } from '../../api/definition.ts';
import { ledgerAnnotation, takeOverAnnotation } from '../../api/shared-api.ts';
import { type Claims, type Ledger, privateClaims, recordedLedger } from '../ledger/ledger.ts';
import { keyText, type ResourceChange } from '../pass-ports.ts';
import { ledgerOf, ledgerTexts } from '../resource/references.ts';

/** A collection of a service, whatever address it had when the claim was written. */
export interface CollectionPlace {
  readonly endpoints: readonly string[];
  readonly tenant: string;
  readonly collection: string;
}

/** A resource whose ledger names objects. With a confirmed ledger it claims them; with a copied or restored one it wants to. */
interface Claimant {
  resource: RawResource;
  readonly confirmed: boolean;
}

/** A resource whose ledger cannot be used, and the words in it. */
interface Unusable {
  resource: RawResource;
  readonly words: ReadonlySet<string>;
}

/** An object by its id, or by its name while the id is unknown; `place` as text. */
interface Claimed {
  readonly place: string;
  readonly object: string;
}

/** By what is claimed. Nearly every object has one claimant, which does not need a list. */
type Claimants = Map<string, Claimant | readonly Claimant[]>;

export class ClaimIndex {
  readonly #installation: string;
  readonly #known = new Map<string, Claimant>();
  /** Thousands are at one place, whose text is kept once. A resource without claims is not kept. */
  readonly #places = new Map<string, Claimants>();
  readonly #unusable = new Map<string, Unusable>();

  constructor(installation: string) {
    this.#installation = installation;
  }

  /** Returns the resource if what it claims or names has changed. */
  changed({ key, current }: Pick<ResourceChange, 'key' | 'current'>): RawResource | undefined {
    const text = keyText(key);
    const [known, unusable] = [this.#known.get(text), this.#unusable.get(text)];
    const before = (known ?? unusable)?.resource;
    if (before && current && ledgerText(before) === ledgerText(current)) {
      if (known) known.resource = current;
      if (unusable) unusable.resource = current;
      return undefined;
    }
    if (known) for (const claim of claimsOf(known.resource, this.#installation)) this.#unlink(claim, known);
    this.#known.delete(text);
    this.#unusable.delete(text);
    if (current) this.#link(text, current);
    const names = before !== undefined || this.#known.has(text) || this.#unusable.has(text);
    return names ? (current ?? before) : undefined;
  }

  /** Whether any resource claims an object by this id, or by this name while its id is unknown. */
  has(place: CollectionPlace, idOrName: string): boolean {
    return placesOf(place).some((one) => this.#confirmed({ place: one, object: idOrName }).length > 0);
  }

  /**
   * Whether any resource names an object by this id or this name, at whatever address: two addresses may lead to one service.
   * A ledger that cannot be used names what its text contains, within bounds.
   */
  isNamed(collection: string, { id, name }: { readonly id: string; readonly name: string }): boolean {
    const named = [...this.#places].some(
      ([place, claimants]) => place.endsWith(` ${collection}`) && (claimants.has(id) || claimants.has(name)),
    );
    return named || [...this.#unusable.values()].some(({ words }) => words.has(id) || words.has(name));
  }

  /** Whether any resource claims, or wants to claim, anything there. */
  hasAny(place: CollectionPlace): boolean {
    return placesOf(place).some((one) => this.#places.has(one));
  }

  /** The resources that claim an object of this ledger; for each object, in the order in which their claims became known. */
  claimants(ledger: Claims): readonly RawResource[] {
    return idsOf(ledger).flatMap((claim) => this.#confirmed(claim));
  }

  /** The resources that claim the object of the tenant with this id, at whatever address: two addresses may lead to one service. */
  claimantsOfId({ tenant, collection }: Omit<CollectionPlace, 'endpoints'>, id: string): readonly RawResource[] {
    const end = ` ${tenant} ${collection}`;
    const places = [...this.#places.keys()].filter((place) => place.endsWith(end));
    return places.flatMap((place) => this.#confirmed({ place, object: id }));
  }

  /** All resources that name an object of this ledger, by id or by name, including copied and restored ones. */
  rivals(ledger: Ledger): readonly RawResource[] {
    return [...idsOf(ledger), ...namesOf(ledger)].flatMap((claim) => this.#of(claim).map(({ resource }) => resource));
  }

  /**
   * For a ledger that was written for another object: that object if it exists, else the oldest other one with the same ledger.
   * `counts`: whose claim counts. `endpoints`: addresses of the same service.
   */
  holder(
    resource: RawResource,
    ledger: Ledger,
    {
      counts = () => true,
      endpoints = [ledger.endpoint],
    }: { readonly counts?: (one: RawResource) => boolean; readonly endpoints?: readonly string[] } = {},
  ): RawResource | undefined {
    const names = endpoints.flatMap((endpoint) => [
      ...idsOf({ ...ledger, endpoint }),
      ...namesOf({ ...ledger, endpoint }),
    ]);
    const confirmed = names.flatMap((claim) => this.#confirmed(claim)).filter(counts);
    const all = names.flatMap((claim) => this.#of(claim).map(({ resource: one }) => one)).filter(counts);
    const [first] =
      confirmed.length > 0 ? confirmed : all.toSorted((one, other) => (ageText(one) < ageText(other) ? -1 : 1));
    return first?.metadata.uid === resource.metadata.uid ? undefined : first;
  }

  #of({ place, object }: Claimed): readonly Claimant[] {
    return [this.#places.get(place)?.get(object) ?? []].flat();
  }

  #confirmed(claim: Claimed): readonly RawResource[] {
    return this.#of(claim).flatMap(({ confirmed, resource }) => (confirmed ? [resource] : []));
  }

  #link(text: string, resource: RawResource): void {
    const { state } = ledgerOf(resource, this.#installation);
    if (state === 'unconfirmed')
      this.#unusable.set(text, { resource, words: wordsOf(ledgerTexts(resource, ledgerAnnotation).join(' ')) });
    const claims = claimsOf(resource, this.#installation);
    if (claims.length === 0) return;
    const confirmed = state === 'ours';
    const claimant: Claimant = { resource, confirmed };
    this.#known.set(text, claimant);
    for (const claim of claims) this.#put(claim, [...this.#of(claim), claimant]);
  }

  #unlink(claim: Claimed, claimant: Claimant): void {
    this.#put(
      claim,
      this.#of(claim).filter((one) => one !== claimant),
    );
  }

  #put({ place, object }: Claimed, claimants: readonly Claimant[]): void {
    const there: Claimants = this.#places.get(place) ?? new Map();
    const [first] = claimants;
    if (first === undefined) there.delete(object);
    else there.set(object, claimants.length === 1 ? first : claimants);
    if (there.size > 0) this.#places.set(place, there);
    else this.#places.delete(place);
  }
}

/** Everything that decides what a resource claims. */
function ledgerText(resource: RawResource): string {
  const { uid, annotations } = resource.metadata;
  return [uid, annotations?.[takeOverAnnotation], ...ledgerTexts(resource, ledgerAnnotation)].join(' ');
}

/** As text: what sorts first is older, or has the smaller uid. */
export function ageText({ metadata: { creationTimestamp = '', uid } }: RawResource): string {
  return `${creationTimestamp} ${uid}`;
}
function claimsOf(resource: RawResource, installation: string): readonly Claimed[] {
  const ledger = recordedLedger(ledgerOf(resource, installation));
  if (!ledger) return [];
  // A given id is a name, too.
  const all = [...idsOf(ledger), ...namesOf(ledger)];
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at);
}

/** What an annotation can name without costing others time and memory: it holds whatever a user wrote. */
const mostWords = 1_000;

/** Identifiers and names, as far as a text consists of them. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\w.-]+/g)) {
    if (words.size === mostWords) break;
    words.add(word);
  }
  return words;
}

function isSame(one: Claimed, other: Claimed): boolean {
  return one.place === other.place && one.object === other.object;
}

function placeText(...parts: readonly [endpoint: string, tenant: string, collection: string]): string {
  return parts.join(' ');
}

function placesOf({ endpoints, tenant, collection }: CollectionPlace): readonly string[] {
  return endpoints.map((endpoint) => placeText(endpoint, tenant, collection));
}

function idsOf({ endpoint, tenant, claims }: Claims): readonly Claimed[] {
  return claims.flatMap(({ collection, id }) =>
    id === undefined ? [] : [{ place: placeText(endpoint, tenant, collection), object: id }],
  );
}

/** A fixed name does not tell who claims it: its private template does. The name of what has a content hash is generated. */
function namesOf(ledger: Ledger): readonly Claimed[] {
  const { endpoint, tenant, claims } = ledger;
  const generated =
    privateClaims(ledger).length > 0
      ? claims.filter(({ role, hash }) => role === 'private' || hash !== undefined)
      : claims;
  return generated.map(({ collection, name }) => ({
    place: placeText(endpoint, tenant, collection),
    object: name,
  }));
}
