// Events: series, rate, queue and silence about failures.
import { beforeEach, describe, expect, it } from 'vitest';
import { type ApiError, refusalError } from '../../../../src/kube/api-error.ts';
import { eventBody, microTime } from '../../../../src/operator/kube/events/event-body.ts';
import { EventSender } from '../../../../src/operator/kube/events/events.ts';
import type { EventNote } from '../../../../src/operator/reconcile/pass-ports.ts';
import { ManualClock, settle } from '../../../support/clock.ts';
import { FakeTransport } from '../support/fake-transport.ts';
import { status, widget } from '../support/objects.ts';
import { type RecordingLog, recordingLog } from '../support/ports.ts';

const path = '/apis/events.k8s.io/v1/namespaces/team-a/events';

let clock: ManualClock;
let transport: FakeTransport;
let log: RecordingLog;
let sink: EventSender;

beforeEach(() => {
  clock = new ManualClock();
  transport = new FakeTransport();
  let made = 0;
  transport.otherwise = () => ({ metadata: { name: `event-${(made += 1)}` } });
  log = recordingLog();
  sink = open(1000, 1000);
});

function open(ratePerSecond: number, burst: number): EventSender {
  const reporter = { component: 'dataprocessing-operator', instance: 'pod-1' };
  return new EventSender({ transport, clock, log, ...reporter, ratePerSecond, burst });
}

function note(changes: Partial<EventNote> = {}): EventNote {
  return {
    regarding: widget({ version: 7 }),
    type: 'Normal',
    reason: 'Created',
    action: 'Create',
    note: 'made',
    ...changes,
  };
}

function refuse(code: number, message: string): ApiError {
  const text = JSON.stringify(status(code, message));
  return refusalError('create events', { status: code, contentType: 'application/json', retryAfter: undefined, text });
}

interface Body {
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
  readonly note?: string;
  readonly reason?: string;
}

function body(index: number): Body {
  return transport.calls[index]?.body as Body;
}

describe('an event', () => {
  it('is created with all that the API server wants', async () => {
    sink.emit(note());
    await settle();
    expect(transport.calls).toEqual([
      {
        method: 'POST',
        path,
        body: {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { namespace: 'team-a', generateName: 'one-' },
          eventTime: '2026-01-01T00:00:01.000000Z',
          type: 'Normal',
          reason: 'Created',
          action: 'Create',
          note: 'made',
          regarding: {
            apiVersion: 'test.dataprocessing.dev/v1',
            kind: 'Widget',
            namespace: 'team-a',
            name: 'one',
            uid: 'uid-one',
            resourceVersion: '7',
          },
          reportingController: 'dataprocessing-operator',
          reportingInstance: 'pod-1',
        },
      },
    ]);
    expect(sink.counts()).toEqual({ sent: 1, dropped: 0, failed: 0 });
  });

  it('is sent in the background', () => {
    transport.otherwise = () => new Promise<object>(() => undefined);
    expect(sink.emit(note())).toBeUndefined();
    expect(sink.counts().sent).toBe(0);
  });
});

describe('the wire', () => {
  const seen = { count: 1, firstWall: 0, lastWall: 0 };
  const reporter = { component: 'c', instance: 'i' };

  it('has times with six digits', () => {
    expect(microTime(Date.UTC(2026, 10, 21, 9, 8, 7, 65))).toBe('2026-11-21T09:08:07.065000Z');
  });

  it.each([
    ['ascii', 'x'.repeat(5000)],
    ['two bytes', 'ä'.repeat(5000)],
    ['three bytes', '€'.repeat(5000)],
    ['four bytes', '😀'.repeat(5000)],
    ['a shift of one', `x${'😀'.repeat(5000)}`],
    ['a shift of two', `xx${'😀'.repeat(5000)}`],
  ])('has notes of at most 1024 bytes: %s', (_name, long) => {
    const cut = (eventBody(note({ note: long }), seen, reporter) as { note: string }).note;
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(1015);
    expect(cut).not.toContain('\uFFFD');
    expect(cut.endsWith('…')).toBe(true);
  });

  it('has reasons, actions and instances of at most 128 bytes', () => {
    const long = 'R'.repeat(500);
    const made = eventBody(note({ reason: long, action: long }), seen, { component: 'c', instance: long });
    const { reason, action, reportingInstance } = made as Record<string, string>;
    for (const word of [reason, action, reportingInstance])
      expect(Buffer.byteLength(word ?? '')).toBeLessThanOrEqual(128);
  });

  it('leaves short notes as they are', () => {
    const exact = 'x'.repeat(1024);
    expect((eventBody(note({ note: exact }), seen, reporter) as { note: string }).note).toBe(exact);
  });
});

