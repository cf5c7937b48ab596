// Remembers recent events, so that a repetition extends a series.
import type { Clock } from '../../../lib/ports.ts';
import type { EventNote, Regarded } from '../../reconcile/pass-ports.ts';

/** One event and its repetitions. */
export interface EventEntry {
  readonly event: EventNote;
  /** Unix time in ms. */
  readonly firstWall: number;
  /** Monotonic ms. */
  readonly firstAt: number;
  count: number;
  lastWall: number;
  /** Set once the event exists. Repetitions are patched onto it. */
  path: string | undefined;
  state: 'idle' | 'waiting' | 'sending';
}

const mostRemembered = 1000;
/** After this, a repetition is a new event. The API server keeps events for an hour. */
const seriesMs = 30 * 60_000;

export class EventMemory {
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #entries = new Map<string, EventEntry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the event and returns its entry. */
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

/** Drops spec and status, which for a thousand entries would take megabytes. */
function identityOf({ apiVersion, kind, metadata }: Regarded): Regarded {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}
