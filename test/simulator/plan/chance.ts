// Chance that depends on nothing but a seed and what is asked: leaving one question out changes no other answer. PURE.
import type { Random } from '../../../src/lib/ports.ts';
import { createSeededRandom } from '../../../src/service/model/records/identifiers.ts';

/** 32 bits of a text and a number before. */
export function mix(before: number, text: string): number {
  let hash = before ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** In [0, 1). */
export function chanceOf(seed: number, question: string): number {
  return mix(seed, question) / 2 ** 32;
}

export function randomOf(seed: number, purpose: string): Random {
  return createSeededRandom(mix(seed, purpose));
}

/** What a plan is drawn with. */
export class Dice {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** From `least` to `most`, whole. */
  number(least: number, most: number): number {
    return least + Math.floor(this.#random.next() * (most - least + 1));
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.number(0, from.length - 1)] ?? from[0];
  }

  /** True with this probability. */
  toss(share: number): boolean {
    return this.#random.next() < share;
  }

  times<T>(count: number, make: (index: number) => T): readonly T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
