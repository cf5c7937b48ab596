// What this process remembers of a key between passes.
import type { Certainty } from '../../wire/errors/service-error.ts';
import type { AutoscalingMemory, Drift } from './kind/kind.ts';
import type { Claim, Ledger } from './ledger/ledger.ts';
import type { PassEvent } from './outcome.ts';
import type { UseMemory } from './resource/lifecycle.ts';

/** `at`: when the answer came or the request was aborted. `lost`: why no answer came. */
export interface SentDelete {
  readonly at: number;
  readonly lost?: string;
}

/** Few former revisions are deleted at a time; when there are more, the oldest entry is dropped and its DELETE may be sent once more. */
const deletesRemembered = 64;

/** `of`: what was compared. `at`: monotonic ms. `template`: the name of the one that it was started from. */
export interface ComparedObject {
  readonly of: string;
  readonly at: number;
  readonly differs: readonly Drift[];
  readonly template: string | undefined;
}

/** Known to this process only. Losing it costs time and nothing else. */
export interface KeyMemory {
  /** UID of the resource: nothing here applies to a successor of the same name. */
  readonly uid: string;
  /** Monotonic time at which our last write to the service was answered or given up. */
  lastEffectAt?: number | undefined;
  /** When the first LIST that lacked the recorded id was sent. */
  missingSince?: number | undefined;
  /** By id: when the GET was sent that the service answered with its own 404. */
  goneGets?: ReadonlyMap<string, number> | undefined;
  /** By id: the last DELETE that may still take effect, oldest first. */
  deletesSent?: ReadonlyMap<string, SentDelete> | undefined;
  /** Intents of this process whose POST it surely did not send, as texts, oldest first: they may be in the ledger all the same. */
  unsentIntents?: readonly string[] | undefined;
  /** An object of a fixed name that was proven ours, and the template it was started from. Neither can change. */
  proven?: { readonly id: string; readonly from: string } | undefined;
  /** Our last change was not answered, and nothing was observed of it since: the service may never have received it. */
  unansweredChange?: boolean | undefined;
  /** The last try of a change that this process sent and the service did not refuse, until the object is as wanted. Whether other tries were sent is unknown. */
  sentChange?: string | undefined;
  /** Consecutive failed observations, and when the first of them failed (monotonic). */
  missedPolls?: { readonly count: number; readonly since: number } | undefined;
  /** When this process first worked on this generation (monotonic), until that generation is reached. */
  generationSeen?: { readonly generation: number; readonly at: number } | undefined;
  /** The last generation that was reached: whatever differs after that was changed in the service. */
  settledGeneration?: number | undefined;
  /** When the object was last observed to be as wanted (monotonic). */
  settledAt?: number | undefined;
  lastStatusWriteAt?: number | undefined;
  /** The last request of the user for a poll, and when this process first saw it (monotonic). */
  asked?: { readonly value: string; readonly at: number } | undefined;
  /** When the last run, of this marker, was first seen to have failed (monotonic). */
  failed?: { readonly run: string; readonly at: number } | undefined;
  /** The request for the run is refused since then (monotonic), made of these ids. */
  refused?: { readonly of: string; readonly since: number } | undefined;
  /** A create or deletion whose event is held back until it ends, so that a quick one is one event. */
  begun?: { readonly at: number; readonly event: PassEvent } | undefined;
  /** Of autoscaled parts, by name. */
  loads?: Map<string, AutoscalingMemory> | undefined;
  /** The existing object that is to be adopted, as it was last compared with the spec. */
  compared?: ComparedObject | undefined;
  /** Of an object with a lifecycle. */
  use?: UseMemory | undefined;
}

/** All fields are there from the start and none is ever deleted: an object whose shape changes takes several times the memory. */
export function emptyMemory(uid: string): KeyMemory {
  return {
    uid,
    lastEffectAt: undefined,
    missingSince: undefined,
    goneGets: undefined,
    deletesSent: undefined,
    unsentIntents: undefined,
    proven: undefined,
    unansweredChange: undefined,
    sentChange: undefined,
    missedPolls: undefined,
    generationSeen: undefined,
    settledGeneration: undefined,
    settledAt: undefined,
    lastStatusWriteAt: undefined,
    asked: undefined,
    failed: undefined,
    refused: undefined,
    begun: undefined,
    loads: undefined,
    compared: undefined,
    use: undefined,
  };
}

export function noteDelete(memory: KeyMemory, id: string, sent: SentDelete): void {
  const others = [...(memory.deletesSent ?? [])].filter(([known]) => known !== id);
  memory.deletesSent = new Map([...others.slice(1 - deletesRemembered), [id, sent]]);
  // What an earlier LIST lacked says nothing of the effect of an accepted one.
  if (sent.lost === undefined) memory.missingSince = undefined;
}

/** A later one makes an earlier one meaningless, unless its write failed and the earlier one is what the API server has. */
const intentsRemembered = 4;

/** `sent`: the POST of this intent is about to leave, and none of its name counts as unsent any more. */
export function noteIntent(memory: KeyMemory, claim: Claim | undefined, is: 'unsent' | 'sent'): void {
  if (claim?.attempts?.by === undefined) return;
  const { unsentIntents: known = [] } = memory;
  const text = intentText(claim);
  memory.unsentIntents =
    is === 'sent'
      ? known.filter((one) => !one.startsWith(`${claim.name} `))
      : [...known.filter((one) => one !== text), text].slice(-intentsRemembered);
}

/** This process announced the last attempt of the claim and did not send it: whatever else is open, this one is not. */
export function isUnsentIntent({ unsentIntents = [] }: Readonly<KeyMemory>, claim: Claim, process: string): boolean {
  return claim.attempts?.by === process && claim.attempts.open > 0 && unsentIntents.includes(intentText(claim));
}

function intentText({ name, attempts }: Claim): string {
  return `${name} ${attempts?.lastSentAt}`;
}

/** The request of the change in the ledger was sent; `certainty`: of the failure it ended with. */
export function noteChange(memory: KeyMemory, change: Ledger['change'], certainty?: Certainty): void {
  memory.unansweredChange = certainty === 'open';
  if (certainty === undefined || certainty === 'open') memory.sentChange = change && changeText(change);
}

/** Identifies one try of one change. A later try that was taken back does not alter it. */
export function changeText({ generation, target, tries, doubts = 0 }: NonNullable<Ledger['change']>): string {
  return JSON.stringify([generation, target, tries, doubts]);
}
