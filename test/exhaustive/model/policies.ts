// The policy of the resource, which its user changes; the plans that its status has shown, and those of them that he has approved.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { approvePlanAnnotation } from '../../../src/operator/api/shared-api.ts';
import { canonicalJson } from '../../../src/operator/reconcile/ledger/naming.ts';
import type { PlannedWrite } from '../../../src/operator/reconcile/outcome.ts';
import type { ResourceFacts } from '../../../src/operator/reconcile/resource/facts.ts';
import { adopts } from './adoption.ts';
import { factsOf, newest, respecified, written } from './api-server.ts';
import type { Move } from './moves.ts';
import type { Busy, Call } from './passes.ts';
import { countsOf, rowsOf } from './service.ts';
import { type Bounds, type Rules, spend, type World } from './world.ts';

export type Policy = ResourceFacts['policy'];

interface Policed {
  readonly policy?: Policy;
}

/** What the user of such a resource sets: nothing where its policy never plays a part. */
export function policiesFor(spec: unknown, { policies = 0, approvals = 0 }: Partial<Bounds>): readonly Policy[] {
  const { policy } = spec as Policed;
  if (policies === 0) return [];
  return [...new Set<Policy>(['Manage', policy ?? 'Manage', ...(approvals > 0 ? (['Plan'] as const) : [])])];
}

const policyOf = ({ spec }: RawResource): Policy => (spec as Policed).policy ?? 'Manage';

/** At any time, also while it is being deleted. */
export function policyMoves(rules: Rules, world: World, resource: RawResource): readonly Move[] {
  if (world.left.policies === 0) return [];
  return rules.policies
    .filter((policy) => policy !== policyOf(resource) && (policy !== 'Observe' || adopts(resource.spec)))
    .map((policy) => ({
      label: `the user sets the policy ${policy}`,
      world: withPolicy(rules, spend(world, 'policies'), policy),
    }));
}

export function withPolicy(rules: Rules, world: World, policy: Policy): World {
  const spec = rules.tables.versions.at(newest(world))?.spec as object;
  return respecified(rules, world, { ...spec, policy });
}

/** Of whatever plan was ever shown, however old it is. */
export function approvalMoves(rules: Rules, world: World, resource: RawResource): readonly Move[] {
  if (world.left.approvals === 0) return [];
  return world.shown
    .filter((number) => rules.tables.plans.at(number).hash !== approvedIn(resource))
    .map((number) => ({
      label: `the user approves to ${planWords(rules.tables.plans.at(number))}`,
      world: approved(rules, spend(world, 'approvals'), number),
    }));
}

const approvedIn = ({ metadata }: RawResource): string | undefined => metadata.annotations?.[approvePlanAnnotation];

const planWords = ({ verb, object, changes = [], hash }: PlannedWrite): string =>
  [verb, object, ...(verb === 'Scale' ? changes.map(({ from, to }) => `from ${from} to ${to}`) : []), hash].join(' ');

function approved(rules: Rules, world: World, number: number): World {
  const resource = rules.tables.versions.at(newest(world));
  if (!resource) return world;
  const annotations = {
    ...resource.metadata.annotations,
    [approvePlanAnnotation]: rules.tables.plans.at(number).hash,
  };
  const after = { ...resource, metadata: { ...resource.metadata, annotations } };
  const granted = withNumber(world.granted, number);
  const shown = world.left.approvals === 0 ? [] : world.shown;
  return written(rules, { ...world, granted, shown }, after);
}

/** In the same order, however they came. */
const withNumber = (numbers: readonly number[], number: number): readonly number[] =>
  [...new Set([...numbers, number])].sort((one, other) => one - other);

/** The plan that waits, unless it was approved. */
export function pendingPlan(rules: Rules, world: World): number | undefined {
  const resource = rules.tables.versions.at(newest(world));
  const plan = resource && planIn(resource);
  if (!plan || policyOf(resource) !== 'Plan' || plan.hash === approvedIn(resource)) return undefined;
  return rules.tables.plans.numberOf(plan);
}

