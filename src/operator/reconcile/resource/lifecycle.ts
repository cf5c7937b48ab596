// When an object expires: which deadline of its lifecycle comes first, whether it was announced, and whether it has passed. PURE.
//
//  deadline                  counts from                            passes while it is used   while it is not known whether it is
//  idleDeleteAfterSeconds    the end of the last use, or Ready      no                        no
//  deleteAfterSeconds        when it was first Ready                yes                       yes
//  deleteAt                                                         yes                       yes
//
// Nothing is deleted before its time, whatever goes wrong:
// - The times are recorded in the status. One that is lost begins anew, and one in the future, after the clock was set back, counts as now.
// - A run that came and ended between two passes tells when it ended.
// - While it is used, `lastUsedAt` is absent, so that a process that starts after the end of the use counts from its own first look.
// - A load is read again and again. Where this process has not read one for a while, and so after each start, the quiet time begins anew.
// - The condition Expiring has been in the status, and known to this process, for `noticeMs` by a clock that nobody can set.
// - expiry-limit.ts bounds how many go within some minutes, because the clock of this computer may be wrong.
// - The request names the version of the resource that this was decided for. execute.ts looks once more for a run that has appeared since. A
//   run that begins while the request is on its way holds the deletion until it ends, as that of any cluster (plan-delete.ts).
import type { ExpiryReason } from '../../api/lifecycle.ts';
import { recreateAnnotation } from '../../api/shared-api.ts';
import type { LifecycleSettings } from '../kind/kind.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { canonicalJson, digest } from '../ledger/naming.ts';
import type { ResourceFacts } from './facts.ts';
import { conditionOf } from './read-conditions.ts';

export type Use = 'in use' | 'idle' | 'unknown';

interface BothClocks {
  readonly wall: number;
  readonly monotonic: number;
}

/** What a process knows of the use of an object. */
export interface UseMemory {
  /** It was idle in each observation since then, the last of them at `seenAt` (monotonic). */
  readonly quiet?: { readonly since: BothClocks; readonly seenAt: number } | undefined;
  /** The time that the load bears, and when it was first seen with that (monotonic). */
  readonly load?: { readonly observedAt: string; readonly seenAt: number } | undefined;
  /** The deadline that the status announces, and since when this process knows that it does (monotonic). */
  readonly announced?: { readonly what: string; readonly since: number } | undefined;
}

export interface Expiry {
  readonly reason: ExpiryReason;
  /** Wall-clock ms. */
  readonly at: number;
  /** The same as long as the deadline is. */
  readonly message: string;
  /** Near enough to be announced. */
  readonly isNear: boolean;
  readonly hasPassed: boolean;
}

export interface LifecycleFinding {
  readonly settings: LifecycleSettings;
  readonly use: Use;
  readonly loadReported: boolean;
  /** Wall-clock ms; undefined: not recorded, or of another object. */
  readonly firstReadyAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  /** The first deadline that is known. */
  readonly expiry: Expiry | undefined;
  /** It has passed, and was announced for long enough. */
  readonly isDue: boolean;
  /** Too many are due at once. */
  readonly isHeld?: true;
  /** Until something is to be announced or done. */
  readonly nextInMs: number | undefined;
}

/** From the announcement to the deletion, at least. */
export const noticeMs = 60_000;
/** At most so long before its deadline it is announced. */
const leadMs = 15 * 60_000;
const leadShare = 4;

/** What keeps an object from going by itself, whatever its deadlines say. */
export function mayExpire({ deleting, isSuspended }: ResourceFacts): boolean {
  return !deleting && !isSuspended;
}

export interface LifecycleInput {
  readonly facts: ResourceFacts;
  readonly settings: LifecycleSettings;
  /** Of the object; undefined: none is recorded. */
  readonly id: string | undefined;
  readonly use: Use;
  /** When the last run on it ended that is still there, wall-clock ms: it may have come and gone between two passes. */
  readonly ranUntil?: number | undefined;
  readonly loadReported: boolean;
  readonly memory: UseMemory;
  readonly now: BothClocks;
}

