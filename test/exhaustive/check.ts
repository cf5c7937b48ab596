// One complete check: every state within the bounds, and from a sample of them the end when nothing goes wrong any more.
import { clusterKind } from '../../src/operator/kinds/cluster/index.ts';
import { jobExecutionKind } from '../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../src/operator/kinds/node-group-template/index.ts';
import { clusterSpec, templateSpec } from '../operator/reconcile/support.ts';
import { type Exploration, explore } from './explore.ts';
import { type Policy, policiesFor } from './model/policies.ts';
import { referringKind } from './model/referrer.ts';
import { sharing } from './model/selection.ts';
import { type Bounds, createRules, firstWorld, nothing, type World } from './model/world.ts';
import { stuck } from './settle.ts';

export interface Scenario {
  readonly kind: keyof typeof kinds;
  readonly replicas: number;
  readonly bounds: Partial<Bounds>;
  /** What its spec has besides. Where it adopts an object, that one is in the service before it. */
  readonly more?: {
    readonly policy?: Policy;
    readonly adopt?: { readonly id: string } | { readonly name: string };
    readonly deletionPolicy?: 'Delete';
  };
  /** Statuses are written with anything in between, too. */
  readonly slowStatus?: true;
  /** Another resource, older than this one, claims all that it has. */
  readonly rival?: true;
}

const uuid = (number: number): string => `2b97ba2c-4e0f-4f5d-9c1a-00000000000${number}`;
const runSpec = { jobID: uuid(1), clusterID: uuid(2), retries: 1 };

const kinds = {
  cluster: { kind: clusterKind, spec: clusterSpec },
  named: { kind: clusterKind, spec: { ...clusterSpec, name: 'etl' } },
  template: { kind: nodeGroupTemplateKind, spec: templateSpec },
  run: { kind: jobExecutionKind, spec: runSpec },
  repeatable: { kind: jobExecutionKind, spec: { ...runSpec, onUnknown: 'Retry' } },
};

export interface Checked extends Exploration {
  /** States whose end was looked at, each with and without the requests that were still on their way. */
  readonly ends: number;
  readonly stuck: string | undefined;
}

/** What holds in every state of a scenario. */
const settingsOf = ({ bounds, more = {}, slowStatus, rival }: Scenario) =>
  ({
    promptStatus: slowStatus === undefined,
    vanishing: bounds.vanishings !== undefined,
    policies: policiesFor(more, bounds),
    hostile: rival ? 'rival' : bounds.forgeries || bounds.mirrors ? 'coveted' : undefined,
  }) as const;

const isShared = ({ bounds }: Scenario): boolean => bounds.selections !== undefined;

/** Who may refer to it is asked only where somebody does. */
const hasReferrer = ({ bounds }: Scenario): boolean => bounds.referrals !== undefined;

/**
 * Whether the other scenario contains this one: under the same rules, and from the same state, anything may happen at least as often. Its
 * states then are states of the other, with more left that may happen.
 */
export function isWithin(one: Scenario, other: Scenario): boolean {
  const [rules, otherRules] = [one, other].map((scenario) =>
    JSON.stringify([
      scenario.kind,
      scenario.replicas,
      scenario.more,
      settingsOf(scenario),
      hasReferrer(scenario),
      isShared(scenario),
    ]),
  );
  const chances = Object.entries(one.bounds) as [keyof Bounds, number][];
  return rules === otherRules && chances.every(([chance, most]) => most <= (other.bounds[chance] ?? 0));
}

/** The state in which a scenario begins. */
export function begin(scenario: Scenario) {
  const { kind: name, replicas, bounds } = scenario;
  const { kind, spec: own } = kinds[name];
  const spec = { ...own, ...(isShared(scenario) && sharing), ...scenario.more };
  const others = hasReferrer(scenario) ? [referringKind] : [];
  const rules = createRules(kind, others, { lag: 1, ...settingsOf(scenario) });
  return { rules, first: firstWorld(rules, spec, { bounds: { ...nothing, ...bounds }, replicas }) };
}

/** `samples`: of how many states the end is looked at. Without a counterexample all states were seen. */
export async function check(scenario: Scenario, samples: number): Promise<Checked> {
  const { rules, first } = begin(scenario);
  const bounds = first.left;
  const sample = new Sample(samples);
  const exploration = await explore({ rules, first, visit: (world) => sample.add(world) });
  const { counterexample } = exploration;
  if (counterexample) return { ...exploration, ends: 0, stuck: undefined };
  for (const world of sample.worlds) {
    for (const late of [true, false]) {
      const why = await stuck(rules, world, { late, bounds });
      if (why !== undefined) return { ...exploration, ends: 0, stuck: `${why}, from ${JSON.stringify(world)}` };
    }
  }
  return { ...exploration, ends: sample.worlds.length, stuck: undefined };
}

/** At most so many, evenly over all that come, however many these are. */
class Sample {
  readonly #most: number;
  #every = 1;
  #seen = 0;
  worlds: readonly World[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(world: World): void {
    if (this.#seen % this.#every === 0) this.worlds = [...this.worlds, world];
    this.#seen += 1;
    if (this.worlds.length <= this.#most) return;
    this.worlds = this.worlds.filter((_world, index) => index % 2 === 0);
    this.#every *= 2;
  }
}

export function wordsOf({ kind, replicas, bounds, more, slowStatus, rival }: Scenario): string {
  const limits = Object.entries(bounds).map(([name, count]) => `${count} ${name}`);
  const has = more === undefined ? '' : ` with ${JSON.stringify(more)}`;
  return `${kind}${has}, ${replicas} replica${replicas === 1 ? '' : 's'}: ${limits.join(', ')}${slowStatus ? ', slow statuses' : ''}${rival ? ', a rival' : ''}`;
}
