// Bugs that are planted in the protocol, one at a time: the check finds each, or it would find no other either.
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Effect } from '../../src/reconcile/effects.ts';
import type * as ledgers from '../../src/reconcile/ledger.ts';
import { closeAttempt, type Ledger, openAttempts, type recordId } from '../../src/reconcile/ledger.ts';
import type * as protocol from '../../src/reconcile/protocol.ts';
import { ledgerOf, type Step } from '../../src/reconcile/step.ts';
import { check } from './check.ts';
import type { Bounds } from './world.ts';

type Next = typeof protocol.next;
type RecordId = typeof recordId;

interface Bug {
  readonly name: string;
  readonly found: string;
  readonly replicas: number;
  readonly bounds: Partial<Bounds>;
  readonly next?: (step: Step, real: Next) => ReturnType<Next>;
  readonly recordId?: RecordId;
  readonly recordFoundId?: RecordId;
}

const planted = vi.hoisted((): { bug: Bug | undefined } => ({ bug: undefined }));

vi.mock('../../src/reconcile/protocol.ts', async (load) => {
  const real = await load<typeof protocol>();
  return { next: (step: Step) => planted.bug?.next?.(step, real.next) ?? real.next(step) };
});

vi.mock('../../src/reconcile/ledger.ts', async (load) => {
  const real = await load<typeof ledgers>();
  const recording: RecordId = (...of) => (planted.bug?.recordId ?? real.recordId)(...of);
  const found: RecordId = (...of) => (planted.bug?.recordFoundId ?? real.recordFoundId)(...of);
  return { ...real, recordId: recording, recordFoundId: found };
});

const lastError = ({ trail }: Step) => {
  const last = trail.at(-1);
  return last?.of === 'post' && 'error' in last ? last.error : undefined;
};

const closed = (step: Step): Effect => ({
  effect: 'close',
  ledger: closeAttempt(ledgerOf(step), ledgerOf(step).claims[0]?.name ?? ''),
});

const withClaims = (ledger: Ledger, change: (claim: Ledger['claims'][number]) => Ledger['claims'][number]): Ledger => ({
  ...ledger,
  claims: ledger.claims.map(change),
});

/** All attempts are taken for ended. */
const closeAll: RecordId = (ledger, _name, id) =>
  withClaims(ledger, ({ attempts: _all, ...claim }) => ({ ...claim, id }));

const bugs: readonly Bug[] = [
  {
    name: 'the intent is written without an attempt',
    found: 'I5',
    replicas: 1,
    bounds: {},
    next: (step, real) => {
      const effect = real(step);
      if (effect.effect !== 'pin-and-intend') return effect;
      const none = { open: 0, lastSentAt: '' };
      return { ...effect, ledger: withClaims(effect.ledger, (claim) => ({ ...claim, attempts: none })) };
    },
  },
  {
    name: 'a POST whose answer was lost is sent again',
    found: 'I5',
    replicas: 1,
    bounds: { losses: 1 },
    next: (step, real) =>
      lastError(step)?.certainty === 'open' && step.plan.action === 'create'
        ? { effect: 'post', body: step.plan.body }
        : real(step),
  },
  {
    name: 'a lost answer is taken for a refusal',
    found: 'I2',
    replicas: 1,
    bounds: { losses: 1 },
    next: (step, real) => (lastError(step)?.certainty === 'open' ? closed(step) : real(step)),
  },
  {
    name: 'one list that lacks it closes any attempt',
    found: 'I5',
    replicas: 1,
    bounds: { losses: 1 },
    next: (step, real) => {
      const effect = real(step);
      const looked = step.plan.action === 'create' && step.trail.at(-1)?.of === 'observe' && step.trail.length > 1;
      return looked && effect.effect === 'done' ? closed(step) : effect;
    },
  },
  {
    name: 'a POST is sent however long its intent took',
    found: 'I7',
    replicas: 2,
    bounds: { deletions: 1, ticks: 2 },
    next: (step, real) =>
      step.plan.action === 'create' && step.trail.at(-1)?.of === 'pin-and-intend'
        ? { effect: 'post', body: step.plan.body }
        : real(step),
  },
  {
    name: 'the finalizer goes before the quarantine is over',
    found: 'I7',
    replicas: 1,
    bounds: { losses: 1, deletions: 1 },
    next: (step, real) => {
      const effect = real(step);
      const waits = effect.effect === 'done' && effect.outcome.result === 'waiting' && effect.outcome.on === 'time';
      return waits ? { effect: 'release' } : effect;
    },
  },
  {
    name: 'a list from before the end of the quarantine allows the release',
    found: 'I7',
    replicas: 1,
    bounds: { losses: 1, deletions: 1, ticks: 2, delays: 1 },
    next: (step, real) => {
      const { view, now } = step.situation;
      const forged = view?.listSentAt === undefined ? view : { ...view, listSentAt: now.monotonic };
      return real({ ...step, situation: { ...step.situation, view: forged } });
    },
  },
  {
    name: 'DELETE goes to what bears the name of the resource',
    found: 'I3',
    replicas: 1,
    bounds: { deletions: 1, strangers: 1 },
    next: (step, real) => {
      const effect = real(step);
      const { view, facts } = step.situation;
      const [named] = view?.byName(facts.key.name) ?? [];
      return effect.effect === 'delete' && named ? { ...effect, id: named.id } : effect;
    },
  },
  {
    name: 'every attempt gives a name of its own',
    found: 'I6',
    replicas: 1,
    bounds: { losses: 1 },
    next: (step, real) => {
      const effect = real(step);
      if (effect.effect !== 'pin-and-intend') return effect;
      const again = withClaims(effect.ledger, (claim) => ({ ...claim, name: `${claim.name}${openAttempts(claim)}` }));
      return openAttempts(effect.ledger.claims[0]) > 1 ? { ...effect, ledger: again } : effect;
    },
  },
  {
    name: 'an object that was found closes all attempts',
    found: 'I5',
    replicas: 2,
    bounds: { losses: 1 },
    recordFoundId: closeAll,
  },
  {
    name: 'an answer closes the attempts of others, too',
    found: 'I5',
    replicas: 2,
    bounds: {},
    recordId: closeAll,
  },
  {
    name: 'Ready is said of what was not looked at',
    found: 'I8',
    replicas: 1,
    bounds: {},
    next: (step, real) => {
      const effect = real(step);
      return effect.effect === 'done' && effect.outcome.result === 'progressed'
        ? { ...effect, outcome: { result: 'settled' } }
        : effect;
    },
  },
  {
    name: 'DELETE of what nobody deletes',
    found: 'I4',
    replicas: 1,
    bounds: {},
    next: (step, real) => {
      const effect = real(step);
      const id = step.ledger?.claims[0]?.id;
      return effect.effect === 'record' && id === undefined
        ? { effect: 'delete', id: effect.ledger.claims[0]?.id ?? '' }
        : effect;
    },
  },
];

describe('the check finds', () => {
  const found: string[] = [];

  test.each(bugs.map((bug) => [bug.name, bug] as const))('%s', { timeout: 240_000 }, async (name, bug) => {
    planted.bug = bug;
    const { counterexample } = await check({ kind: 'cluster', replicas: bug.replicas, bounds: bug.bounds }, 0);
    expect(counterexample?.broken).toMatch(new RegExp(`^${bug.found}: `));
    found.push(name);
  });

  afterAll(() => console.info(`${found.length} of ${bugs.length} planted bugs were found`));
});
