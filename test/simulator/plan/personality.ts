// Draws how the service behaves while something is wrong with it.
import type { Personality } from '../../../dev/personality/personality.ts';
import type { Dice } from './chance.ts';
import { shares } from './plan.ts';

export const shapes = ['service', 'framework', 'identity', 'tenant', 'proxy'] as const;
export const personalities = 14;

export function refusingIn(dice: Dice, shape: (typeof shapes)[number]): Personality {
  const status = dice.pick([400, 401, 403, 404, 409, 500, 503]);
  const rate = dice.pick([0.2, 0.5, 1]);
  return {
    seed: dice.number(0, 1_000_000),
    faults: [{ name: `shape ${shape}`, rate, answer: { is: 'refusal', status, shape } }],
  };
}

export function drawPersonality(dice: Dice, which = dice.number(0, personalities - 1)): Personality {
  const seed = dice.number(0, 1_000_000);
  const rate = dice.pick(shares);
  switch (which) {
    case 0:
      return {
        seed,
        faults: [
          {
            name: 'error after insert',
            method: 'POST',
            rate,
            work: 'done',
            answer: { is: 'refusal', status: 502, shape: 'proxy' },
          },
        ],
      };
    case 1:
      return refusingIn(dice, dice.pick(shapes));
    case 2:
      return {
        seed,
        faults: [
          {
            name: 'refused create',
            method: 'POST',
            rate,
            answer: { is: 'refusal', status: dice.pick([400, 409, 500]) },
          },
        ],
      };
    case 3:
      return {
        seed,
        faults: [
          {
            name: 'error row',
            method: 'POST',
            path: 'clusters',
            rate,
            work: 'error-row',
            answer: { is: 'refusal', status: 400 },
          },
        ],
      };
    case 4:
      return {
        seed,
        faults: [
          { name: 'too many requests', rate, answer: { is: 'refusal', status: 429, retryAfter: dice.number(1, 10) } },
        ],
      };
    case 5:
      return { seed, faults: [{ name: 'text', rate, answer: { is: 'text' } }] };
    case 6:
      return { seed, faults: [{ name: 'truncated', rate, answer: { is: dice.pick(['truncated', 'cut']) } }] };
    case 7:
      return { listLagMs: dice.number(1_000, 15_000) };
    case 8:
      return { names: { freed: 'early' } };
    case 9:
      return { names: { freed: 'late', ms: dice.number(1_000, 30_000) } };
    case 10:
      return {
        clusters: [{ name: 'stuck', status: dice.pick(['Waiting', 'Configuring', 'Deleting']), does: 'stuck' }],
      };
    case 11:
      return {
        seed,
        clusters: [
          {
            name: 'failed scale',
            operation: 'scale',
            status: dice.pick(['Validating', 'Scaling']),
            rate: Math.max(rate, 0.5),
            does: 'fail',
          },
        ],
      };
    case 12:
      return { statusWords: { Configuring: 'Humming', Waiting: 'Dozing' } };
    default:
      return {
        seed,
        clusters: [
          { name: 'failed delete', operation: 'delete', status: 'Deleting', rate: Math.max(rate, 0.5), does: 'fail' },
        ],
      };
  }
}
