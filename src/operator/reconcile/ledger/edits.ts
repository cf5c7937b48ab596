// Edits of the ledger as values: attempts opened and closed, ids recorded and forgotten.
import { type Claim, type CreateAttempts, isSameClaim, type Ledger, openAttempts } from './ledger.ts';

function replaceClaim(value: Ledger, changed: Claim): Ledger {
  const claims = value.claims.map((one) => (isSameClaim(one, changed) ? changed : one));
  return { ...value, claims };
}

export function withClaim(value: Ledger, claim: Claim): Ledger {
  const known = value.claims.some((one) => isSameClaim(one, claim));
  return known ? value : { ...value, claims: [...value.claims, claim] };
}

/** Adds the claim, or finds the one of the same name, and opens one more attempt, sent at `at` (ISO 8601) by this process. */
export function openAttempt(value: Ledger, wanted: Claim, at: string, by?: string): Ledger {
  const known = value.claims.find((one) => isSameClaim(one, wanted));
  const base = known ? value : { ...value, claims: [...value.claims, wanted] };
  const opened = { ...(known ?? wanted) };
  return replaceClaim(base, {
    ...opened,
    attempts: { ...opened.attempts, open: openAttempts(known) + 1, lastSentAt: at, ...(by !== undefined && { by }) },
  });
}

function changeClaim(value: Ledger, name: string, change: (known: Claim) => Claim): Ledger {
  const known = value.claims.find((one) => one.name === name);
  return known ? replaceClaim(value, change(known)) : value;
}

function changeAttempts(
  value: Ledger,
  name: string,
  change: (known: CreateAttempts) => Partial<CreateAttempts>,
): Ledger {
  return changeClaim(value, name, (known) =>
    known.attempts ? { ...known, attempts: { ...known.attempts, ...change(known.attempts) } } : known,
  );
}

/** One attempt is known to have ended without an object. */
export function closeAttempt(value: Ledger, name: string): Ledger {
  return changeAttempts(value, name, ({ open }) => ({ open: Math.max(0, open - 1) }));
}

/** The service refused an attempt at `refusedAt` (ISO 8601). */
export function noteRefusal(value: Ledger, name: string, refusedAt: string): Ledger {
  return changeAttempts(value, name, () => ({ refusedAt }));
}

/**
 * The object of the claim is known. Its id closes the attempt that made it: the only open one, or the one whose answer
 * carried the id. Where several are open, the others may still take effect and stay open.
 */
export function recordId(value: Ledger, name: string, id: string): Ledger {
  return changeClaim(countPlan(value), name, ({ attempts: before, ...rest }) => {
    const open = (before?.open ?? 0) - 1;
    return open > 0 && before ? { ...rest, id, attempts: { ...before, open } } : { ...rest, id };
  });
}

/**
 * The object was found while several attempts were open: any of them may have made it, so all stay open. What is open beside an object that is on
 * record already is another attempt.
 */
export function recordFoundId(value: Ledger, name: string, id: string): Ledger {
  const known = value.claims.find((one) => one.name === name);
  if (known?.id === id) return countPlan(value);
  return openAttempts(known) <= 1
    ? recordId(value, name, id)
    : changeClaim(countPlan(value), name, (one) => ({ ...one, id }));
}

/** The object of the claim is gone, or never existed. */
export function dropClaims(value: Ledger, names: readonly string[]): Ledger {
  return { ...value, claims: value.claims.filter((one) => !names.includes(one.name)) };
}

/**
 * The recorded object is gone. Its name stays pinned, so that a copy of the ledger is not taken for the only one; attempts may still be open.
 * One that was adopted had a name that the operator gives to none.
 */
export function forgetId(value: Ledger, name: string): Ledger {
  if (value.claims.some((one) => one.name === name && one.origin === 'adopted')) return dropClaims(value, [name]);
  return changeClaim(value, name, ({ id: _gone, ...rest }) => rest);
}

/** It took effect. */
export function closeChange(value: Ledger): Ledger {
  return value.change?.counted ? dropChange(value) : countPlan(dropChange(value));
}

/** Another request is due. The change stays on record, because what it asked for tells what is still to be done. */
export function countChange(value: Ledger): Ledger {
  return value.change ? { ...countPlan(value), change: { ...value.change, counted: true } } : value;
}

/** It surely has none. */
export function dropChange(value: Ledger): Ledger {
  const { change: _undone, ...rest } = value;
  return rest as Ledger;
}

function countPlan(value: Ledger): Ledger {
  return value.plans === undefined ? value : { ...value, plans: value.plans + 1 };
}
