// Asks what the work on clusters needs, for as long as somebody looks at them. Nothing of it is stored.
import PQueue from 'p-queue';
import type { CommonPorts } from '../../../lib/ports.ts';
import { sleep, within } from '../../../lib/timing/wait.ts';
import type { Provisioner } from '../../backends/provisioner.ts';
import type { ClusterLoad, ClusterRecord, GroupLoad } from '../../model/records/records.ts';
import type { Store } from '../../model/store/store.ts';

interface LoadsOptions extends CommonPorts {
  readonly provisioner: Pick<Provisioner, 'load'>;
  readonly store: Pick<Store, 'get'>;
}

/** Between two questions to the engine of a cluster. */
const periodMs = 5000;
/** It is asked for so long after somebody has looked at the cluster. Whoever looks less often gets an older load. */
const watchedMs = 60_000;
/** What does not answer must not keep others waiting for long. */
const answerMs = 10_000;
/** In all, and of one tenant: the clusters of others are asked although all of its own are slow. */
const [mostAtATime, mostOfTenant] = [40, 10];
/** Besides these: of clusters that were slow the last time, so that those of a few tenants do not take all places. */
const mostSlow = 20;
const slowMs = 1000;
const mostNodes = 10_000;

interface Entry {
  readonly tenant: string;
  readonly id: string;
  seenAt: number;
  load: ClusterLoad | undefined;
  isAsking: boolean;
  /** Whether the last question failed. */
  isSilent: boolean;
  /** Whether it took long, however it ended. */
  isSlow: boolean;
}

/** Whether an engine runs on it that can be asked. */
const isUsed = ({ status, work, info }: ClusterRecord): boolean =>
  status !== 'Error' && work?.operation !== 'delete' && Object.keys(info).length > 0;

const bounded = (count: number): number => Math.min(Math.max(Math.ceil(count), 0), mostNodes) || 0;

/** Only of groups that the cluster has. */
function shownLoad(
  { node_groups }: ClusterRecord,
  told: Readonly<Record<string, GroupLoad>>,
  observedAt: string,
): ClusterLoad {
  const known = Object.entries(told).filter(([name]) => node_groups.some((group) => group.name === name));
  const shown = known.map(([name, { wantedNodes, busyNodes }]) => {
    const load = { wantedNodes: bounded(wantedNodes), busyNodes: bounded(busyNodes), observedAt };
    return [name, load] as const;
  });
  return Object.fromEntries(shown);
}

export class Loads {
  readonly #options: LoadsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #queue = new PQueue({ concurrency: mostAtATime });
  readonly #slow = new PQueue({ concurrency: mostSlow });
  readonly #queues = new Map<string, PQueue>();
  readonly #closing = new AbortController();

  constructor(options: LoadsOptions) {
    this.#options = options;
  }

  /** What is known of the cluster, which somebody looks at. It is asked for anew meanwhile. Undefined if nothing is known. */
  of(tenant: string, cluster: ClusterRecord): ClusterLoad | undefined {
    const { provisioner, clock } = this.#options;
    if (provisioner.load === undefined || !isUsed(cluster)) return undefined;
    const entry = this.#entries.get(cluster.id) ?? this.#enter(tenant, cluster.id);
    entry.seenAt = clock.monotonic();
    if (!entry.isAsking) void this.#keepAsking(entry);
    return entry.load;
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#closing.abort();
  }

  #enter(tenant: string, id: string): Entry {
    // Nobody looks at clusters that are gone, so those are forgotten here.
    for (const each of this.#entries.values()) if (this.#clusterOf(each) === undefined) this.#entries.delete(each.id);
    const entry: Entry = { tenant, id, seenAt: 0, load: undefined, isAsking: false, isSilent: false, isSlow: false };
    this.#entries.set(id, entry);
    return entry;
  }

  #clusterOf({ tenant, id }: Entry): ClusterRecord | undefined {
    return this.#options.store.get('clusters', tenant, id);
  }

  async #keepAsking(entry: Entry): Promise<void> {
    const { clock } = this.#options;
    entry.isAsking = true;
    while (this.#isWatched(entry)) {
      await this.#queueOf(entry.tenant).add(() =>
        (entry.isSlow ? this.#slow : this.#queue).add(() => this.#ask(entry)),
      );
      await sleep(clock, periodMs, this.#closing.signal);
    }
    entry.isAsking = false;
  }

  #queueOf(tenant: string): PQueue {
    const known = this.#queues.get(tenant);
    if (known !== undefined) return known;
    const queue = new PQueue({ concurrency: mostOfTenant });
    queue.addEventListener('idle', () => void this.#queues.delete(tenant));
    this.#queues.set(tenant, queue);
    return queue;
  }

  #isWatched(entry: Entry): boolean {
    const isKnown = this.#entries.get(entry.id) === entry && !this.#closing.signal.aborted;
    return isKnown && this.#options.clock.monotonic() - entry.seenAt <= watchedMs;
  }

  /** Never rejects. After a failure, the load stays with its time. */
  async #ask(entry: Entry): Promise<void> {
    const { provisioner, clock, log } = this.#options;
    const { tenant, id } = entry;
    const cluster = this.#clusterOf(entry);
    if (cluster === undefined || !isUsed(cluster) || this.#closing.signal.aborted) return;
    const observedAt = new Date(clock.wall()).toISOString();
    const controller = new AbortController();
    const { signal } = controller;
    const from = clock.monotonic();
    const late = `no answer within ${answerMs / 1000} s`;
    try {
      const told = await within({ clock, ms: answerMs, late }, async () =>
        provisioner.load?.({ tenant, cluster, signal }),
      );
      entry.load = told && shownLoad(cluster, told, observedAt);
      entry.isSilent = false;
    } catch (err) {
      if (!entry.isSilent) log.warn({ kind: 'Cluster', externalId: id, err }, 'cannot find out the load of a cluster');
      entry.isSilent = true;
      controller.abort(err);
    }
    entry.isSlow = clock.monotonic() - from >= slowMs;
  }
}
