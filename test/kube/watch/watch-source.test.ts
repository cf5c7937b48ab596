// The source when all is well: lists, watches, bookmarks, and what it tells.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bookmark, errorEvent, event, list, widget, widgets } from '../../operator/kube/support/objects.ts';
import { none, refused, SourceBench } from '../../operator/kube/support/source-bench.ts';
import { settle } from '../../support/clock.ts';

let bench: SourceBench;

beforeEach(() => {
  bench = new SourceBench();
});
afterEach(() => bench.stop());

describe('the first list', () => {
  it('comes as a stream', async () => {
    await bench.start();
    expect(bench.stream.call).toMatchObject({
      path: '/apis/test.dataprocessing.dev/v1/widgets',
      query: {
        watch: true,
        allowWatchBookmarks: true,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        timeoutSeconds: 290,
      },
      idleMs: 150_000,
    });
  });

  it('is nothing before it is complete, and then everything at once', async () => {
    await bench.start();
    await bench.stream.send(event('ADDED', { name: 'one', version: 3 }), event('ADDED', { name: 'two', version: 4 }));
    expect(bench.held).toEqual([]);
    expect(bench.source.health()).toMatchObject({ synced: false, watches: 1, lastSyncAt: undefined });
    await bench.stream.send(bookmark(5, true));
    expect(bench.held).toEqual(['one@3', 'two@4']);
    expect(bench.source.health()).toMatchObject({ synced: true, relists: none, lastSyncAt: 1000, failing: undefined });
    expect(bench.told.map(({ initial }) => initial)).toEqual([true]);
    expect(bench.changes).toEqual(['+one', '+two']);
  });

  it('may be empty', async () => {
    await bench.synced(5);
    expect(bench.source.health()).toMatchObject({ synced: true });
    expect(bench.changes).toEqual([]);
  });

  it('may change while it arrives', async () => {
    await bench.start();
    await bench.stream.send(event('ADDED', { name: 'one', version: 3 }), event('ADDED', { name: 'two', version: 4 }));
    await bench.stream.send(
      event('DELETED', { name: 'one', version: 6 }),
      event('MODIFIED', { name: 'two', version: 7 }),
    );
    await bench.stream.send(bookmark(5));
    expect(bench.held).toEqual([]);
    await bench.stream.send(bookmark(7, true));
    expect(bench.held).toEqual(['two@7']);
    expect(bench.changes).toEqual(['+two']);
  });

  it('goes on as a watch on the same connection', async () => {
    await bench.synced(5, { name: 'one', version: 3 });
    await bench.stream.send(event('MODIFIED', { name: 'one', version: 6 }));
    expect(bench.held).toEqual(['one@6']);
    expect(bench.transport.streams).toHaveLength(1);
  });
});

describe('the watch', () => {
  it('tells of every change', async () => {
    await bench.synced(5, { name: 'one', version: 3 });
    await bench.stream.send(
      event('ADDED', { name: 'two', version: 6 }),
      event('MODIFIED', { name: 'one', version: 7 }),
      event('DELETED', { name: 'two', version: 8 }),
    );
    expect(bench.changes).toEqual(['+one', '+two', '~one', '-two']);
    expect(bench.told.slice(1).map(({ initial }) => initial)).toEqual([false, false, false]);
    expect(bench.told.at(-1)?.changes).toEqual([{ previous: widget({ name: 'two', version: 6 }), current: undefined }]);
  });

  it('leaves the event loop its turns, however fast the server sends', async () => {
    await bench.synced(5);
    const events = Array.from({ length: 200 }, (_, index) => event('ADDED', { name: `w${index}`, version: 6 + index }));
    void bench.stream.send(...events);
    for (let before = 0; before < 200; ) {
      await settle();
      const now = bench.changes.length;
      expect(now - before).toBeGreaterThan(0);
      expect(now - before).toBeLessThanOrEqual(32);
      before = now;
    }
  });

  it('tells of a new uid as delete and add', async () => {
    await bench.synced(5, { name: 'one', uid: 'old', version: 3 });
    await bench.stream.send(event('ADDED', { name: 'one', uid: 'new', version: 9 }));
    expect(bench.changes).toEqual(['+one', '-one', '+one']);
  });

  it('goes on from the last event when the server ends it in good order', async () => {
    const stream = await bench.synced(5, { name: 'one', version: 3 });
    await stream.send(event('MODIFIED', { name: 'one', version: 8 }));
    await bench.clock.advance(290_000);
    await stream.close();
    expect(bench.starts).toEqual(['list', '8']);
    expect(bench.source.health()).toMatchObject({ relists: none, failing: undefined });
  });

  it('goes on from the last bookmark', async () => {
    const stream = await bench.synced(5);
    await stream.send(bookmark(77));
    await bench.clock.advance(290_000);
    await stream.close();
    expect(bench.starts).toEqual(['list', '77']);
  });

  it('remembers when it last heard of the server', async () => {
    const stream = await bench.synced(5);
    await bench.clock.advance(60_000);
    await stream.send(bookmark(77));
    expect(bench.source.health().lastSyncAt).toBe(61_000);
  });

  it('keeps managedFields out of the cache', async () => {
    const stream = await bench.synced(5);
    const heavy = { ...widget({ version: 6 }).metadata, managedFields: [{ manager: 'x' }] };
    await stream.send({ type: 'ADDED', object: { ...widget(), metadata: heavy } });
    expect(bench.cache.get('team-a/one')).toEqual(widget({ version: 6 }));
  });
});