describe('the same event again', () => {
  it('is a patch of its series', async () => {
    sink.emit(note());
    await settle();
    await clock.advance(5000);
    sink.emit(note());
    await settle();
    sink.emit(note());
    await settle();
    expect(transport.calls.slice(1)).toEqual([
      {
        method: 'PATCH',
        path: `${path}/event-1`,
        contentType: 'application/merge-patch+json',
        body: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:06.000000Z' } },
      },
      expect.objectContaining({ body: { series: { count: 3, lastObservedTime: '2026-01-01T00:00:06.000000Z' } } }),
    ]);
  });

  it('while it is being sent is sent once more, with all repetitions in one', async () => {
    for (let index = 0; index < 10; index += 1) sink.emit(note());
    await settle();
    expect(transport.calls.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
    expect(body(1)).toMatchObject({ series: { count: 10 } });
  });

  it('while it waits is created as a series', async () => {
    sink = open(1, 1);
    sink.emit(note({ reason: 'Other' }));
    for (let index = 0; index < 3; index += 1) sink.emit(note());
    await clock.advance(1000);
    expect(transport.calls).toHaveLength(2);
    expect(body(1)).toMatchObject({ reason: 'Created', series: { count: 3 } });
  });

  it.each([
    ['another object', { regarding: widget({ uid: 'other' }) }],
    ['another type', { type: 'Warning' as const }],
    ['another reason', { reason: 'Scaled' }],
    ['another action', { action: 'Scale' }],
    ['another note', { note: 'more' }],
  ])('about %s is another event', async (_name, changes) => {
    sink.emit(note());
    sink.emit(note(changes));
    await settle();
    expect(transport.calls.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('of a newer version of the object is still the same', async () => {
    sink.emit(note());
    await settle();
    sink.emit(note({ regarding: widget({ version: 99 }) }));
    await settle();
    expect(transport.calls.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  });

  it('after half an hour is news again', async () => {
    sink.emit(note());
    await clock.advance(30 * 60_000);
    sink.emit(note());
    await settle();
    expect(transport.calls.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('whose first was deleted meanwhile is created anew and goes on counting', async () => {
    sink.emit(note());
    await settle();
    transport.answers.push(refuse(404, 'events "event-1" not found'));
    sink.emit(note());
    await settle();
    expect(transport.calls.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST']);
    expect(body(2)).toMatchObject({ series: { count: 2 } });
    sink.emit(note());
    await settle();
    expect(transport.calls.at(-1)).toMatchObject({ method: 'PATCH', path: `${path}/event-2` });
  });

  it('whose first was refused is created', async () => {
    transport.answers.push(refuse(500, 'etcd is away'));
    sink.emit(note());
    await settle();
    sink.emit(note());
    await settle();
    expect(transport.calls.map(({ method }) => method)).toEqual(['POST', 'POST']);
    expect(body(1)).toMatchObject({ series: { count: 2 } });
  });

  it('is forgotten after a thousand others', async () => {
    sink = open(1e6, 1e6);
    sink.emit(note());
    await sink.flush(1000);
    for (let index = 0; index < 1000; index += 1) sink.emit(note({ note: `${index}` }));
    await sink.flush(1000);
    sink.emit(note());
    await sink.flush(1000);
    expect(transport.calls.every(({ method }) => method === 'POST')).toBe(true);
  });
});

describe('the rate', () => {
  it('is a burst and then so many a second', async () => {
    sink = open(5, 10);
    for (let index = 0; index < 100; index += 1) sink.emit(note({ note: `${index}` }));
    await settle();
    expect(transport.calls).toHaveLength(10);
    await clock.advance(1000);
    expect(transport.calls).toHaveLength(15);
    await clock.advance(10_000);
    expect(transport.calls).toHaveLength(65);
    expect(transport.calls.map((_call, index) => body(index).note)).toEqual(
      Array.from({ length: 65 }, (_, index) => `${index}`),
    );
  });

  it('is at most two requests at a time', async () => {
    let open_ = 0;
    let most = 0;
    transport.otherwise = async () => {
      open_ += 1;
      most = Math.max(most, open_);
      await settle();
      open_ -= 1;
      return { metadata: { name: 'x' } };
    };
    for (let index = 0; index < 20; index += 1) sink.emit(note({ note: `${index}` }));
    await sink.flush(1000);
    expect(most).toBe(2);
    expect(sink.counts().sent).toBe(20);
  });

  it('has a queue that ends', async () => {
    transport.otherwise = () => new Promise<object>(() => undefined);
    for (let index = 0; index < 5000; index += 1) sink.emit(note({ note: `${index}` }));
    await settle();
    expect(sink.counts()).toEqual({ sent: 0, dropped: 3998, failed: 0 });
  });

  it('leaves no timer behind', async () => {
    sink = open(5, 1);
    sink.emit(note());
    sink.emit(note({ note: 'second' }));
    await clock.advance(1000);
    expect(clock.pending).toBe(0);
  });
});

describe('a refused event', () => {
  it.each([
    [403, 'unable to create new content in namespace team-a because it is being terminated'],
    [404, 'namespaces "team-a" not found'],
    [500, 'etcd is away'],
  ])('%i is counted, said at debug level only, and stops nothing', async (code, message) => {
    transport.answers.push(refuse(code, message));
    sink.emit(note());
    sink.emit(note({ note: 'next' }));
    await settle();
    expect(sink.counts()).toEqual({ sent: 1, dropped: 0, failed: 1 });
    expect(log.lines).toMatchObject([
      {
        level: 'debug',
        fields: { kind: 'Widget', namespace: 'team-a', name: 'one' },
        message: 'cannot record event Created',
      },
    ]);
  });
});

describe('flush', () => {
  it('is done at once when nothing waits', async () => {
    await sink.flush(1000);
    expect(clock.pending).toBe(0);
  });

  it('waits until everything is sent', async () => {
    sink = open(10, 1);
    for (let index = 0; index < 5; index += 1) sink.emit(note({ note: `${index}` }));
    let flushed = false;
    void sink.flush(10_000).then(() => (flushed = true));
    await clock.advance(399);
    expect(flushed).toBe(false);
    await clock.advance(1);
    expect(flushed).toBe(true);
    expect(sink.counts().sent).toBe(5);
  });

  it('does not wait longer than it may', async () => {
    transport.otherwise = () => new Promise<object>(() => undefined);
    sink.emit(note());
    let flushed = false;
    void sink.flush(500).then(() => (flushed = true));
    await clock.advance(499);
    expect(flushed).toBe(false);
    await clock.advance(1);
    expect(flushed).toBe(true);
  });
});
