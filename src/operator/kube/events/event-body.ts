// What an event looks like on the wire: events.k8s.io/v1 with its limits.
import type { EventNote } from '../../reconcile/ports.ts';

/** The API server counts bytes, not characters. */
const longestNote = 1024;
const longestWord = 128;

export interface Reporter {
  readonly component: string;
  readonly instance: string;
}

/** The wall-clock time `ms` with the six digits of a second's fraction that the API server insists on. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** A new event; with a series when it happened more than once before it could be sent. */
export function eventBody(event: EventNote, seen: EventOccurrences, reporter: Reporter): object {
  const { apiVersion, kind, metadata } = event.regarding;
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, generateName: `${name}-` },
    eventTime: microTime(seen.firstWall),
    ...(seen.count > 1 ? seriesBody(seen) : {}),
    type: event.type,
    reason: cut(event.reason, longestWord),
    action: cut(event.action, longestWord),
    note: cut(event.note, longestNote),
    regarding: { apiVersion, kind, namespace, name, uid, resourceVersion },
    reportingController: reporter.component,
    reportingInstance: cut(reporter.instance, longestWord),
  };
}

export interface EventOccurrences {
  readonly count: number;
  /** Wall-clock ms. */
  readonly firstWall: number;
  readonly lastWall: number;
}

/** The part of an event that says how often it happened; the API server refuses a count below two. */
export function seriesBody(seen: EventOccurrences): object {
  return { series: { count: seen.count, lastObservedTime: microTime(seen.lastWall) } };
}

function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= bytes) return text;
  // Cutting within a character leaves a replacement character, which is taken off, too.
  return `${encoded
    .subarray(0, bytes - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}…`;
}
