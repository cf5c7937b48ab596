// Counts resources by condition, measures their time to Ready, and knows which Connections have managed objects.
import type { Clock } from '../../lib/ports.ts';
import type { Resource } from '../controller/resource-change.ts';
import type { ResourceChange } from '../reconcile/pass-ports.ts';
import { connectionOf } from '../reconcile/resource/references.ts';
import { closedLabel, type Label } from './registry.ts';

/** The closed lists from which labels are taken. */
export interface ConditionLabels {
  readonly kinds: readonly string[];
  /** By condition type. */
  readonly reasons: Readonly<Record<string, readonly string[]>>;
}

interface ConditionCounterOptions extends ConditionLabels {
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  /** A resource became Ready, `ms` after its creation or after the last change of its spec. */
  readonly becameReady: (kind: string, ms: number) => void;
}

/** The number of conditions with the same labels. */
export interface ConditionSeries {
  readonly key: string;
  readonly labels: Readonly<Record<'kind' | 'type' | 'status' | 'reason', string>>;
  count: number;
}

/** How a resource was counted, so that the next change can subtract it. */
interface CountedResource {
  readonly series: readonly ConditionSeries[];
  readonly managed: ManagedObjects | undefined;
  readonly generation: number;
  /** Monotonic ms since when it has not been Ready; undefined if it is Ready, or if that time is unknown. */
  readonly since: number | undefined;
}

/** The number of resources of one kind behind one Connection that have an object in the service. */
interface ManagedObjects {
  readonly key: string;
  count: number;
}

interface CountedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration?: number;
}

const statuses = ['True', 'False', 'Unknown'];

/** A change costs O(1) in the number of resources; a scrape costs O(distinct conditions). */
export class ConditionCounter {
  readonly #options: ConditionCounterOptions;
  readonly #kinds: ReadonlyMap<string, { count: number }>;
  readonly #statusOf: Label = closedLabel(statuses);
  readonly #typeOf: Label;
  readonly #reasonsOf: ReadonlyMap<string, Label>;
  /** By uid. */
  readonly #counted = new Map<string, CountedResource>();
  readonly #series = new Map<string, ConditionSeries>();
  /** Thousands of resources share the same few combinations of conditions, so each list is kept once. */
  readonly #combinations = new Map<string, readonly ConditionSeries[]>();
  readonly #managed = new Map<string, ManagedObjects>();

  constructor(options: ConditionCounterOptions) {
    this.#options = options;
    this.#kinds = new Map(options.kinds.map((kind) => [kind, { count: 0 }]));
    const reasons = Object.entries(options.reasons);
    this.#typeOf = closedLabel(reasons.map(([type]) => type));
    this.#reasonsOf = new Map(reasons.map(([type, list]) => [type, closedLabel(list)]));
  }

  /** Must be called exactly once for every change of the cache, including those by the operator's own writes. */
  changed({ previous, current, initial }: ResourceChange): void {
    const resource = current ?? previous;
    const kind = resource === undefined ? undefined : this.#kinds.get(resource.kind);
    if (kind === undefined || resource === undefined) return;
    const { uid } = resource.metadata;
    const before = this.#counted.get(uid);
    if (before !== undefined) {
      kind.count -= 1;
      this.#subtract(before);
      this.#counted.delete(uid);
    }
    if (current === undefined) return;
    kind.count += 1;
    this.#counted.set(uid, this.#add(current, before, initial));
  }

  /** A series that no resource has any more stays, with 0. */
  series(): Iterable<ConditionSeries> {
    return this.#series.values();
  }

  resources(): Iterable<readonly [kind: string, { readonly count: number }]> {
    return this.#kinds;
  }

  /** Whether any resource of the kind has an object in the service of this Connection, such as `team-a/default`. */
  hasManaged(connection: string, kind: string): boolean {
    return this.#managed.has(`${connection}/${kind}`);
  }

  #subtract({ series, managed }: CountedResource): void {
    for (const one of series) one.count -= 1;
    if (managed === undefined) return;
    managed.count -= 1;
    if (managed.count === 0) this.#managed.delete(managed.key);
  }

  #add(current: Resource, before: CountedResource | undefined, initial: boolean): CountedResource {
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
    const series = this.#combine(conditions.map((condition) => this.#count(current.kind, condition)));
    return { series, managed: this.#countManaged(current), generation, since: ready ? undefined : since };
  }

  #since({ metadata }: Resource, before: CountedResource | undefined, initial: boolean): number | undefined {
    const { clock } = this.#options;
    if (metadata.deletionTimestamp !== undefined) return undefined;
    if (before !== undefined) return before.generation === metadata.generation ? before.since : clock.monotonic();
    if (metadata.generation > 1) return undefined;
    if (!initial) return clock.monotonic();
    const age = clock.wall() - Date.parse(metadata.creationTimestamp ?? '');
    return Number.isNaN(age) ? undefined : clock.monotonic() - Math.max(0, age);
  }

  #count(kind: string, condition: CountedCondition): ConditionSeries {
    const type = this.#typeOf(condition.type);
    const status = this.#statusOf(condition.status);
    const reason = this.#reasonsOf.get(type)?.(condition.reason) ?? 'other';
    const key = `${kind}/${type}/${status}/${reason}`;
    const series = this.#series.get(key) ?? { key, labels: { kind, type, status, reason }, count: 0 };
    this.#series.set(key, series);
    series.count += 1;
    return series;
  }

  #combine(series: readonly ConditionSeries[]): readonly ConditionSeries[] {
    const name = series.map(({ key }) => key).join(' ');
    const known = this.#combinations.get(name) ?? series;
    this.#combinations.set(name, known);
    return known;
  }

  #countManaged(resource: Resource): ManagedObjects | undefined {
    const { id } = (resource.status ?? {}) as { readonly id?: unknown };
    if (typeof id !== 'string') return undefined;
    const { namespace, name } = connectionOf(resource);
    const key = `${namespace}/${name}/${resource.kind}`;
    const managed = this.#managed.get(key) ?? { key, count: 0 };
    this.#managed.set(key, managed);
    managed.count += 1;
    return managed;
  }
}

function conditionsOf(resource: Resource): readonly CountedCondition[] {
  const { conditions } = (resource.status ?? {}) as { readonly conditions?: unknown };
  return Array.isArray(conditions) ? (conditions as readonly CountedCondition[]) : [];
}