export function lifecycleOf(input: LifecycleInput): LifecycleFinding {
  const { settings, use, loadReported, now } = input;
  const times = recordedTimes(input);
  const expiry = mayExpire(input.facts) ? firstOf(candidates(input, times), now) : undefined;
  const noticeLeft = expiry && noticeLeftMs(input, expiry);
  const isDue = expiry?.hasPassed === true && noticeLeft !== undefined && noticeLeft <= 0;
  return {
    settings,
    use,
    loadReported,
    ...times,
    expiry,
    isDue,
    nextInMs: expiry && nextInMs(expiry, noticeLeft, now),
  };
}

/** The status names the id of the object that its times are of. */
function recordedTimes({
  facts,
  id,
  ranUntil = 0,
  now,
}: LifecycleInput): Pick<LifecycleFinding, 'firstReadyAt' | 'lastUsedAt'> {
  const { id: of, firstReadyAt, lastUsedAt } = (facts.resource.status ?? {}) as Readonly<Record<string, unknown>>;
  const timeOf = (text: unknown): number | undefined => {
    const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    return Number.isNaN(ms) ? undefined : Math.min(ms, now.wall);
  };
  const isOfThis = id !== undefined && of === id;
  const usedAt = timeOf(lastUsedAt);
  return {
    firstReadyAt: isOfThis ? timeOf(firstReadyAt) : undefined,
    lastUsedAt: isOfThis && usedAt !== undefined ? Math.max(usedAt, Math.min(ranUntil, now.wall)) : undefined,
  };
}

interface LifecycleDeadline {
  readonly reason: ExpiryReason;
  readonly at: number;
  readonly why: string;
  readonly periodMs?: number;
}

function candidates(
  { settings, use, loadReported, memory, now }: LifecycleInput,
  { firstReadyAt, lastUsedAt }: Pick<LifecycleFinding, 'firstReadyAt' | 'lastUsedAt'>,
): readonly LifecycleDeadline[] {
  const { idleMs, ageMs, endsAt } = settings;
  const found: LifecycleDeadline[] = [];
  if (endsAt !== undefined && !Number.isNaN(endsAt))
    found.push({ reason: 'EndTime', at: endsAt, why: 'as spec.lifecycle.deleteAt says' });
  if (ageMs !== undefined && firstReadyAt !== undefined) {
    const why = `${ageMs / 1000} s after it became Ready (spec.lifecycle.deleteAfterSeconds)`;
    found.push({ reason: 'MaximumAge', at: firstReadyAt + ageMs, why, periodMs: ageMs });
  }
  const { quiet } = memory;
  // A clock that was set forward makes no time quiet.
  const quietMs = quiet === undefined ? 0 : now.monotonic - quiet.since.monotonic;
  const isKnown = !loadReported || (quiet !== undefined && now.wall - quiet.since.wall - quietMs < noticeMs);
  if (idleMs !== undefined && use === 'idle' && lastUsedAt !== undefined && isKnown) {
    const since = loadReported && quiet ? Math.max(lastUsedAt, quiet.since.wall) : lastUsedAt;
    const why = `after ${idleMs / 1000} s without use (spec.lifecycle.idleDeleteAfterSeconds)`;
    found.push({ reason: 'Idle', at: since + idleMs, why, periodMs: idleMs });
  }
  return found;
}

function firstOf(deadlines: readonly LifecycleDeadline[], now: BothClocks): Expiry | undefined {
  const [first] = deadlines.toSorted((one, other) => one.at - other.at);
  if (first === undefined) return undefined;
  const { reason, at, why } = first;
  const message = `the cluster expires at ${new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')}, ${why}`;
  return { reason, at, message, isNear: now.wall >= at - leadOf(first), hasPassed: now.wall >= at };
}

function leadOf({ periodMs = Number.POSITIVE_INFINITY }: LifecycleDeadline): number {
  return Math.min(leadMs, Math.max(noticeMs, periodMs / leadShare));
}

export function announcement({ reason, at }: Expiry): string {
  return `${reason} ${at}`;
}

