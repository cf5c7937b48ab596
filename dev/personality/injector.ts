// Applies the personality to requests, clusters, job executions and tokens, and counts how often each rule applied.
import type { FastifyInstance } from 'fastify';
import type { Clock, Log } from '../../src/lib/ports.ts';
import { digestOf } from '../../src/lib/secrets.ts';
import type { RunEnd } from '../../src/service/backends/job-engine.ts';
import { createSeededRandom } from '../../src/service/model/records/identifiers.ts';
import type { ClusterLoad, ClusterRecord } from '../../src/service/model/records/records.ts';
import { Refusal } from '../../src/service/model/refusal.ts';
import type { Store } from '../../src/service/model/store/store.ts';
import type { ServerHooks } from '../../src/service/program/options.ts';
import type { Service } from '../../src/service/resources/service.ts';
import type { Fields } from '../../src/service/resources/views/job-view.ts';
import { misdated } from './execution-times.ts';
import { mountFaults } from './hooks.ts';
import { createLaggingStore } from './lagging-store.ts';
import { madeUpLoad } from './loads.ts';
import type { ClusterRule, ExecutionRule, Fault, Personality, RuleCondition } from './personality.ts';

/** How often a rule matched, and how often it applied. */
interface Tally {
  readonly met: number;
  readonly applied: number;
}

/** A number in [0, 1), the same for the same seed, rule and match. */
export function chanceOf(seed: number, rule: number, match: number): number {
  return createSeededRandom(seed + 104_729 * rule + 15_485_863 * match).next();
}

