// Bugs around objects that the service's lists lack for a while: given up too soon, they are nobody's when they come back.
import type { Bug } from './bug.ts';
import { closed, next } from './protocol-bugs.ts';

export const lossBugs: readonly Bug[] = [
  {
    name: 'a name that is taken ends the attempt, whether a list shows what holds it or not',
    breaks: 'I2',
    suite: { tests: 'operator/reconcile/protocol/create-answers' },
    plant: next((step, real) => {
      const post = step.trail.find((one) => one.of === 'post');
      const taken = post !== undefined && 'error' in post && post.error.nameTaken;
      const effect = real(step);
      return taken && step.trail.at(-1)?.of === 'observe' && effect.effect === 'done' ? closed(step) : effect;
    }),
  },
  {
    name: 'what two lists lack is forgotten without being asked for',
    breaks: 'I2',
    suite: { tests: 'operator/reconcile/protocol/single' },
    plant: next((step, real) =>
      step.plan.action === 'forget' && step.trail.length === 0
        ? { effect: 'close', ledger: step.plan.ledger }
        : real(step),
    ),
  },
  {
    name: 'what cannot be asked for is forgotten',
    breaks: 'I2',
    suite: { tests: 'operator/reconcile/protocol/single' },
    plant: next((step, real) => {
      const last = step.trail.at(-1);
      return step.plan.action === 'forget' && last?.of === 'get-by-id' && !last.row
        ? { effect: 'close', ledger: step.plan.ledger }
        : real(step);
    }),
  },
];
