// What only some lives have in them: what it is drawn from, and when.
import type { Dice } from './chance.ts';
import { busyMs, type Step } from './plan.ts';

/** What a life has so far. */
export interface Living {
  readonly clusters: readonly string[];
}

export interface Made {
  readonly kind: string;
  readonly name: string;
}

export interface Feature {
  readonly steps: readonly Step[];
  /** Made beside what every life has. */
  readonly made: readonly Made[];
}

export type Draw = (dice: Dice, living: Living) => readonly Step[];

export const someTime = (dice: Dice, from = 1_000): number => dice.number(from, busyMs);
