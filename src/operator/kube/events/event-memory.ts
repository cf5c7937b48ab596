// Remembers which events were recorded lately, so that a repetition becomes part of a series.
import type { Clock } from '../../../lib/ports.ts';
import type { EventNote, Regarded } from '../../reconcile/ports.ts';

/** One event and its repetitions. */
export interface EventEntry {
  readonly event: EventNote;
  /** Wall-clock ms. */
  readonly firstWall: number;
  /** Monotonic ms. */
  readonly firstAt: number;
  count: number;
  lastWall: number;
  /** Once it was created; later repetitions are patched onto it. */
  path: string | undefined;
  state: 'idle' | 'waiting' | 'sending';
}

const mostRemembered = 1000;
/** After so long a repetition is news again; well before the API server forgets events, after an hour. */
const seriesMs = 30 * 60_000;

export class EventMemory {
  readonly #clock: Clock;
  /** In order of last use: the first is the first to be forgotten. */
  readonly #entries = new Map<string, EventEntry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the event and answers its entry. */
  note(event: EventNote): EventEntry {
    const { regarding, type, reason, action, note } = event;
    const identity = JSON.stringify([regarding.metadata.uid, type, reason, action, note]);
    const known = this.#entries.get(identity);
    const entry = known !== undefined && this.#fresh(known) ? known : this.#create(event);
    entry.count += 1;
    entry.lastWall = this.#clock.wall();
    this.#entries.delete(identity);
    this.#entries.set(identity, entry);
    this.#forget();
    return entry;
  }

  #fresh(entry: EventEntry): boolean {
    return this.#clock.monotonic() - entry.firstAt < seriesMs;
  }

  #create(event: EventNote): EventEntry {
    const firstWall = this.#clock.wall();
    const firstAt = this.#clock.monotonic();
    return {
      event: { ...event, regarding: identityOf(event.regarding) },
      firstWall,
      firstAt,
      count: 0,
      lastWall: firstWall,
      path: undefined,
      state: 'idle',
    };
  }

  #forget(): void {
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > mostRemembered && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** Without spec and status: a thousand of them, each in a version that nobody else has any more, are megabytes. */
function identityOf({ apiVersion, kind, metadata }: Regarded): Regarded {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}
