// A world with a cluster that expires, and what must hold of it: it goes when it was not used for long enough, never under a run, and in
// the end it is gone.

import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { ledgerIn } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { type Happening, targetOf } from '../judge/happening.ts';
import { namespace, tenant } from '../plan/plan.ts';
import { befall } from '../world/befall.ts';
import type { Violation, WorldOptions } from '../world/options.ts';
import { World } from '../world/world.ts';
import type { LifecyclePlan } from './plan.ts';

/** Clocks of processes run up to a fiftieth faster, and are off by some seconds. */
const clockShare = 0.97;
const clockMs = 12_000;
/** An idle time and its notice, some restarts, and whatever is tried again seldom. */
const endMs = 60 * 60_000;

const isOver = (run: Stored): boolean =>
  conditionsOf(run).some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');

export class LifecycleWorld extends World {
  readonly #lifecycle: LifecyclePlan['lifecycle'];
  /** Since when each run is there that has not ended. */
  readonly #runs = new Map<string, number>();
  #usedAt: number | undefined;
  #decided = false;
  readonly decisions: ('Delete' | 'Release')[] = [];

  constructor(plan: LifecyclePlan, options: WorldOptions = {}) {
    super(plan, options);
    this.#lifecycle = plan.lifecycle;
  }

  override happen(happening: Happening): void {
    super.happen(happening);
    if (happening.is === 'kubernetes changed') this.#changed(happening.change.object, happening.change.type);
    if (happening.is === 'service sent') this.#sent(happening);
  }

  #changed(object: Stored, type: string): void {
    const { now } = this.scheduler;
    if (object.kind === 'JobExecution') {
      const { name } = object.metadata;
      if (type !== 'DELETED' && !isOver(object)) this.#runs.set(name, this.#runs.get(name) ?? now);
      else if (this.#runs.delete(name)) this.#usedAt = now;
    }
    if (object.kind !== 'Cluster') return;
    const { firstReadyAt } = (object.status ?? {}) as { readonly firstReadyAt?: string };
    if (firstReadyAt !== undefined) this.#usedAt ??= now;
    const expired = ledgerIn(object.metadata.annotations?.[ledgerAnnotation])?.expired;
    const isDecided = object.metadata.deletionTimestamp !== undefined || expired !== undefined;
    if (isDecided && !this.#decided) this.#judge(expired === undefined ? 'Delete' : 'Release');
    this.#decided = isDecided;
  }

  /** What nobody in the operator can know yet is forgiven here: it must not harm a run all the same. */
  #judge(how: 'Delete' | 'Release'): void {
    this.decisions.push(how);
    const { now } = this.scheduler;
    const { idleDeleteAfterSeconds, deleteAfterSeconds, onExpiry = 'Delete' } = this.#lifecycle;
    if (how !== onExpiry) this.violate('L3', `${how} instead of ${onExpiry}`);
    if (deleteAfterSeconds !== undefined) return;
    const known = [...this.#runs].find(([, since]) => since < now - this.weather.behindMs());
    if (known) this.violate('L1', `it goes while ${known[0]} is there since ${known[1]}`);
    const idleMs = now - (this.#usedAt ?? now);
    if (idleMs < idleDeleteAfterSeconds * 1_000 * clockShare - clockMs)
      this.violate('L1', `it goes ${idleMs} ms after its last use`);
  }

  #sent({ sent }: Extract<Happening, { is: 'service sent' }>): void {
    const { method, collection, id } = targetOf(sent);
    if (method !== 'DELETE' || collection !== 'clusters') return;
    const runs = this.service.store.list('jobExecutions', tenant);
    const run = runs.find((one) => one.cluster_id === id && /^(PENDING|RUNNING)$/.test(one.info.status));
    if (run) this.violate('L2', `DELETE of ${id} under a run that is ${run.info.status}`);
  }

  violate(invariant: string, what: string): void {
    this.trace(`VIOLATION ${invariant}: ${what}`);
    this.violations.push({ invariant, at: this.scheduler.now, what });
  }

  /** What is amiss once all is calm. */
  amiss(): string | undefined {
    const cluster = this.server.get('clusters', namespace, 'etl');
    const left = this.service.store.list('clusters', tenant).filter(({ name }) => name.startsWith('etl'));
    // A run of unknown outcome may go on for ever.
    if (this.#runs.size > 0) return undefined;
    if (left.length > 0) return `the service still has ${left.map(({ id }) => id).join(', ')}`;
    const isKept = this.#lifecycle.onExpiry === 'Release';
    if (!isKept) return cluster && 'the Cluster is still there';
    const ready = cluster && conditionsOf(cluster).find(({ type }) => type === 'Ready');
    return ready?.reason === 'Expired' ? undefined : `the Cluster reports ${ready?.reason}: ${ready?.message}`;
  }
}

export interface LifecycleResult {
  readonly violations: readonly Violation[];
  readonly decisions: readonly ('Delete' | 'Release')[];
  readonly succeeded: number;
}

export async function runLifecycle(plan: LifecyclePlan, trace?: WorldOptions['trace']): Promise<LifecycleResult> {
  const world = new LifecycleWorld(plan, trace ? { trace } : {});
  for (const step of plan.steps) world.scheduler.after(step.at, () => world.act(step.deed), true);
  for (const fault of plan.faults) world.scheduler.after(fault.at, () => befall(world, fault), true);
  for (const index of plan.replicas.keys()) world.start(index);
  await world.advance(plan.calmAt);
  const until = world.scheduler.now + endMs;
  while (world.violations.length === 0 && world.amiss() !== undefined && world.scheduler.now < until)
    await world.advance(world.scheduler.now + 10_000);
  const wrong = world.amiss();
  if (world.violations.length === 0 && wrong !== undefined) world.violate('L4', wrong);
  for (const replica of world.replicas) replica?.kill();
  const succeeded = world.service.store
    .list('jobExecutions', tenant)
    .filter((one) => one.info.status === 'SUCCEEDED').length;
  return { violations: world.violations, decisions: world.decisions, succeeded };
}