/** Whether the rule applies to a match. `met` includes this match. */
export function isDue(rule: RuleCondition, { met, applied }: Tally, chance: number): boolean {
  if (applied >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
  if (rule.nth !== undefined) return met === rule.nth;
  if (rule.every !== undefined) return met % rule.every === 0;
  return rule.rate === undefined || chance < rule.rate;
}

type List = 'faults' | 'clusters' | 'executions';

/** Without authentication, clients can send any number of different tokens. */
const maxTokens = 10_000;
const none: Tally = { met: 0, applied: 0 };
const nameOf = (list: List, rule: RuleCondition, index: number): string => rule.name ?? `${list}[${index}]`;

export class Injector implements ServerHooks {
  readonly #clock: Clock;
  #personality: Personality;
  readonly #tallies = new Map<string, Tally>();
  /** The monotonic time at which each token was first used. */
  readonly #tokens = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock, personality: Personality = {}) {
    this.#clock = clock;
    this.#personality = personality;
  }

  wrapStore(store: Store): Store {
    return createLaggingStore(store, this, this.#clock);
  }

  mount(app: FastifyInstance, { service, log }: { readonly service: Service; readonly log: Log }): void {
    mountFaults(app, { injector: this, service, log });
  }

  get personality(): Personality {
    return this.#personality;
  }

  /** Resets counts and the age of tokens, and releases everything that is stuck. */
  replace(personality: Personality): void {
    this.#personality = personality;
    this.#tallies.clear();
    this.#tokens.clear();
    for (const goOn of this.#waiting) goOn();
    this.#waiting.clear();
  }

  /** How often each rule, in the order of the personality, and each setting was met and applied. */
  counts(): Readonly<Record<string, Tally>> {
    const { faults = [], clusters = [], executions = [] } = this.#personality;
    const names = [
      ...faults.map((rule, index) => nameOf('faults', rule, index)),
      ...clusters.map((rule, index) => nameOf('clusters', rule, index)),
      ...executions.map((rule, index) => nameOf('executions', rule, index)),
    ];
    return Object.fromEntries([...names.map((name) => [name, none] as const), ...this.#tallies]);
  }

  /** The fault of this request. `path`: as in the route. */
  fault(method: string, path: string): Fault | undefined {
    const matches = (fault: Fault) => (fault.method ?? method) === method && (fault.path ?? path) === path;
    return this.#choose('faults', this.#personality.faults ?? [], matches);
  }

  /** The word that is shown for a status. */
  word(status: string): string {
    return this.#personality.statusWords?.[status] ?? status;
  }

  /** Changes the times of an answered execution. Undefined if they stay as they are. */
  get misdates(): ((execution: Fields) => Fields) | undefined {
    const { executionTimes } = this.#personality;
    return executionTimes && ((execution) => misdated(execution, executionTimes));
  }

  /** What the work on the cluster seems to need. Undefined if nothing is made up. */
  loadOf(cluster: ClusterRecord): ClusterLoad | undefined {
    const { loads = [] } = this.#personality;
    return loads.length === 0 ? undefined : madeUpLoad(loads, cluster, this.#clock);
  }

  /** Resolves when a cluster may leave this status, or when the signal is aborted. A rejection fails the operation. */
  async leaveCluster(
    { operation, status }: { readonly operation: string; readonly status: string },
    signal: AbortSignal,
  ): Promise<void> {
    const matches = (rule: ClusterRule) => rule.status === status && (rule.operation ?? operation) === operation;
    const rule = this.#choose('clusters', this.#personality.clusters ?? [], matches);
    await this.#obey(rule, status, signal);
  }

  /** The same for a job execution. Resolves to how the run ends in this status, if it does. */
  async leaveExecution(
    { status, job }: { readonly status: string; readonly job: string },
    signal: AbortSignal,
  ): Promise<RunEnd | undefined> {
    const matches = (rule: ExecutionRule) => rule.status === status && (rule.job ?? job) === job;
    const rule = this.#choose('executions', this.#personality.executions ?? [], matches);
    if (rule?.does === 'done-with-error') return { status: 'DONEWITHERROR' };
    if (rule?.does === 'fail' && rule.termination !== undefined)
      return { status: 'FAILED', message: rule.message ?? `it failed in ${status}`, ...rule.termination };
    await this.#obey(rule, status, signal);
    return undefined;
  }

  /** Fails or waits as the rule demands. */
  async #obey(rule: ClusterRule | ExecutionRule | undefined, status: string, signal: AbortSignal): Promise<void> {
    if (rule?.does === 'fail') throw new Error(rule.message ?? `it failed in ${status}`);
    if (rule?.does !== 'stuck' || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  /** Throws a 401 if the token is too old. */
  checkToken(token: string): void {
    const { tokenLifetimeMs } = this.#personality;
    if (tokenLifetimeMs === undefined) return;
    const now = this.#clock.monotonic();
    const since = this.#tokens.get(digestOf(token).toString('base64')) ?? now;
    this.#note(token, since);
    if (this.count('tokenLifetimeMs', now - since >= tokenLifetimeMs)) {
      throw new Refusal([401, 'UNAUTHORIZED'], 'cannot authenticate: the token has expired', 'identity');
    }
  }

  #note(token: string, since: number): void {
    const key = digestOf(token).toString('base64');
    const [oldest] = this.#tokens.keys();
    if (!this.#tokens.has(key) && this.#tokens.size >= maxTokens && oldest !== undefined) this.#tokens.delete(oldest);
    this.#tokens.set(key, since);
  }

  /** Counts that a rule or setting was met, and whether it applied. Returns the latter. */
  count(name: string, applies: boolean): boolean {
    const { met, applied } = this.#tally(name);
    this.#tallies.set(name, { met: met + 1, applied: applied + (applies ? 1 : 0) });
    return applies;
  }

  #tally(name: string): Tally {
    return this.#tallies.get(name) ?? none;
  }

  /** Counts the match for every rule that matches. The first rule whose condition is true applies. */
  #choose<Rule extends RuleCondition>(
    list: List,
    rules: readonly Rule[],
    matches: (rule: Rule) => boolean,
  ): Rule | undefined {
    let chosen: Rule | undefined;
    for (const [index, rule] of rules.entries()) {
      if (!matches(rule)) continue;
      const name = nameOf(list, rule, index);
      const { met, applied } = this.#tally(name);
      const chance = chanceOf(this.#personality.seed ?? 1, index, met + 1);
      const applies = chosen === undefined && isDue(rule, { met: met + 1, applied }, chance);
      if (this.count(name, applies)) chosen = rule;
    }
    return chosen;
  }
}
