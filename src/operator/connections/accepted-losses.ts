// What vanished at once from the services of Connections, judged only when new lists come, and what users have confirmed.
import { slicesOf } from '../../lib/timing/slices.ts';
import { routes } from '../../wire/routes.ts';
import type { RawResource } from '../api/definition.ts';
import { acceptLossAnnotation } from '../api/shared-api.ts';
import type { View } from '../client/list/list-view.ts';
import { kinds as registered } from '../kinds/index.ts';
import { type ObjectRoute, privateKindOf, type RemoteObject } from '../reconcile/kind/kind.ts';
import { currentClaim, isMadeAt } from '../reconcile/ledger/ledger.ts';
import { detectMassDeletions, type MassDeletion, type Recorded, together } from '../reconcile/lists/mass-deletion.ts';
import { type Key, keyText, type ResourceStore, type ServiceLookup } from '../reconcile/pass-ports.ts';
import { connectionOf, ledgerOf } from '../reconcile/resource/references.ts';
import type { ServicePool } from './pool.ts';

export interface MassDeletionsOptions {
  readonly store: Pick<ResourceStore, 'list' | 'read'>;
  readonly connections: Pick<ServicePool, 'lookup'>;
  readonly installation: string;
  /** The Connection should report that something vanished. */
  readonly check: (key: Key) => void;
}

interface KnownMassDeletion {
  /** When the lists were requested that show it. */
  readonly lists: string;
  readonly losses: Losses;
}

/** By namespace. */
type Losses = ReadonlyMap<string, MassDeletion>;

type Usable = Extract<ServiceLookup, { state: 'usable' }>;

export class MassDeletions {
  readonly #options: MassDeletionsOptions;
  readonly #known = new Map<string, KnownMassDeletion>();
  /** In progress. */
  readonly #judging = new Map<string, Promise<Losses>>();
  /** What the user confirmed as gone; losing this asks once more. */
  readonly #accepted = new Map<string, ReadonlySet<string>>();

  constructor(options: MassDeletionsOptions) {
    this.#options = options;
  }

  /** What vanished at once from the service of a Connection and was not confirmed: of all its resources, or of those in a namespace. */
  async of(key: Key, namespace?: string): Promise<MassDeletion | undefined> {
    const found = this.#options.connections.lookup(key);
    if (found.state !== 'usable') return undefined;
    const losses = await this.#seen(key, found);
    const all = together([...losses.values()]);
    if (all === undefined) return undefined;
    const text = keyText(key);
    if (this.#acceptedBy(key) === all.hash) this.#accepted.set(text, new Set(all.gone));
    const accepted = this.#accepted.get(text);
    const loss = namespace === undefined ? all : losses.get(namespace);
    // Some of what was confirmed may have been made again already.
    if (loss === undefined || loss.gone.every((one) => accepted?.has(one))) return undefined;
    return { ...loss, hash: all.hash };
  }

  #acceptedBy(key: Key): string | undefined {
    return this.#options.store.read(key)?.metadata.annotations?.[acceptLossAnnotation];
  }

  /** By the newest lists, or newer ones: a call during a judgement waits for its end. */
  #seen(key: Key, found: Usable): Promise<Losses> {
    const text = keyText(key);
    const known = this.#known.get(text);
    if (known?.lists === listsOf(viewsOf(found))) return Promise.resolve(known.losses);
    const under = this.#judging.get(text) ?? this.#judge(key, found).finally(() => this.#judging.delete(text));
    this.#judging.set(text, under);
    return under;
  }

  /** First the ledgers, then the lists: what is made meanwhile is in the lists and never looks lost. */
  async #judge(key: Key, found: Usable): Promise<Losses> {
    const recorded = new Map<string, Recorded[]>();
    // Slices of all resources, not only of those that count: skipping ten thousand takes time, too.
    for await (const slice of slicesOf(this.#resources()))
      for (const resource of slice) {
        const { namespace } = resource.metadata;
        const known = recorded.get(namespace) ?? [];
        known.push(...this.#recordedOf(resource, key, found));
        recorded.set(namespace, known);
      }
    const views = viewsOf(found);
    const losses = detectMassDeletions(recorded, views);
    const before = this.#known.get(keyText(key))?.losses;
    this.#known.set(keyText(key), { lists: listsOf(views), losses });
    const [now, then] = [losses, before].map((one) => together([...(one?.values() ?? [])])?.hash);
    if (now !== undefined && now !== then) this.#options.check(key);
    return losses;
  }

  /** Those whose objects may be made again. Services also delete old runs in the course of time. */
  *#resources(): Iterable<RawResource> {
    const made = registered.filter(({ identity }) => identity !== 'once');
    for (const { definition } of made) yield* this.#options.store.list(definition.kind);
  }

  /** What is being deleted may go, and what was made elsewhere cannot be found here. */
  #recordedOf(resource: RawResource, key: Key, service: Usable): readonly Recorded[] {
    const { metadata } = resource;
    if (metadata.deletionTimestamp || keyText(connectionOf(resource)) !== keyText(key)) return [];
    const state = ledgerOf(resource, this.#options.installation);
    if (state.state !== 'ours' || !isMadeAt(state.ledger, service)) return [];
    // What expired is deleted by us and not made again.
    if (state.ledger.expired) return [];
    // Former revisions are deleted by us and never made again.
    const claim = currentClaim(state.ledger);
    return claim?.id === undefined ? [] : [{ collection: claim.collection, id: claim.id }];
  }
}

function listsOf(views: ReadonlyMap<string, View<RemoteObject>>): string {
  return [...views.values()].map(({ listSentAt }) => listSentAt).join();
}

/** Where objects of resources can be, those that belong to others included. */
export const objectRoutes: readonly ObjectRoute[] = [
  ...new Set(registered.flatMap((kind) => [kind.route, privateKindOf(kind)?.route ?? kind.route])),
];

/** The newest known list of each collection, by path; sends no request. */
export function viewsOf({ service }: Pick<Usable, 'service'>): ReadonlyMap<string, View<RemoteObject>> {
  return new Map(
    objectRoutes.flatMap((route) => {
      const view = service.inventory.peek(routes[route]) as View<RemoteObject> | undefined;
      return view ? [[routes[route].path, view] as const] : [];
    }),
  );
}
