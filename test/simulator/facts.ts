// What is known of a simulated world beyond what its parts say of themselves: who made what, what is under way, what was when.
import { finalizer, group, ledgerAnnotation } from '../../src/api/common.ts';
import type { Call } from '../../src/kube/call.ts';
import type { Ledger } from '../../src/reconcile/ledger.ts';
import { digest } from '../../src/reconcile/naming.ts';
import type { ClusterRecord, Kind, Records } from '../../src/server/records.ts';
import { routes } from '../../src/wire/routes.ts';
import type { ApiServer, Change } from './api-server.ts';
import type { Stored } from './fields.ts';
import { installation, longestLateMs } from './plan.ts';
import type { Replica } from './replica.ts';
import type { ServiceAnswer, SimulatedService } from './service.ts';
import type { Sent } from './service-way.ts';

export interface Write {
  readonly replica: Replica;
  readonly call: Call;
}

/** One thing that happens; invariants judge each of them. */
export type Happening =
  | { readonly is: 'kubernetes sent'; readonly by: Write }
  | { readonly is: 'kubernetes changed'; readonly change: Change; readonly by: Write | undefined }
  | { readonly is: 'service sent'; readonly sent: Sent }
  | { readonly is: 'service settled'; readonly sent: Sent; readonly answer: ServiceAnswer | undefined }
  | {
      readonly is: 'service changed';
      readonly kind: Kind;
      readonly before: Records[Kind] | undefined;
      readonly after: Records[Kind] | undefined;
    }
  | {
      readonly is: 'said';
      readonly replica: Replica;
      readonly level: string;
      readonly text: string;
      readonly bug: boolean;
    };

/** A request to the service in the words of its collection. */
export interface Target {
  readonly method: string;
  readonly collection: string;
  readonly id: string | undefined;
  readonly name: string | undefined;
}

export interface Row {
  readonly kind: Kind;
  readonly record: Records[Kind];
}

interface Version {
  readonly at: number;
  readonly record: ClusterRecord;
}

const kinds = ['clusters', 'clusterTemplates', 'nodeGroupTemplates'] as const;
export const plurals: Readonly<Record<string, string>> = {
  Connection: 'connections',
  Cluster: 'clusters',
  ClusterTemplate: 'clustertemplates',
  NodeGroupTemplate: 'nodegrouptemplates',
  ImageRegistration: 'imageregistrations',
  Secret: 'secrets',
};
const ledgered = ['clusters', 'clustertemplates', 'nodegrouptemplates'] as const;
const tags = digest(installation, 4);

export interface FactsOptions {
  readonly server: ApiServer;
  readonly service: SimulatedService;
  readonly tenant: string;
  readonly now: () => number;
  readonly election: boolean;
  /** Lists of the service may be so old. */
  readonly listLagMs: () => number;
}

export class Facts {
  readonly options: FactsOptions;
  /** By the tag that names carry. */
  readonly #uids = new Map<string, string>();
  /** Of every object of the service that ever was: the uid that its name tells; undefined for those of others. */
  readonly owners = new Map<string, string | undefined>();
  /** POSTs that may still take effect. */
  readonly posts = new Map<number, Target>();
  /** Released by the user's word, by id and by name. */
  readonly orphans = new Set<string>();
  /** The newest generation that a scale was sent for, by id. */
  readonly scaled = new Map<string, number>();
  /** When the last effect of ours on an object of the service was, by id. */
  readonly #effectAt = new Map<string, number>();
  readonly #history = new Map<string, Version[]>();
  readonly #lastName = new Map<string, string>();
  readonly #ledgers = new WeakMap<Stored, { readonly ledger: Ledger | undefined }>();

  constructor(options: FactsOptions) {
    this.options = options;
  }

  /** Takes note, before the invariants are asked. */
  note(happening: Happening): void {
    switch (happening.is) {
      case 'kubernetes changed':
        return this.#changed(happening.change, happening.by);
      case 'service sent': {
        const target = targetOf(happening.sent);
        if (target.method === 'POST' && target.name !== undefined) this.posts.set(happening.sent.number, target);
        return;
      }
      case 'service settled':
        this.posts.delete(happening.sent.number);
        return this.#settled(happening.sent, happening.answer);
      case 'service changed':
        return this.#recorded(happening);
      default:
    }
  }

