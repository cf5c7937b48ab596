// Bugs in what becomes of the revisions of a template, which the exhaustive check must find: R is a revision that is missing.
import type { Bug } from './bug.ts';
import { next } from './protocol-bugs.ts';

const referrersListed = { of: 'list-referrers', awaited: false, sentAt: 0, at: 0 } as const;
const referred = { kind: 'template', replicas: 1, bounds: { edits: 1, referrals: 1 } } as const;

export const revisionBugs: readonly Bug[] = [
  {
    name: 'former revisions are collected by the list that the plan was made from',
    breaks: 'R',
    suite: { world: { ...referred, bounds: { ...referred.bounds, delays: 1 } } },
    plant: next((step, real) =>
      step.plan.action === 'collect'
        ? real({ ...step, input: { ...step.input, referencedIds: new Set() } })
        : real(step),
    ),
  },
  {
    name: 'former revisions are collected without a later list',
    breaks: 'R',
    suite: { world: referred },
    plant: next((step, real) =>
      step.plan.action === 'collect' && step.trail.length === 0
        ? real({ ...step, trail: [referrersListed] })
        : real(step),
    ),
  },
  {
    name: 'a create that is under way is no reference',
    breaks: 'R',
    suite: { world: referred },
    plant: next((step, real) =>
      real({
        ...step,
        trail: step.trail.map((one) => (one.of === 'list-referrers' ? { ...one, awaited: false } : one)),
      }),
    ),
  },
  {
    name: 'a create is sent although the template moved on',
    breaks: 'R',
    suite: { world: referred },
    plant: { 'references.leadElsewhere': () => () => false },
  },
  {
    name: 'a former revision is used again although it is perhaps being deleted',
    breaks: 'R',
    suite: { world: { kind: 'template', replicas: 1, bounds: { edits: 2, losses: 1 } } },
    plant: next((step, real) =>
      step.plan.action === 'collect' && step.plan.switched && step.trail.length === 0
        ? { effect: 'record', ledger: step.plan.switched.ledger }
        : real(step),
    ),
  },
  {
    name: 'Ready is said of a content that was edited while a former one was collected',
    breaks: 'I8',
    suite: { world: { kind: 'template', replicas: 1, bounds: { edits: 2 } } },
    plant: next((step, real) => {
      const { facts } = step.input;
      const generation = step.plan.action === 'collect' ? step.plan.generation : facts.generation;
      return real({ ...step, input: { ...step.input, facts: { ...facts, generation } } });
    }),
  },
  {
    name: 'the former revision goes before the other one is there',
    breaks: 'I4',
    suite: { world: { kind: 'template', replicas: 1, bounds: { edits: 1 } } },
    plant: next((step, real) => {
      const former = step.ledger?.claims.find((one) => one.role === 'main')?.id;
      return step.plan.action === 'create' && step.trail.length === 0 && former !== undefined
        ? { effect: 'delete', id: former }
        : real(step);
    }),
  },
];