/** The condition of this deadline is in the status. */
export function isAnnounced({ conditions }: Pick<ResourceFacts, 'conditions'>, { message }: Expiry): boolean {
  const told = conditionOf({ conditions }, 'Expiring');
  return told?.status === 'True' && told.message.startsWith(message);
}

/** Undefined: it is not announced yet. */
function noticeLeftMs({ facts, memory: { announced }, now }: LifecycleInput, expiry: Expiry): number | undefined {
  if (announced?.what !== announcement(expiry) || !isAnnounced(facts, expiry)) return undefined;
  return announced.since + noticeMs - now.monotonic;
}

function nextInMs({ at, isNear, hasPassed }: Expiry, noticeLeft: number | undefined, now: BothClocks): number {
  if (!isNear) return Math.max(0, at - leadMs - now.wall);
  if (!hasPassed) return at - now.wall;
  return Math.max(0, noticeLeft ?? 0);
}

/** Too many are due: this one waits. */
export function held(lifecycle: LifecycleFinding, retryMs: number): LifecycleFinding {
  return { ...lifecycle, isDue: false, isHeld: true, nextInMs: retryMs };
}

/** What the status announces; undefined: nothing is near. */
export function expiringText({ expiry, isHeld }: LifecycleFinding): string | undefined {
  if (!expiry?.isNear) return undefined;
  if (!isHeld) return expiry.message;
  return `${expiry.message}. It is held back for some minutes, because many Clusters expired at once. If the clock of the operator is wrong, correct it; to keep the cluster, change or remove spec.lifecycle`;
}

/** The mark in the ledger of an object that went while its resource stays. */
export type ExpiredMark = NonNullable<Ledger['expired']>;

export function expiredMark({ facts, id, expiry, wall }: ExpiredMarkInput): ExpiredMark {
  const at = new Date(wall).toISOString().replace(/\.\d+Z$/, 'Z');
  return { at, reason: expiry.reason, of: digestOfLifecycle(facts), ...(id === undefined ? {} : { id }) };
}

interface ExpiredMarkInput {
  readonly facts: ResourceFacts;
  readonly id: string | undefined;
  readonly expiry: Expiry;
  readonly wall: number;
}

/** Another lifecycle, or the annotation with the id of the object that went, asks for another object; in vain once `deleteAt` has passed. */
export function isRenewed(facts: ResourceFacts, { of, id }: ExpiredMark, now: Pick<BothClocks, 'wall'>): boolean {
  if (hasEnded(facts, now)) return false;
  return of !== digestOfLifecycle(facts) || (id !== undefined && facts.recreate === id);
}

function hasEnded({ lifecycle }: ResourceFacts, { wall }: Pick<BothClocks, 'wall'>): boolean {
  return lifecycle?.endsAt !== undefined && wall >= lifecycle.endsAt;
}

function digestOfLifecycle({ resource }: ResourceFacts): string {
  const { lifecycle } = (resource.spec ?? {}) as { readonly lifecycle?: unknown };
  return digest(canonicalJson(lifecycle ?? null), 16);
}

const whyExpired: Readonly<Record<ExpiryReason, string>> = {
  Idle: 'it was not used for as long as spec.lifecycle.idleDeleteAfterSeconds allows',
  MaximumAge: 'it was as old as spec.lifecycle.deleteAfterSeconds allows',
  EndTime: 'spec.lifecycle.deleteAt has passed',
};

/** For people, with the way back. */
export function expiredText(
  facts: ResourceFacts,
  { at, reason, id }: ExpiredMark,
  now: Pick<BothClocks, 'wall'>,
): string {
  const why = whyExpired[reason as ExpiryReason] ?? 'of spec.lifecycle';
  const told = `the cluster expired at ${at}, because ${why}`;
  if (hasEnded(facts, now)) return `${told}. To have a cluster again, change or remove spec.lifecycle.deleteAt`;
  const annotation = id === undefined ? '' : `, or set the annotation ${recreateAnnotation}: ${id}`;
  return `${told}. To have a cluster again, change spec.lifecycle${annotation}`;
}
