// What a status is made from.

import type { KeyMemory } from '../key-memory.ts';
import type { AnyKind, RemoteObject } from '../kind.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Outcome } from '../outcome.ts';
import type { Now } from '../plan-input.ts';
import type { ResourceFacts } from '../resource/facts.ts';
import type { Resolution } from '../resource/references.ts';

export interface PassResult {
  readonly kind: AnyKind;
  readonly facts: ResourceFacts;
  readonly outcome: Outcome;
  readonly ledger: Ledger | undefined;
  readonly remote: RemoteObject | undefined;
  readonly resolutions: readonly Resolution[];
  readonly memory: Readonly<KeyMemory>;
  readonly now: Now;
}
