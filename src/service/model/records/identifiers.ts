// Identifiers in UUID form (section 2) and timestamps, from the random source and the clock.
import { createHash } from 'node:crypto';
import type { Clock, Random } from '../../../lib/ports.ts';

const word = (random: Random) => Math.floor(random.next() * 2 ** 32);
const hex = (value: number) => value.toString(16).padStart(8, '0');

/** A random UUID, version 4. */
export function createId(random: Random): string {
  const digits = [word(random), word(random), word(random), word(random)].map(hex).join('');
  const variant = '89ab'[word(random) % 4];
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ];
  return parts.join('-');
}

/** UTC without zone and fractions, as in section 2. */
export const timestamp = (clock: Clock): string => new Date(clock.wall()).toISOString().slice(0, 19);

/** The same sequence for the same seed. Mulberry32 is good enough for a simulation. */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In UUID form. */
export function derivedId(text: string): string {
  const digits = hashOf(text).toString('hex');
  const third = `4${digits.slice(13, 16)}`;
  return [digits.slice(0, 8), digits.slice(8, 12), third, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