describe('narrowing', () => {
  it('to a namespace and a field selector holds for lists and watches', async () => {
    const kind = { ...widgets, fieldSelector: 'type=ours' };
    const narrow = new SourceBench({ kind, namespace: 'team-a' });
    narrow.transport.refusals.push(refused(422));
    narrow.transport.answers.push(list(5, []));
    await narrow.start();
    for (const call of [...narrow.transport.calls, ...narrow.transport.streams.map((stream) => stream.call)]) {
      expect(call.path).toBe('/apis/test.dataprocessing.dev/v1/namespaces/team-a/widgets');
      expect(call.query).toMatchObject({ fieldSelector: 'type=ours' });
    }
    await narrow.stop();
  });
});

describe('a list in pages', () => {
  beforeEach(() => {
    bench.transport.refusals.push(refused(422));
  });

  it('takes the place of the stream where the server refuses that', async () => {
    bench.transport.answers.push(
      list(9, [widget({ name: 'one', version: 3 })], 'next'),
      list(9, [widget({ name: 'two', version: 4 })]),
    );
    await bench.start();
    expect(bench.transport.calls.map(({ query }) => query)).toEqual([
      { limit: 500, continue: undefined, fieldSelector: undefined },
      { limit: 500, continue: 'next', fieldSelector: undefined },
    ]);
    expect(bench.held).toEqual(['one@3', 'two@4']);
    expect(bench.starts).toEqual(['list', '9']);
    expect(bench.source.health()).toMatchObject({ synced: true, failing: undefined, relists: none });
  });

  it('is no failure: it comes at once, without a warning', async () => {
    bench.transport.answers.push(list(9, [widget({ name: 'one', version: 3 })]));
    await bench.start();
    expect(bench.held).toEqual(['one@3']);
    expect(bench.source.health()).toMatchObject({ synced: true, failures: 0 });
    expect(bench.log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('stays in use from then on', async () => {
    bench.transport.answers.push(list(9, []), list(99, []));
    await bench.start();
    await bench.clock.advance(10_000);
    await bench.stream.send(errorEvent(410, 'too old'));
    expect(bench.transport.calls).toHaveLength(2);
    expect(bench.starts).toEqual(['list', '9', '99']);
  });

  it('starts over when its token expires', async () => {
    bench.transport.answers.push(
      list(9, [widget({ name: 'old' })], 'next'),
      refused(410),
      list(20, [widget({ name: 'new' })]),
    );
    await bench.start();
    expect(bench.transport.calls.map(({ query }) => query?.['continue'])).toEqual([undefined, 'next', undefined]);
    expect(bench.held).toEqual(['new@1']);
  });

  it('gives up starting over, and tries again later', async () => {
    for (let index = 0; index < 4; index += 1) bench.transport.answers.push(list(9, [], 'next'), refused(410));
    bench.transport.answers.push(list(30, []));
    await bench.start();
    expect(bench.source.health()).toMatchObject({ synced: false });
    await bench.clock.advance(30_000);
    expect(bench.source.health()).toMatchObject({ synced: true });
  });

  it.each([
    ['no list', { kind: 'Status' }],
    ['a list without a version', { items: [] }],
    ['a list of something else', list(5, [{ no: 'metadata' }])],
  ])('that is %s is no list', async (_name, answered) => {
    bench.transport.answers.push(answered, list(30, [widget({ version: 2 })]));
    await bench.start();
    expect(bench.source.health()).toMatchObject({ synced: false, failing: expect.stringContaining('widgets') });
    await bench.clock.advance(30_000);
    expect(bench.held).toEqual(['one@2']);
  });
});
