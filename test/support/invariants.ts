// Invariants of docs/concepts/protocol.md, judged on plain data. The exhaustive check, the simulator and the fault grid share them: each
// gathers what was sent, written and seen in its own way, and asks here what is broken. The tests of the kinds judge requests by what the
// API server has, as a stranger would, and have rules of their own.
import { isRefused, type Ledger, openAttempts } from '../../src/operator/reconcile/ledger/ledger.ts';

export interface OwnRow {
  readonly id: string;
  readonly name: string;
  /** It is what a refused create left, or is on its way out. */
  readonly failed: boolean;
}

/** I2: every object of ours belongs to a claim or to an open attempt, is a twin of a recorded object, or is left by a refused create. */
export function belongs(row: OwnRow, claims: Ledger['claims'], rows: readonly Pick<OwnRow, 'id' | 'name'>[]): boolean {
  const claim = claims.find((one) => one.name === row.name);
  if (claim === undefined) return false;
  const twin = rows.some(({ id, name }) => id === claim.id && name === row.name);
  return claim.id === row.id || openAttempts(claim) > 0 || twin || (isRefused(claim) && row.failed);
}

/** I5: no more POSTs of a name may take effect than the ledger has open attempts. */
export function unannounced(name: string, sent: number, claim: Parameters<typeof openAttempts>[0]): string | undefined {
  const open = openAttempts(claim);
  return sent > open ? `${sent} POSTs of ${name} may take effect, and the ledger has ${open} open` : undefined;
}

/** I6: pins never change. Whose the ledger is may be made right once, where it was restored or taken over. */
export function repinned(was: Ledger, is: Ledger): string | undefined {
  const pins = ({ v, endpoint, tenant, base }: Ledger) => JSON.stringify([v, endpoint, tenant, base]);
  return pins(was) === pins(is) ? undefined : `the pins ${pins(was)} become ${pins(is)}`;
}

/** I6: whose the ledger is. */
export function reowned(was: Ledger, is: Ledger): string | undefined {
  const owner = ({ uid, installation }: Ledger) => `${uid} of ${installation}`;
  return owner(was) === owner(is) ? undefined : `the owner ${owner(was)} becomes ${owner(is)}`;
}

interface Told {
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly observedGeneration?: number | undefined;
  }[];
}

/** I8: Ready only for the generation of the spec. */
export function readyTooSoon({ observedGeneration, conditions = [] }: Told, generation: number): string | undefined {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isCurrent = observedGeneration === generation && ready?.observedGeneration === generation;
  return ready?.status !== 'True' || isCurrent
    ? undefined
    : `is Ready for generation ${observedGeneration} of ${generation}`;
}

/** I9: observedGeneration never goes back. */
export function wentBack(was = -1, is = -1): string | undefined {
  return is < was ? `goes from ${was} to ${is}` : undefined;
}
