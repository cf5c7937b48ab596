// What a process remembers between passes, cut to what a later pass of these worlds can tell apart: ticks, and the order within one.
import type { KeyMemory } from '../../../src/operator/reconcile/key-memory.ts';
import type { Idle } from './passes.ts';
import type { Row } from './tables.ts';

type Kept =
  | 'uid'
  | 'missingSince'
  | 'deletesSent'
  | 'goneGets'
  | 'unansweredChange'
  | 'sentChange'
  | 'unsentIntents'
  | 'proven'
  | 'refused'
  | 'failed'
  | 'compared';

/** All the rest of the memory, and why it makes no difference here. A new field has to be added to one or the other. */
export const leftOut: Readonly<Record<Exclude<keyof KeyMemory, Kept>, string>> = {
  lastEffectAt: 'a list that a later pass may use was read after it',
  missedPolls: 'counts for as many minutes as no world has',
  generationSeen: 'begins a deadline that no world reaches',
  settledGeneration: 'chooses words',
  settledAt: 'counts for objects of a given id',
  asked: 'no user of a world asks for a poll',
  lastStatusWriteAt: 'puts off a status that says nothing new',
  begun: 'is told in events',
  loads: 'no world is autoscaled',
  use: 'no world has a lifecycle',
};

/** One LIST. */
export interface Snapshot {
  readonly rows: readonly Row[];
  readonly sentAt: number;
}

/** What is left of a time after whole ones of these, in ms, is order within a tick. */
const grainMs = 1_000;
/** Longer than every delay of the operator but the quarantine. */
export const tickMs = 61_000;
/** As old as the look of a pass may be that no poll led to, in ms. */
export const sharedLookMs = 500;

const tickOf = (time: number): number => time - (time % grainMs);

/** In this tick, or in any one before, which makes no difference. */
const tickSince = (time: number, elapsed: number): number => (tickOf(time) === elapsed ? elapsed : elapsed - tickMs);

/** The moment in which a pass begins: later than all that is remembered. */
export function timeOf({ memory, snapshot }: Idle, elapsed: number): { elapsed: number; order: number } {
  const times = [...(memory?.goneGets?.values() ?? []), snapshot?.sentAt ?? 0].filter(
    (time) => tickOf(time) === elapsed,
  );
  return { elapsed, order: Math.max(0, ...times.map((time) => time % grainMs)) + 2 };
}

/** Whether a pass that begins now may use the LIST of an earlier one. */
export function isUsable({ snapshot }: Idle, elapsed: number): boolean {
  return snapshot !== undefined && tickOf(snapshot.sentAt) === elapsed;
}

/** A process between two passes, in the given tick. */
export function tidy({ memory, snapshot }: Pick<Idle, 'memory' | 'snapshot'>, elapsed: number): Idle {
  if (!memory) return { state: 'idle', memory, snapshot: undefined };
  const { uid, missingSince, deletesSent, goneGets, unansweredChange, sentChange, proven, lastEffectAt = -1 } = memory;
  const { unsentIntents = [], refused, failed, compared } = memory;
  const isNew = snapshot && tickOf(snapshot.sentAt) === elapsed && snapshot.sentAt > lastEffectAt;
  const current = isNew ? snapshot : undefined;
  const recent = [...(deletesSent ?? [])].filter(([, { at }]) => tickOf(at) === elapsed);
  // A GET came before the list that a later pass may use, or after it, and in any case before what is read later.
  const gone = [...(goneGets ?? [])].map(([id, at]) => [id, current && at > current.sentAt ? elapsed + 4 : 0] as const);
  return {
    state: 'idle',
    memory: {
      uid,
      ...(missingSince === undefined ? {} : { missingSince: tickSince(missingSince, elapsed) }),
      ...(failed === undefined ? {} : { failed: { ...failed, at: tickSince(failed.at, elapsed) } }),
      ...(refused === undefined ? {} : { refused: { ...refused, since: tickSince(refused.since, elapsed) } }),
      ...(recent.length === 0
        ? {}
        : { deletesSent: new Map(recent.map(([id, sent]) => [id, { ...sent, at: elapsed }])) }),
      ...(unansweredChange ? { unansweredChange } : {}),
      ...(sentChange === undefined ? {} : { sentChange }),
      ...(unsentIntents.length === 0 ? {} : { unsentIntents }),
      ...(proven ? { proven } : {}),
      ...(gone.length === 0 ? {} : { goneGets: new Map(gone) }),
      // What is compared of an object is changed by nobody.
      ...(compared === undefined ? {} : { compared: { ...compared, at: elapsed } }),
    },
    snapshot: current && { rows: current.rows, sentAt: elapsed + 2 },
  };
}
