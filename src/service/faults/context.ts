// Decides whether a rule applies. PURE.
import { createSeededRandom } from '../records/identifiers.ts';
import type { RuleCondition } from './personality.ts';

/** How often a rule matched, and how often it applied. */
export interface Tally {
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
