// What a process remembers of a key from one pass to the next.

import type { Certainty } from '../../wire/errors/errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Happening } from './outcome.ts';

/** `at`: when it was answered, or given up. `lost`: why its answer never came. */
export interface SentDelete {
  readonly at: number;
  readonly lost?: string;
}

/** Former revisions that go at the same time are few; of more the longest known may be asked for once more. */
const deletesRemembered = 64;

/** What only this process knows about a key. Losing it costs time and nothing else. */
export interface KeyMemory {
  /** The object that is remembered: what holds for it does not hold for its successor of the same name. */
  readonly uid: string;
  /** Monotonic time at which the answer (or the end) of our last external write came. */
  lastEffectAt?: number | undefined;
  /** When a LIST that lacked the recorded id was first sent. */
  missingSince?: number | undefined;
  /** By id: when a GET that was answered 404 in the service's own shape was sent. */
  goneGets?: ReadonlyMap<string, number> | undefined;
  /** By id: the last DELETE that may still take effect, the one of longest ago first. */
  deletesSent?: ReadonlyMap<string, SentDelete> | undefined;
  /** An object of a fixed name that was seen to be ours, and the template that it was started from: neither can change. */
  proven?: { readonly id: string; readonly from: string } | undefined;
  /** Whether our last change got no answer that says what became of it, and nothing was seen of it since: the service may never have heard it. */
  unansweredChange?: boolean | undefined;
  /** The last try of a change whose request this process sent and the service did not refuse, until all is as wanted. Of others nobody knows whether they were sent. */
  sentChange?: string | undefined;
  /** Observations that failed in a row, and when the first of them did (monotonic). */
  missedPolls?: { readonly count: number; readonly since: number } | undefined;
  /** When this process first worked on this generation (monotonic), until it is carried out. */
  generationSeen?: { readonly generation: number; readonly at: number } | undefined;
  /** The generation that was last seen carried out: what differs after that was changed in the service. */
  settledGeneration?: number | undefined;
  /** When it was last seen to be as wanted (monotonic). */
  settledAt?: number | undefined;
  lastStatusWriteAt?: number | undefined;
  /** A create or a deletion whose event waits for the end of it, so that a quick one is one event. */
  begun?: { readonly at: number; readonly happening: Happening } | undefined;
}

/** Nothing is remembered yet. Each has all fields from the start and none is ever deleted: that would make it several times as large. */
export function emptyMemory(uid: string): KeyMemory {
  return {
    uid,
    lastEffectAt: undefined,
    missingSince: undefined,
    goneGets: undefined,
    deletesSent: undefined,
    proven: undefined,
    unansweredChange: undefined,
    sentChange: undefined,
    missedPolls: undefined,
    generationSeen: undefined,
    settledGeneration: undefined,
    settledAt: undefined,
    lastStatusWriteAt: undefined,
    begun: undefined,
  };
}

export function noteDelete(memory: KeyMemory, id: string, sent: SentDelete): void {
  const others = [...(memory.deletesSent ?? [])].filter(([known]) => known !== id);
  memory.deletesSent = new Map([...others.slice(1 - deletesRemembered), [id, sent]]);
}

/** The request of the change that stands in the ledger was sent; `certainty`: of the failure that it ended with. */
export function noteChange(memory: KeyMemory, change: Ledger['change'], certainty?: Certainty): void {
  memory.unansweredChange = certainty === 'open';
  if (certainty === undefined || certainty === 'open') memory.sentChange = change && changeText(change);
}

/** Which try of which change it is; a later one that was taken back leaves it as it was. */
export function changeText({ generation, target, tries, doubts = 0 }: NonNullable<Ledger['change']>): string {
  return JSON.stringify([generation, target, tries, doubts]);
}