  /** The uid that a name in the service tells. */
  ownerOfName(name: string): string | undefined {
    const [, tag = ''] = /-([a-z2-7]+)$/.exec(name) ?? [];
    return tag.startsWith(tags) ? this.#uids.get(tag.slice(0, 12)) : undefined;
  }

  isOfInstallation(name: string): boolean {
    const [, tag = ''] = /-([a-z2-7]{12}|[a-z2-7]{20})$/.exec(name) ?? [];
    return tag.startsWith(tags);
  }

  resourceOf(uid: string | undefined): Stored | undefined {
    if (uid === undefined) return undefined;
    for (const plural of ledgered)
      for (const object of this.options.server.list(plural)) if (object.metadata.uid === uid) return object;
    return undefined;
  }

  ledgerOf(object: Stored | undefined): Ledger | undefined {
    if (object === undefined) return undefined;
    const known = this.#ledgers.get(object);
    if (known !== undefined) return known.ledger;
    const text =
      object.metadata.annotations?.[ledgerAnnotation] ?? (object.status as { ledger?: string } | undefined)?.ledger;
    const ledger = text === undefined ? undefined : (JSON.parse(text) as Ledger);
    this.#ledgers.set(object, { ledger });
    return ledger;
  }

  rowsOf(uid: string): readonly Row[] {
    return kinds.flatMap((kind) =>
      this.options.service.store
        .list(kind, this.options.tenant)
        .filter(({ id }) => this.owners.get(id) === uid)
        .map((record) => ({ kind, record })),
    );
  }

  rows(): readonly Row[] {
    return kinds.flatMap((kind) =>
      this.options.service.store.list(kind, this.options.tenant).map((record) => ({ kind, record })),
    );
  }

  nameOf(id: string): string | undefined {
    return this.#lastName.get(id);
  }

  /** How a cluster was at any time since our last effect on it, as far as a list may show it. */
  since(id: string): readonly ClusterRecord[] {
    const from = (this.#effectAt.get(id) ?? 0) - this.options.listLagMs();
    const versions = this.#history.get(id) ?? [];
    return versions
      .filter((_, index) => (versions[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from)
      .map(({ record }) => record);
  }

  #changed({ type, object, before }: Change, by: Write | undefined): void {
    const { uid } = object.metadata;
    if (type === 'ADDED') this.#uids.set(tags + digest(uid, 8), uid);
    const held = before?.metadata.finalizers?.includes(finalizer) ?? false;
    const released = held && (type === 'DELETED' || !object.metadata.finalizers?.includes(finalizer));
    if (
      !released ||
      by === undefined ||
      (before?.spec as { deletionPolicy?: string } | undefined)?.deletionPolicy !== 'Orphan'
    )
      return;
    for (const { id, name } of this.ledgerOf(before)?.claims ?? []) {
      this.orphans.add(name);
      if (id !== undefined) this.orphans.add(id);
    }
  }

  #settled(sent: Sent, answer: ServiceAnswer | undefined): void {
    const { method, id } = targetOf(sent);
    if (answer === undefined || id === undefined || method === 'GET') return;
    this.#effectAt.set(id, this.options.now());
  }

  #recorded({ kind, before, after }: Extract<Happening, { is: 'service changed' }>): void {
    const record = after ?? before;
    if (record === undefined || kind === 'images') return;
    if (!this.owners.has(record.id)) this.owners.set(record.id, this.ownerOfName(record.name));
    this.#lastName.set(record.id, record.name);
    if (kind !== 'clusters') return;
    const versions = this.#history.get(record.id) ?? [];
    // What no list can have been asked for any more.
    const old = this.options.now() - 4 * longestLateMs;
    while (versions.length > 2 && (versions[1]?.at ?? 0) < old) versions.shift();
    versions.push({ at: this.options.now(), record: record as ClusterRecord });
    this.#history.set(record.id, versions);
    if (before === undefined) this.#effectAt.set(record.id, this.options.now());
  }
}

export function targetOf({ request }: Sent): Target {
  const [, , , collection = '', id] = request.path.split('?')[0]?.split('/') ?? [];
  const body =
    request.method === 'POST' && id === undefined ? (JSON.parse(request.body ?? '{}') as { name?: string }) : {};
  return { method: request.method, collection, id, name: body.name };
}

export const isOurs = ({ apiVersion }: Stored): boolean => apiVersion.startsWith(`${group}/`);
export const collectionOf = (kind: Kind): string => routes[kind].path;
