// What a status is made from.

import type { Memory } from '../key-memory.ts';
import type { AnyKind, RemoteObject } from '../kind.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Outcome } from '../outcome.ts';
import type { Now } from '../plan-input.ts';
import type { Facts } from '../resource/facts.ts';
import type { Resolution } from '../resource/references.ts';

export interface Concluded {
  readonly kind: AnyKind;
  readonly facts: Facts;
  readonly outcome: Outcome;
  readonly ledger: Ledger | undefined;
  readonly remote: RemoteObject | undefined;
  readonly resolutions: readonly Resolution[];
  readonly memory: Readonly<Memory>;
  readonly now: Now;
}
