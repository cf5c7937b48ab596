// A world with an autoscaled group: which loads it reports, which of them each process received, and what it was scaled to.
import { isDeepStrictEqual } from 'node:util';
import type { ClusterRecord } from '../../../src/service/model/records/records.ts';
import { conditionsOf } from '../api/fields.ts';
import { type Happening, targetOf } from '../judge/happening.ts';
import { namespace, startWall, tenant } from '../plan/plan.ts';
import type { WorldOptions } from '../world/options.ts';
import type { Replica } from '../world/replica.ts';
import { World } from '../world/world.ts';
import { brokenBy, flapping, type Scale, type Seen } from './laws.ts';
import type { AutoscaledPlan, Bounds, Work } from './plan.ts';

/** What a process goes by may be so old. */
const behindMs = 90_000;
const observedLately = 5_000;
const oldMs = 300_000;

export class AutoscaledWorld extends World {
  readonly #work: Work[];
  readonly #seen: Seen[] = [];
  readonly #bounds: { readonly at: number; readonly bounds: Bounds }[] = [];
  readonly #bornAt = new Map<Replica, number>();
  readonly #scales: Scale[] = [];
  #asked: number | undefined;
  scales = { up: 0, down: 0 };

  constructor(plan: AutoscaledPlan, options: WorldOptions) {
    super(plan, options);
    this.#work = [...plan.work];
    Object.assign(this.service.injector, { loadOf: (cluster: ClusterRecord) => this.#load(cluster) });
  }

  /** Other work comes. */
  fill(wantedNodes: number): void {
    this.#work.push({ at: this.scheduler.now, wantedNodes, busyNodes: 0, is: 'fresh' });
  }

  get #current(): Work | undefined {
    return this.#work.findLast(({ at }) => at <= this.scheduler.now);
  }

  /**
   * A load is observed every few seconds, and keeps its time while the engine does not answer. As from an engine, there is none of a group without nodes. What
   * they have no room for waits for nodes of the group `master`, too.
   */
  #load({ node_groups }: ClusterRecord): object | undefined {
    const work = this.#current;
    if (work === undefined || work.is === 'none') return undefined;
    const count = node_groups.find(({ name }) => name === 'worker')?.count ?? 0;
    const now = this.scheduler.now - (this.scheduler.now % observedLately);
    const { wantedNodes, busyNodes, is } = work;
    const at = is === 'fresh' ? now : work.at - (is === 'old' ? oldMs : 0);
    const observedAt = new Date(startWall + at).toISOString();
    const waiting = Math.max(0, Math.max(wantedNodes, busyNodes) - count);
    const fixed = { wantedNodes: 1 + waiting, busyNodes: 1, observedAt };
    return { master: fixed, ...(count > 0 && { worker: { wantedNodes, busyNodes, observedAt } }) };
  }

  override start(index: number): Replica | undefined {
    const replica = super.start(index);
    if (replica) this.#bornAt.set(replica, this.scheduler.now);
    return replica;
  }

