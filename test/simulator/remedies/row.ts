// One row of the table of reasons and kinds.
import type { Reason } from '../../../src/operator/api/shared-api.ts';
import type { Actor } from '../../gitops/actors.ts';
import type { Hand } from './hand.ts';

export interface Row {
  readonly cause: string;
  readonly kinds: readonly string[];
  /** The service asks for a token. */
  readonly asksForToken?: true;
  /** The object is being deleted: what refers to it reports that, and not the reason. */
  readonly isDeletion?: true;
  /** Brings about the reason, and carries the remedy out: in the end the object works, or is gone. */
  readonly run: (hand: Hand, actor: Actor) => Promise<void>;
}

export type Rows = Partial<Readonly<Record<Reason, readonly Row[]>>>;

export const row = (cause: string, kinds: readonly string[], run: Row['run']): Row => ({ cause, kinds, run });
