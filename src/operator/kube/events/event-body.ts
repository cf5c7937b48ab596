// The request bodies of events.k8s.io/v1.
import type { EventNote } from '../../reconcile/pass-ports.ts';

/** In bytes, as the API server counts. */
const longestNote = 1024;
const longestWord = 128;

export interface Reporter {
  readonly component: string;
  readonly instance: string;
}

/** Unix time `ms` as a MicroTime, which requires six fractional digits. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** The API server takes events of objects that are in no namespace only in this one. */
export function namespaceOfEvents({ regarding }: EventNote): string {
  return regarding.metadata.namespace || 'default';
}

/** A new event, with a series if it occurred more than once before it was sent. */
export function eventBody(event: EventNote, seen: EventOccurrences, reporter: Reporter): object {
  const { apiVersion, kind, metadata } = event.regarding;
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace: namespaceOfEvents(event), generateName: `${name}-` },
    eventTime: microTime(seen.firstWall),
    ...(seen.count > 1 ? seriesBody(seen) : {}),
    type: event.type,
    reason: cut(event.reason, longestWord),
    action: cut(event.action, longestWord),
    note: cut(event.note, longestNote),
    regarding: { apiVersion, kind, ...(namespace !== '' && { namespace }), name, uid, resourceVersion },
    reportingController: reporter.component,
    reportingInstance: cut(reporter.instance, longestWord),
  };
}

interface EventOccurrences {
  readonly count: number;
  /** Unix time in ms. */
  readonly firstWall: number;
  readonly lastWall: number;
}

/** The API server requires a count of at least 2. */
export function seriesBody(seen: EventOccurrences): object {
  return { series: { count: seen.count, lastObservedTime: microTime(seen.lastWall) } };
}

function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= bytes) return text;
  // A character that was cut in half is decoded as a replacement character.
  return `${encoded
    .subarray(0, bytes - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}…`;
}