  override happen(happening: Happening): void {
    super.happen(happening);
    if (happening.is === 'service settled') this.#received(happening);
    if (happening.is === 'service sent') this.#sent(happening);
    if (happening.is === 'kubernetes changed' && happening.change.plural === 'nodegroups') {
      const { autoscaling } = happening.change.object.spec as { readonly autoscaling: Bounds };
      // Its status changes with each scale.
      if (!isDeepStrictEqual(this.#bounds.at(-1)?.bounds, autoscaling))
        this.#bounds.push({ at: this.scheduler.now, bounds: autoscaling });
    }
  }

  #received({ sent, answer }: Extract<Happening, { is: 'service settled' }>): void {
    const { method, collection } = targetOf(sent);
    if (method !== 'GET' || collection !== 'clusters' || answer?.status !== 200) return;
    const load = loadIn(answer.body);
    if (!load) return;
    const { wantedNodes, busyNodes, observedAt } = load;
    const at = this.scheduler.now;
    const ageMs = startWall + at - Date.parse(observedAt);
    this.#seen.push({ by: sent.replica, at, wantedNodes, busyNodes, ageMs });
  }

  #sent({ sent }: Extract<Happening, { is: 'service sent' }>): void {
    const { method, collection, id = '' } = targetOf(sent);
    if (method !== 'PUT' || collection !== 'clusters') return;
    const target = countAsked(sent.request.body ?? '{}');
    if (target === undefined) return;
    const at = this.scheduler.now;
    const record = this.service.store.get('clusters', tenant, id);
    const has = record?.node_groups.find(({ name }) => name === 'worker')?.count ?? 0;
    const before = this.#asked ?? has;
    const bounds = this.#bounds
      .filter((_one, index) => (this.#bounds[index + 1]?.at ?? at) >= at - behindMs)
      .map((one) => one.bounds);
    const scale = { by: sent.replica, at, target, before, has, bornAt: this.#bornAt.get(sent.replica) ?? 0 };
    this.#asked = target;
    if (target > before) this.scales.up += 1;
    else if (target < before) this.scales.down += 1;
    const what = brokenBy(scale, { seen: this.#seen, bounds });
    if (what !== undefined) this.violate('A1', what);
    const changes = [...this.#work, ...this.#bounds].map((one) => one.at);
    const flaps = flapping(scale, this.#scales, { changes, bounds });
    if (flaps !== undefined) this.violate('A5', flaps);
    this.#scales.push(scale);
  }

  violate(invariant: string, what: string): void {
    this.trace(`VIOLATION ${invariant}: ${what}`);
    this.violations.push({ invariant, at: this.scheduler.now, what });
  }

  /** What the service has. */
  get count(): number {
    const [record] = this.service.store.list('clusters', tenant);
    return record?.node_groups.find(({ name }) => name === 'worker')?.count ?? 0;
  }

  /** What is amiss with a count that was left: the Cluster has it, and nothing was scaled since. */
  amissOfLeft(): string | undefined {
    const cluster = this.server.get('clusters', namespace, 'etl');
    const { nodeGroups = [] } = (cluster?.spec ?? {}) as {
      readonly nodeGroups?: readonly { readonly count: number }[];
    };
    const counts = [this.count, this.#asked ?? this.count, nodeGroups[0]?.count];
    return new Set(counts).size === 1 ? undefined : `service, last scale and Cluster have ${counts.join(', ')} nodes`;
  }

  /** What is amiss once all is calm. */
  amiss(): string | undefined {
    const [nodeGroup] = this.server.list('nodegroups');
    const work = this.#current;
    const { autoscaling } = (nodeGroup?.spec ?? {}) as { readonly autoscaling: Bounds };
    const { minCount, maxCount } = autoscaling;
    const wanted = Math.min(maxCount, Math.max(minCount, work?.wantedNodes ?? 0, work?.busyNodes ?? 0));
    const count = this.count;
    if (count !== wanted) return `the group has ${count} nodes instead of ${wanted}`;
    const cluster = this.server.get('clusters', namespace, 'etl');
    const unready = [nodeGroup, cluster].find(
      (one) => !one || conditionsOf(one).find(({ type }) => type === 'Ready')?.status !== 'True',
    );
    return unready && `${unready.kind} is not Ready: ${JSON.stringify(conditionsOf(unready))}`;
  }
}

type Counts = readonly { readonly name: string; readonly count: number }[];

/** The nodes of the group that a PUT asks for. A group that was left without nodes is added, because the service has dropped it. */
function countAsked(body: string): number | undefined {
  const asked = JSON.parse(body) as Partial<Readonly<Record<'add_node_groups' | 'resize_node_groups', Counts>>>;
  const groups = [...(asked.add_node_groups ?? []), ...(asked.resize_node_groups ?? [])];
  return groups.find(({ name }) => name === 'worker')?.count;
}

interface GroupLoad {
  readonly wantedNodes: number;
  readonly busyNodes: number;
  readonly observedAt: string;
}

interface Shown {
  readonly info?: { readonly Load?: { readonly worker?: GroupLoad; readonly master?: GroupLoad } };
}

/** That of the workers. While there are none, work that waits for nodes of the other group asks for one. */
function workersIn({ info }: Shown): GroupLoad | undefined {
  const { worker, master } = info?.Load ?? {};
  if (worker !== undefined || master === undefined) return worker;
  return { wantedNodes: master.wantedNodes > 1 ? 1 : 0, busyNodes: 0, observedAt: master.observedAt };
}

function loadIn(body: string) {
  try {
    const { clusters = [] } = JSON.parse(body) as { readonly clusters?: readonly Shown[] };
    return clusters.map(workersIn).find((load) => load !== undefined);
  } catch {
    return undefined;
  }
}
