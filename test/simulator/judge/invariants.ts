// What must hold at every step of every world, and which happenings can break it.
import type { Invariant } from './facts.ts';
import type { Happening } from './happening.ts';
import { I17 } from './invariants-counts.ts';
import { I1, I2, I6, I7, I8, I9 } from './invariants-objects.ts';
import { I15 } from './invariants-runs.ts';
import { I16 } from './invariants-schedules.ts';
import { I3, I4, I5, I10, I11, I12, I13, I14 } from './invariants-writes.ts';
import { I18, I19, I20, I21 } from './suspensions.ts';

type Kind = Happening['is'];

interface Judged {
  readonly judge: Invariant;
  readonly by: readonly [Kind, ...Kind[]];
}

export const invariants: Readonly<Record<string, Judged>> = {
  I1: { judge: I1, by: ['service changed'] },
  I2: { judge: I2, by: ['kubernetes changed', 'service changed'] },
  I3: { judge: I3, by: ['service sent'] },
  I4: { judge: I4, by: ['service sent'] },
  I5: { judge: I5, by: ['service sent'] },
  I6: { judge: I6, by: ['kubernetes changed'] },
  I7: { judge: I7, by: ['kubernetes changed', 'service sent'] },
  I8: { judge: I8, by: ['kubernetes changed'] },
  I9: { judge: I9, by: ['kubernetes changed'] },
  I10: { judge: I10, by: ['service sent'] },
  I11: { judge: I11, by: ['kubernetes sent', 'said'] },
  I12: { judge: I12, by: ['kubernetes sent', 'service sent'] },
  I13: { judge: I13, by: ['service sent'] },
  I14: { judge: I14, by: ['said'] },
  I15: { judge: I15, by: ['service sent', 'service changed'] },
  I17: { judge: I17, by: ['service sent', 'kubernetes changed'] },
  I18: { judge: I18, by: ['service sent'] },
  I19: { judge: I19, by: ['service sent'] },
  I20: { judge: I20, by: ['service sent'] },
  I21: { judge: I21, by: ['service sent'] },
  I16: { judge: I16, by: ['kubernetes sent', 'kubernetes changed'] },
};

const all = Object.entries(invariants);
const concerned = (kind: Kind) => all.filter(([, { by }]) => by.includes(kind));

/** The invariants that a happening can break. */
export const judgesOf: Readonly<Record<Kind, readonly (readonly [string, Judged])[]>> = {
  'kubernetes sent': concerned('kubernetes sent'),
  'kubernetes read': concerned('kubernetes read'),
  'kubernetes changed': concerned('kubernetes changed'),
  'service sent': concerned('service sent'),
  'service settled': concerned('service settled'),
  'service changed': concerned('service changed'),
  said: concerned('said'),
};
