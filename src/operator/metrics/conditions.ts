// How the resources stand, counted change by change: their conditions, their time to Ready, and who has something in a service.
import type { Clock } from '../../lib/ports.ts';
import type { Resource } from '../controller/change.ts';
import type { ResourceChange } from '../reconcile/ports.ts';
import { connectionName } from '../reconcile/resource/references.ts';
import { closedLabel, type Label } from './labels.ts';

export interface StandingLists {
  readonly kinds: readonly string[];
  /** By condition type. */
  readonly reasons: Readonly<Record<string, readonly string[]>>;
}

export interface StandingsOptions extends StandingLists {
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  /** A resource got Ready, `ms` after its creation or the change of its spec that is Ready now. */
  readonly becameReady: (kind: string, ms: number) => void;
}

/** Conditions that are alike. */
export interface ResourceState {
  readonly key: string;
  readonly labels: Readonly<Record<'kind' | 'type' | 'status' | 'reason', string>>;
  count: number;
}

/** What is remembered of one resource. */
interface SeenResource {
  readonly standings: readonly ResourceState[];
  readonly holding: HeldObjects | undefined;
  readonly generation: number;
  /** Monotonic ms of what is not Ready yet; undefined: it is Ready, or nobody knows since when it is not. */
  readonly since: number | undefined;
}

/** The resources of one kind behind one Connection that have something in the service. */
interface HeldObjects {
  readonly key: string;
  count: number;
}

interface CountedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration?: number;
}

const STATUSES = ['True', 'False', 'Unknown'];

/** Each change takes the time of one resource, and reading the counts takes that of the distinct conditions, however many have them. */
export class Standings {
  readonly #options: StandingsOptions;
  readonly #kinds: ReadonlyMap<string, { count: number }>;
  readonly #statusOf: Label = closedLabel(STATUSES);
  readonly #typeOf: Label;
  readonly #reasonsOf: ReadonlyMap<string, Label>;
  readonly #seen = new Map<string, SeenResource>();
  readonly #standings = new Map<string, ResourceState>();
  /** By their keys: thousands of resources have the same few, as one list. */
  readonly #combinations = new Map<string, readonly ResourceState[]>();
  readonly #holdings = new Map<string, HeldObjects>();

  constructor(options: StandingsOptions) {
    this.#options = options;
    this.#kinds = new Map(options.kinds.map((kind) => [kind, { count: 0 }]));
    const reasons = Object.entries(options.reasons);
    this.#typeOf = closedLabel(reasons.map(([type]) => type));
    this.#reasonsOf = new Map(reasons.map(([type, list]) => [type, closedLabel(list)]));
  }

  /** To be told of every change of the cache, those of our own writes included, each once. */
  changed({ previous, current, initial }: ResourceChange): void {
    const resource = current ?? previous;
    const kind = resource === undefined ? undefined : this.#kinds.get(resource.kind);
    if (kind === undefined || resource === undefined) return;
    const { uid } = resource.metadata;
    const before = this.#seen.get(uid);
    if (before !== undefined) {
      kind.count -= 1;
      this.#leave(before);
      this.#seen.delete(uid);
    }
    if (current === undefined) return;
    kind.count += 1;
    this.#seen.set(uid, this.#see(current, before, initial));
  }

  /** A standing that nobody has any more stays, with 0. */
  standings(): Iterable<ResourceState> {
    return this.#standings.values();
  }

  resources(): Iterable<readonly [kind: string, { readonly count: number }]> {
    return this.#kinds;
  }

  /** Whether any resource of the kind has something in the service of this Connection, such as `team-a/default`. */
  holds(connection: string, kind: string): boolean {
    return this.#holdings.has(`${connection}/${kind}`);
  }

  #leave({ standings, holding }: SeenResource): void {
    for (const standing of standings) standing.count -= 1;
    if (holding === undefined) return;
    holding.count -= 1;
    if (holding.count === 0) this.#holdings.delete(holding.key);
  }

  #see(current: Resource, before: SeenResource | undefined, initial: boolean): SeenResource {
    const conditions = conditionsOf(current);
    const { generation } = current.metadata;
    const since = this.#since(current, before, initial);
    const ready = conditions.some(
      ({ type, status, observedGeneration }) =>
        type === 'Ready' && status === 'True' && observedGeneration === generation,
    );
    if (ready && before !== undefined && since !== undefined) {
      this.#options.becameReady(current.kind, this.#options.clock.monotonic() - since);
    }
    const standings = this.#combine(conditions.map((condition) => this.#join(current.kind, condition)));
    return { standings, holding: this.#hold(current), generation, since: ready ? undefined : since };
  }

  #since({ metadata }: Resource, before: SeenResource | undefined, initial: boolean): number | undefined {
    const { clock } = this.#options;
    if (metadata.deletionTimestamp !== undefined) return undefined;
    if (before !== undefined) return before.generation === metadata.generation ? before.since : clock.monotonic();
    if (metadata.generation > 1) return undefined;
    if (!initial) return clock.monotonic();
    const age = clock.wall() - Date.parse(metadata.creationTimestamp ?? '');
    return Number.isNaN(age) ? undefined : clock.monotonic() - Math.max(0, age);
  }

  #join(kind: string, condition: CountedCondition): ResourceState {
    const type = this.#typeOf(condition.type);
    const status = this.#statusOf(condition.status);
    const reason = this.#reasonsOf.get(type)?.(condition.reason) ?? 'other';
    const key = `${kind}/${type}/${status}/${reason}`;
    const standing = this.#standings.get(key) ?? { key, labels: { kind, type, status, reason }, count: 0 };
    this.#standings.set(key, standing);
    standing.count += 1;
    return standing;
  }

  #combine(standings: readonly ResourceState[]): readonly ResourceState[] {
    const name = standings.map(({ key }) => key).join(' ');
    const known = this.#combinations.get(name) ?? standings;
    this.#combinations.set(name, known);
    return known;
  }

  #hold(resource: Resource): HeldObjects | undefined {
    const { id } = (resource.status ?? {}) as { readonly id?: unknown };
    if (typeof id !== 'string') return undefined;
    const key = `${resource.metadata.namespace}/${connectionName(resource)}/${resource.kind}`;
    const holding = this.#holdings.get(key) ?? { key, count: 0 };
    this.#holdings.set(key, holding);
    holding.count += 1;
    return holding;
  }
}

function conditionsOf(resource: Resource): readonly CountedCondition[] {
  const { conditions } = (resource.status ?? {}) as { readonly conditions?: unknown };
  return Array.isArray(conditions) ? (conditions as readonly CountedCondition[]) : [];
}
