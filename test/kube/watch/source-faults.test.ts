// The source when the API server fails in every way it was seen to fail: it never ends and never forgets by mistake.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError, refusalError } from '../../../src/kube/api-error.ts';
import { bookmark, errorEvent, event, list, widget } from '../../operator/kube/support/objects.ts';
import { broken, none, refused, SourceBench } from '../../operator/kube/support/source-bench.ts';
import { settle } from '../../support/clock.ts';

let bench: SourceBench;

beforeEach(() => {
  bench = new SourceBench();
});
afterEach(() => bench.stop());

const one = { name: 'one', version: 3 };

describe('a watch that breaks', () => {
  it('goes on from the last version after a backoff that grows', async () => {
    await bench.synced(5, one);
    const times: number[] = [];
    for (let index = 0; index < 7; index += 1) bench.transport.refusals.push(broken);
    bench.stream.fail(broken);
    await settle();
    for (let seen = bench.transport.streams.length; times.length < 7; ) {
      await bench.clock.advance(100);
      if (bench.transport.streams.length > seen) times.push(bench.clock.monotonic() - 1000);
      seen = bench.transport.streams.length;
    }
    expect(times).toEqual([400, 1200, 2800, 6000, 12400, 25200, 40200]);
    expect(new Set(bench.starts.slice(1))).toEqual(new Set(['5']));
    expect(bench.held).toEqual(['one@3']);
  });

  it('is said once, and so is its return', async () => {
    await bench.synced(5, one);
    bench.transport.refusals.push(broken, broken, broken);
    bench.stream.fail(broken);
    await bench.clock.advance(20_000);
    const lines = bench.log.lines.filter(({ level }) => level !== 'debug');
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
    expect(lines[0]).toMatchObject({ fields: { kind: 'Widget', err: broken } });
  });

  it('is known to readiness until it is back', async () => {
    await bench.synced(5, one);
    bench.transport.refusals.push(broken);
    bench.stream.fail(broken);
    await settle();
    expect(bench.source.health()).toMatchObject({ synced: true, failing: broken.message, lastSyncAt: 1000 });
    await bench.clock.advance(10_000);
    expect(bench.source.health()).toMatchObject({ failing: undefined, lastSyncAt: 2200 });
  });

  it('starts from the shortest backoff again after a good watch', async () => {
    await bench.synced(5, one);
    bench.transport.refusals.push(broken, broken, broken);
    bench.stream.fail(broken);
    await bench.clock.advance(20_000);
    const opened = bench.transport.streams.length;
    bench.stream.fail(broken);
    await bench.clock.advance(400);
    expect(bench.transport.streams).toHaveLength(opened + 1);
  });

  it('waits as long as the server wants', async () => {
    await bench.synced(5, one);
    bench.transport.refusals.push(refused(429, 7000));
    bench.stream.fail(refused(429, 7000));
    await bench.clock.advance(7399);
    expect(bench.transport.streams).toHaveLength(1);
    await bench.clock.advance(1);
    expect(bench.transport.streams).toHaveLength(2);
  });

  it('does not wait for hours because of a mad header', async () => {
    await bench.synced(5, one);
    bench.stream.fail(refused(429, 1e12));
    await bench.clock.advance(301_000);
    expect(bench.transport.streams.length).toBeGreaterThan(1);
  });

  it.each([
    ['an object that is none', { type: 'ADDED', object: { no: 'metadata' } }],
    ['an unknown type', { type: 'NEWS', object: {} }],
    ['a number', 5],
    ['null', null],
    ['a bookmark without a version', { type: 'BOOKMARK', object: {} }],
    ['an error that is none', { type: 'ERROR' }],
    ['an error of the server', errorEvent(500, 'etcd is away')],
  ])('because of %s goes on from before it', async (_name, value) => {
    await bench.synced(5, one);
    await bench.stream.send(value);
    expect(bench.source.health().failing).toBeDefined();
    await bench.clock.advance(400);
    expect(bench.starts).toEqual(['list', '5']);
    await bench.stream.send(event('ADDED', { name: 'two', version: 9 }));
    expect(bench.held).toEqual(['one@3', 'two@9']);
  });
});

