// Whether it is the occasion of a rule, and the chance that decides about rates. PURE.
import { createSeededRandom } from '../records/identifiers.ts';
import type { Occasion } from './personality.ts';

/** How often a rule matched, and how often it applied. */
export interface Tally {
  readonly met: number;
  readonly applied: number;
}

/** The same number in [0, 1) for the same seed, rule and match. */
export function chanceOf(seed: number, rule: number, match: number): number {
  return createSeededRandom(seed + 104_729 * rule + 15_485_863 * match).next();
}

/** `met` counts this match, too. */
export function isOccasion(rule: Occasion, { met, applied }: Tally, chance: number): boolean {
  if (applied >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
  if (rule.nth !== undefined) return met === rule.nth;
  if (rule.every !== undefined) return met % rule.every === 0;
  return rule.rate === undefined || chance < rule.rate;
}
