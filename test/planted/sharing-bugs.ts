// Bugs around namespaces that a SharedConnection does not select.
import type { underPolicy } from '../../src/operator/reconcile/plan/policy.ts';
import type { sharingProblem } from '../../src/operator/reconcile/resource/sharing.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';

const world = { kind: 'template', replicas: 1, bounds: { selections: 2, edits: 1 } } as const;

export const sharingBugs: readonly Bug[] = [
  {
    name: 'what was made before its namespace was unselected is still written',
    breaks: 'I21',
    suite: { world },
    plant: replacing<typeof underPolicy>(
      'policy.underPolicy',
      (real) => (input, plan) => real(Object.create(input, { notAllowed: { value: undefined } }), plan),
    ),
  },
  {
    name: 'what a namespace makes that was never selected',
    breaks: 'I21',
    suite: { world },
    plant: replacing<typeof sharingProblem>('sharing.sharingProblem', () => () => undefined),
  },
];
