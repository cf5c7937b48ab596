// Bugs of the step machine that the exhaustive check must find: in every state of a small world, the shortest way to a broken one.

import { closeAttempt, type recordId } from '../../src/operator/reconcile/ledger/edits.ts';
import { type Ledger, openAttempts } from '../../src/operator/reconcile/ledger/ledger.ts';
import type * as own from '../../src/operator/reconcile/ownership/ownership.ts';
import type { nextTry } from '../../src/operator/reconcile/plan/change-tries.ts';
import type { Effect } from '../../src/operator/reconcile/protocol/effects.ts';
import type * as protocol from '../../src/operator/reconcile/protocol/protocol.ts';
import { ledgerOf, type Step } from '../../src/operator/reconcile/protocol/step.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';

type Next = typeof protocol.next;
type RecordId = typeof recordId;

export const next = (bug: (step: Step, real: Next) => ReturnType<Next>) => ({
  'protocol.next': (real: Next) => (step: Step) => bug(step, real),
});

const lastError = ({ trail }: Step) => {
  const last = trail.at(-1);
  return last?.of === 'post' && 'error' in last ? last.error : undefined;
};

export const closed = (step: Step): Effect => ({
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

const byName: typeof own.ownObjects = ({ view }, { name }) => view?.byName(name) ?? [];

export const protocolBugs: readonly Bug[] = [
  {
    name: 'a try counts although its process ended before it was sent',
    breaks: 'T',
    suite: { world: { replicas: 1, bounds: { edits: 1, crashes: 1 } } },
    plant: replacing<typeof nextTry>('change-tries.nextTry', (real) => (...of) => {
      const { doubts, ...one } = real(...of);
      return doubts === undefined ? one : { ...one, tries: one.tries + 1 };
    }),
  },
  {
    name: 'the intent is written without an attempt',
    breaks: 'I5',
    suite: { world: { replicas: 1, bounds: {} } },
    plant: next((step, real) => {
      const effect = real(step);
      if (effect.effect !== 'pin-and-intend') return effect;
      const none = { open: 0, lastSentAt: '' };
      return { ...effect, ledger: withClaims(effect.ledger, (claim) => ({ ...claim, attempts: none })) };
    }),
  },
  {
    name: 'a POST whose answer was lost is sent again',
    breaks: 'I5',
    suite: { world: { replicas: 1, bounds: { losses: 1 } } },
    plant: next((step, real) =>
      lastError(step)?.certainty === 'open' && step.plan.action === 'create'
        ? { effect: 'post', body: step.plan.body }
        : real(step),
    ),
  },
  {
    name: 'a lost answer is taken for a refusal',
    breaks: 'I2',
    suite: { world: { replicas: 1, bounds: { losses: 1 } } },
    plant: next((step, real) => (lastError(step)?.certainty === 'open' ? closed(step) : real(step))),
  },
  {
    name: 'one list that lacks it closes any attempt',
    breaks: 'I5',
    suite: { world: { replicas: 1, bounds: { losses: 1 } } },
    plant: next((step, real) => {
      const effect = real(step);
      const looked = step.plan.action === 'create' && step.trail.at(-1)?.of === 'observe' && step.trail.length > 1;
      return looked && effect.effect === 'done' ? closed(step) : effect;
    }),
  },
  {
    name: 'a POST is sent however long its intent took',
    breaks: 'I7',
    suite: { world: { replicas: 2, bounds: { deletions: 1, ticks: 2 } } },
    plant: next((step, real) =>
      step.plan.action === 'create' && step.trail.at(-1)?.of === 'pin-and-intend'
        ? { effect: 'post', body: step.plan.body }
        : real(step),
    ),
  },
  {
    name: 'the finalizer goes before the quarantine is over',
    breaks: 'I7',
    suite: { world: { replicas: 1, bounds: { losses: 1, deletions: 1 } } },
    plant: next((step, real) => {
      const effect = real(step);
      const waits = effect.effect === 'done' && effect.outcome.result === 'waiting' && effect.outcome.on === 'time';
      return waits ? { effect: 'release' } : effect;
    }),
  },
  {
    name: 'a list from before the end of the quarantine allows the release',
    breaks: 'I7',
    suite: { world: { replicas: 1, bounds: { losses: 1, deletions: 1, ticks: 2, delays: 1 } } },
    plant: next((step, real) => {
      const { view, now } = step.input;
      const forged = view === undefined ? view : { ...view, listSentAt: now.monotonic };
      return real({ ...step, input: { ...step.input, view: forged } });
    }),
  },
  {
    name: 'a DELETE whose answer was lost is taken for the end of the object',
    breaks: 'I7',
    suite: { world: { replicas: 1, bounds: { losses: 1, deletions: 1 } } },
    plant: next((step, real) => (step.trail.at(-1)?.of === 'delete' ? { effect: 'release' } : real(step))),
  },
  {
    name: 'DELETE goes to what bears the name of the resource',
    breaks: 'I3',
    suite: { world: { replicas: 1, bounds: { deletions: 1, strangers: 1 } } },
    plant: next((step, real) => {
      const effect = real(step);
      const { view, facts } = step.input;
      const [named] = view?.byName(facts.key.name) ?? [];
      return effect.effect === 'delete' && named ? { ...effect, id: named.id } : effect;
    }),
  },
  {
    name: 'every attempt gives a name of its own',
    breaks: 'I6',
    suite: { world: { replicas: 1, bounds: { losses: 1 } } },
    plant: next((step, real) => {
      const effect = real(step);
      if (effect.effect !== 'pin-and-intend') return effect;
      const again = withClaims(effect.ledger, (claim) => ({ ...claim, name: `${claim.name}${openAttempts(claim)}` }));
      return openAttempts(effect.ledger.claims[0]) > 1 ? { ...effect, ledger: again } : effect;
    }),
  },
  {
    name: 'an object that was found closes all attempts',
    breaks: 'I5',
    suite: { world: { replicas: 2, bounds: { losses: 1 } } },
    plant: { 'edits.recordFoundId': () => closeAll },
  },
  {
    name: 'an answer closes the attempts of others, too',
    breaks: 'I5',
    suite: { world: { replicas: 2, bounds: {} } },
    plant: { 'edits.recordId': () => closeAll },
  },
  {
    name: 'a claim counts as void while its attempts are open',
    breaks: 'I7',
    suite: { world: { replicas: 1, bounds: { losses: 1, deletions: 1 } } },
    plant: {
      'ledger.isVoid':
        () =>
        ({ id }: Ledger['claims'][number]) =>
          id === undefined,
    },
  },
  {
    name: 'Ready is said of what was not looked at',
    breaks: 'I8',
    suite: { world: { replicas: 1, bounds: {} } },
    plant: next((step, real) => {
      const effect = real(step);
      return effect.effect === 'done' && effect.outcome.result === 'progressed'
        ? { ...effect, outcome: { result: 'settled' } }
        : effect;
    }),
  },
  {
    name: 'Ready is said as soon as a change was accepted',
    breaks: 'I8',
    suite: { world: { replicas: 1, bounds: { edits: 1 } } },
    plant: next((step, real) =>
      step.trail.at(-1)?.of === 'change' ? { effect: 'done', outcome: { result: 'settled' } } : real(step),
    ),
  },
  {
    name: 'what bears a fixed name is taken over without proof',
    breaks: 'I3',
    suite: { world: { kind: 'named', replicas: 1, bounds: { strangers: 1, deletions: 1 } } },
    plant: {
      'ownership.provenOwn': (): typeof own.provenOwn => (_situation, rows) => rows,
      'ownership.ownObjects': (): typeof own.ownObjects => byName,
      'ownership.unprovenObject': (): typeof own.unprovenObject => () => undefined,
    },
  },
  {
    name: 'a cluster of a fixed name is started from no template',
    breaks: 'I2',
    suite: { world: { kind: 'named', replicas: 1, bounds: { losses: 1, deletions: 1, ticks: 2 } } },
    plant: next((step, real) => {
      const effect = real(step);
      if (effect.effect !== 'post' || step.input.kind.identity !== 'named') return effect;
      const { cluster_template_id: _proof, ...body } = effect.body as Record<string, unknown>;
      return { ...effect, body };
    }),
  },
  {
    name: 'DELETE of what nobody deletes',
    breaks: 'I4',
    suite: { world: { replicas: 1, bounds: {} } },
    plant: next((step, real) => {
      const effect = real(step);
      const id = step.ledger?.claims[0]?.id;
      return effect.effect === 'record' && id === undefined
        ? { effect: 'delete', id: effect.ledger.claims[0]?.id ?? '' }
        : effect;
    }),
  },
];