describe('an expired version', () => {
  it.each([
    ['as an event', () => bench.stream.send(errorEvent(410, 'too old resource version'))],
    ['as a status', () => Promise.resolve(bench.stream.fail(refused(410)))],
  ])('%s ends in a new list at once', async (_name, expire) => {
    await bench.synced(5, one, { name: 'gone' });
    await expire();
    await settle();
    expect(bench.starts).toEqual(['list', 'list']);
    expect(bench.held).toEqual(['gone@1', 'one@3']);
    await bench.sendList(90, { ...one, version: 80 }, { name: 'new' });
    expect(bench.changes).toEqual(['+one', '+gone', '-gone', '~one', '+new']);
    expect(bench.told.at(-1)?.initial).toBe(false);
    expect(bench.source.health()).toMatchObject({ relists: { ...none, expired: 1 }, failures: 0, failing: undefined });
  });

  it('again and again is slowed down', async () => {
    await bench.synced(5, one);
    for (let index = 0; index < 50; index += 1) bench.transport.refusals.push(refused(410));
    bench.stream.fail(refused(410));
    await bench.clock.advance(60_000);
    expect(bench.transport.streams.length).toBeLessThan(12);
    expect(bench.source.health().failing).toContain('410');
  });

  it('after an outage ends in a new list at once, too', async () => {
    await bench.synced(5, one);
    for (let index = 0; index < 8; index += 1) bench.transport.refusals.push(broken);
    bench.transport.refusals.push(refused(410));
    bench.stream.fail(broken);
    while (bench.transport.refusals.length > 1) await bench.clock.advance(50);
    const before = bench.clock.monotonic();
    await bench.untilOpened();
    await settle();
    expect(bench.starts.slice(-2)).toEqual(['5', 'list']);
    expect(bench.clock.monotonic() - before).toBeLessThanOrEqual(15_050);
  });

  it('needs no warning', async () => {
    await bench.synced(5, one);
    await bench.stream.send(errorEvent(410, 'too old'));
    expect(bench.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('that was replaced by a list tells nothing where nothing changed', async () => {
    await bench.synced(5, one);
    await bench.stream.send(errorEvent(410, 'too old'));
    await bench.sendList(90, one);
    expect(bench.changes).toEqual(['+one']);
  });
});

describe('a watch that the server ends at once', () => {
  it('is opened again more and more slowly', async () => {
    await bench.synced(5, one);
    await bench.stream.send(event('MODIFIED', { name: 'one', version: 6 }));
    for (let round = 0; round < 40; round += 1) {
      const { stream } = bench;
      await stream.send(event('MODIFIED', { name: 'one', version: 7 + round }));
      await stream.close();
      await bench.clock.advance(1000);
    }
    expect(bench.transport.streams.length).toBeLessThan(12);
  });

  it.each([
    ['with nothing in it', () => bench.stream.close()],
    ['by garbage', () => bench.stream.send('garbage')],
    ['by a broken connection', async () => bench.stream.fail(broken)],
  ])('%s, five times in a row, ends in a new list', async (_name, end) => {
    const stream = await bench.synced(5, one);
    await bench.clock.advance(10_000);
    await stream.close();
    for (let round = 0; round < 5; round += 1) {
      expect(bench.starts.at(-1)).toBe('5');
      await end();
      await bench.untilOpened();
    }
    expect(bench.starts).toEqual(['list', '5', '5', '5', '5', '5', 'list']);
    expect(bench.held).toEqual(['one@3']);
    await bench.sendList(9, one);
    expect(bench.source.health().relists).toEqual({ ...none, fruitless: 1 });
  });

  it('by refusing it, however often, keeps its version: nothing is wrong with that', async () => {
    await bench.synced(5, one);
    for (let index = 0; index < 12; index += 1) bench.transport.refusals.push(broken);
    bench.stream.fail(broken);
    await bench.clock.advance(300_000);
    expect(bench.starts.slice(1).every((start) => start === '5')).toBe(true);
  });
});

describe('a watch that brings nothing at all', () => {
  /** The bookmarks of more than two minutes are missing. */
  async function staySilent(end: () => unknown): Promise<void> {
    await bench.clock.advance(150_000);
    end();
    await bench.untilOpened();
  }

  it.each([
    ['and is given up', () => bench.stream.fail(broken)],
    ['and is ended by the server', () => bench.stream.close()],
  ])('%s ends in a new list: its version may be one of the future', async (_name, end) => {
    const stream = await bench.synced(50, one);
    await stream.close();
    await bench.untilOpened();
    expect(bench.starts).toEqual(['list', '50']);
    await staySilent(end);
    expect(bench.starts).toEqual(['list', '50', 'list']);
    await bench.sendList(9, { ...one, version: 2 });
    expect(bench.held).toEqual(['one@2']);
    expect(bench.source.health().relists).toEqual({ ...none, fruitless: 1 });
  });

  it('after it brought something goes on from there', async () => {
    await bench.synced(5, one);
    await bench.stream.send(bookmark(7));
    await staySilent(() => bench.stream.fail(broken));
    expect(bench.starts).toEqual(['list', '7']);
  });
});

describe('a list by stream that breaks off', () => {
  it('leaves the cache alone and is done in pages once', async () => {
    await bench.synced(5, one);
    await bench.stream.send(errorEvent(410, 'too old'));
    await bench.stream.send(event('ADDED', { name: 'half', version: 50 }));
    await bench.stream.close();
    expect(bench.held).toEqual(['one@3']);
    bench.transport.answers.push(list(60, [widget({ name: 'whole', version: 55 })]));
    await bench.clock.advance(2_000);
    expect(bench.held).toEqual(['whole@55']);
    expect(bench.source.health()).toMatchObject({ failing: undefined, relists: { ...none, expired: 1 } });
    await bench.stream.send(errorEvent(410, 'too old'));
    await bench.clock.advance(10_000);
    expect(bench.starts).toEqual(['list', 'list', '60', 'list']);
  });

  it('because the server throttles is tried as a stream again', async () => {
    bench.transport.refusals.push(refused(429, 1000));
    await bench.start();
    await bench.clock.advance(1400);
    expect(bench.starts).toEqual(['list', 'list']);
    expect(bench.transport.calls).toEqual([]);
  });
});

describe('a kind that is not served', () => {
  const absent = refusalError('watch widgets', {
    status: 404,
    contentType: 'text/plain',
    retryAfter: undefined,
    text: '404 page not found',
  });

  it('is asked for again and again, and readiness says why', async () => {
    for (let index = 0; index < 6; index += 1) bench.transport.refusals.push(absent);
    await bench.start();
    await bench.clock.advance(10_000);
    expect(bench.source.health()).toMatchObject({
      synced: false,
      failing: expect.stringContaining('CustomResourceDefinition'),
    });
    await bench.clock.advance(60_000);
    await bench.sendList(5, one);
    expect(bench.source.health()).toMatchObject({ synced: true, failing: undefined });
  });

  it('any more never means that its objects are gone', async () => {
    await bench.synced(5, one);
    bench.transport.refusals.push(absent, absent, absent);
    bench.stream.fail(absent);
    await bench.clock.advance(2_000);
    expect(bench.held).toEqual(['one@3']);
    expect(bench.changes).toEqual(['+one']);
    expect(bench.source.health()).toMatchObject({ synced: true, failing: expect.stringContaining('not serve') });
  });

  it('until it comes back is listed anew then', async () => {
    await bench.synced(5, one);
    bench.stream.fail(absent);
    await bench.clock.advance(400);
    expect(bench.starts).toEqual(['list', 'list']);
    await bench.sendList(9, { name: 'two', version: 8 });
    expect(bench.changes).toEqual(['+one', '-one', '+two']);
    expect(bench.source.health()).toMatchObject({ relists: { ...none, absent: 1 }, watches: 2, failures: 1 });
  });
});

describe('time', () => {
  it('for a new list comes although the watch looks well', async () => {
    await bench.synced(5, one);
    await bench.clock.advance(1_799_999);
    expect(bench.starts).toEqual(['list']);
    await bench.clock.advance(1);
    expect(bench.starts).toEqual(['list', 'list']);
    await bench.sendList(4, { name: 'one', version: 2 });
    expect(bench.held).toEqual(['one@2']);
    expect(bench.source.health()).toMatchObject({ relists: { ...none, schedule: 1 }, failing: undefined });
    expect(bench.log.lines).toEqual([]);
  });

  it('for a new list that passed while the server was away causes no rush', async () => {
    await bench.synced(5, one);
    for (let index = 0; index < 200; index += 1) bench.transport.refusals.push(broken);
    bench.stream.fail(broken);
    await bench.clock.advance(1_750_000);
    const before = bench.transport.streams.length;
    await bench.clock.advance(100_000);
    expect(bench.transport.streams.length - before).toBeLessThan(12);
  });

  it('for a new list is counted from the last one', async () => {
    await bench.synced(5, one);
    await bench.clock.advance(1_000_000);
    await bench.stream.send(errorEvent(410, 'too old'));
    await bench.sendList(9, one);
    await bench.stream.send(bookmark(10));
    await bench.clock.advance(290_000);
    await bench.stream.close();
    await bench.clock.advance(600_000);
    expect(bench.starts).toEqual(['list', 'list', '10']);
  });
});

describe('stopping', () => {
  it('ends a watch', async () => {
    const stream = await bench.synced(5, one);
    await bench.stop();
    expect(stream.call.signal.aborted).toBe(true);
    expect(bench.log.lines).toEqual([]);
    expect(bench.clock.pending).toBe(0);
  });

  it('ends a wait', async () => {
    bench.transport.refusals.push(broken);
    await bench.start();
    await bench.stop();
    expect(bench.transport.streams).toHaveLength(1);
    expect(bench.clock.pending).toBe(0);
  });

  it('during a list opens no watch and tells nothing', async () => {
    bench.transport.refusals.push(refused(422));
    let release: (value: object) => void = () => undefined;
    bench.transport.answers.push(() => new Promise((resolve) => (release = resolve)));
    await bench.start();
    const stopped = bench.stop();
    release(list(5, [widget()]));
    await stopped;
    expect(bench.held).toEqual([]);
    expect(bench.transport.streams).toHaveLength(1);
  });

  it('before events are read leaves them unread', async () => {
    const stream = await bench.synced(5, one);
    const sent = stream.send(event('ADDED', { name: 'late', version: 9 }));
    await bench.stop();
    await sent;
    expect(bench.held).toEqual(['one@3']);
  });

  it('before the start starts nothing', async () => {
    await bench.stop();
    await bench.start();
    expect(bench.transport.streams).toEqual([]);
  });
});

describe('an unexpected error', () => {
  it('inside is as good a reason to try again as any other', async () => {
    await bench.synced(5, one);
    bench.stream.fail(new TypeError('a bug of ours'));
    await settle();
    expect(bench.source.health().failing).toBe('a bug of ours');
    await bench.clock.advance(400);
    expect(bench.starts).toEqual(['list', '5']);
    expect(bench.log.lines[0]?.fields.err).not.toBeInstanceOf(ApiError);
  });
});