/** Its user approves what waits. */
export function approvedAtLast(rules: Rules, world: World): World {
  const number = pendingPlan(rules, world);
  return number === undefined ? world : approved(rules, world, number);
}

const planIn = ({ status }: RawResource): PlannedWrite | undefined =>
  (status as { readonly plan?: PlannedWrite } | undefined)?.plan;

/** What a write to the API server tells the user, or says that was carried out. */
export function noted(rules: Rules, before: World, after: World, busy: Busy): World {
  if (before === after) return after;
  switch (busy.call.call) {
    case 'status': {
      const resource = rules.tables.versions.at(newest(after));
      const plan = resource && planIn(resource);
      if (!plan || after.left.approvals === 0) return after;
      return { ...after, shown: withNumber(after.shown, rules.tables.plans.numberOf(plan)) };
    }
    case 'claim':
      return spent(rules, before, after, busy);
    case 'release':
      return freed(rules, before, after);
    default:
      return after;
  }
}

/** What is only observed is left as it is. */
function freed(rules: Rules, before: World, after: World): World {
  const facts = factsOf(rules, newest(before));
  return facts?.policy === 'Observe' ? { ...after, freed: [...after.freed, facts.resource.metadata.uid] } : after;
}

/** An approval is good for one write: it is over once the ledger records that the object is there, has its counts, or is to get others. */
function spent(rules: Rules, before: World, after: World, busy: Busy): World {
  if (after.granted.length === 0) return after;
  const [was, is] = [before, after].map((world) => {
    const ledger = factsOf(rules, newest(world))?.ledger;
    return ledger?.state === 'ours' ? ledger.ledger : undefined;
  });
  const isCarriedOut = ({ verb, object }: PlannedWrite): boolean => {
    if (verb === 'Create') {
      const named = (ledger: typeof is) => ledger?.claims.find(({ name }) => object.endsWith(` ${name}`));
      return named(was)?.id === undefined && named(is)?.id !== undefined;
    }
    if (verb !== 'Scale' || was?.change === undefined || was.change.counted) return false;
    if (is?.change !== undefined) return is.change.counted === true;
    const rows = busy.seen === undefined ? [] : rules.tables.rows.at(busy.seen);
    const row = rows.find(({ id }) => object.endsWith(`(${id})`));
    const counts = countsOf({ node_groups: row?.node_groups ?? [] });
    return Object.entries(was.change.target).every(([name, count]) => counts[name] === count);
  };
  return { ...after, granted: after.granted.filter((number) => !isCarriedOut(rules.tables.plans.at(number))) };
}

/** The user has approved just this, as he was shown it, and it was not carried out yet. */
export function isApproved(rules: Rules, world: World, { approvedPlan }: ResourceFacts, call: Call): boolean {
  return world.granted
    .map((number) => rules.tables.plans.at(number))
    .some((plan) => plan.hash === approvedPlan && tells(rules, world, plan, call));
}

function tells(rules: Rules, world: World, { verb, object, changes = [] }: PlannedWrite, call: Call): boolean {
  switch (call.call) {
    case 'post': {
      if (rules.kind.identity === 'once') return verb === 'Create' && canonicalJson(changes).includes(call.body.name);
      const sends = Object.entries(call.body).filter(([, value]) => value !== undefined);
      const isTold = ([path, value]: [string, unknown]): boolean =>
        changes.some(
          (one) => one.path === path && one.to === (typeof value === 'string' ? value : canonicalJson(value)),
        );
      return verb === 'Create' && sends.length === changes.length && sends.every(isTold);
    }
    case 'put': {
      const counts = Object.entries(countsOf(call.body));
      const isTold = ([name, count]: [string, number]): boolean =>
        changes.some(({ path, to }) => path.includes(`[${name}]`) && to === `${count}`);
      return (
        verb === 'Scale' && object.endsWith(`(${call.id})`) && counts.length === changes.length && counts.every(isTold)
      );
    }
    case 'delete': {
      const name = rowsOf(rules, world).find(({ id }) => id === call.id)?.name;
      return verb === 'Delete' && [call.id, name].some((word) => word !== undefined && object.includes(word));
    }
    default:
      return false;
  }
}
