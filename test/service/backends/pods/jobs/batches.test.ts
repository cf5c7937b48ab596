// Few large batches of many small chunks, and a rate that is divided among those that want more than their share.
import { expect, test } from 'vitest';
import { BatchRoom, FairRate, inBatches } from '../../../../../src/service/backends/pods/jobs/batches.ts';
import { ManualClock, settle } from '../../../../support/clock.ts';

const { signal } = new AbortController();
const chunk = Buffer.from('0123456789');
const roomOf = (most: number, all = most) => new BatchRoom({ all, most });

function batchesOf(chunks: AsyncIterable<Uint8Array>, clock = new ManualClock()) {
  const got: string[] = [];
  const all = (async () => {
    for await (const batch of inBatches(chunks, { clock, signal, room: roomOf(100), everyMs: 50 }))
      got.push(Buffer.from(batch).toString());
  })();
  return { clock, got, all };
}

async function* count(chunks: number, failure?: Error): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < chunks; index += 1) yield chunk;
  if (failure !== undefined) throw failure;
}

/** Chunks that arrive when the test sends them. */
function pipe() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return { chunks: readable, send: (text: string) => void writer.write(Buffer.from(text)), end: () => writer.close() };
}

test('what arrives without a pause is joined, and nothing is lost or changed in its order', async () => {
  const { clock, got, all } = batchesOf(count(1000));
  await clock.advance(50);
  await all;
  expect(got.join('')).toBe(chunk.toString().repeat(1000));
  expect(got.length).toBeLessThanOrEqual(101);
});

test('after a pause a chunk is a batch at once, and what follows it waits for the next one', async () => {
  const { chunks, send, end } = pipe();
  const { clock, got, all } = batchesOf(chunks);
  send('a');
  await clock.advance(25);
  expect(got).toEqual(['a']);
  send('b');
  send('c');
  await clock.advance(49);
  expect(got).toEqual(['a']);
  await clock.advance(1);
  expect(got).toEqual(['a', 'bc']);
  await clock.advance(1000);
  send('d');
  await clock.advance(25);
  expect(got).toEqual(['a', 'bc', 'd']);
  await end();
  await all;
});

test('what came before a failure is in batches before it is thrown', async () => {
  const { got, all } = batchesOf(count(25, new Error('the connection was lost')));
  await expect(all).rejects.toThrow('the connection was lost');
  expect(got.join('')).toBe(chunk.toString().repeat(25));
});

test('nothing is pulled ahead of a batch that is processed but one chunk', async () => {
  let pulled = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      pulled += 1;
      yield chunk;
    }
  }
  const clock = new ManualClock();
  for await (const batch of inBatches(endless(), { clock, signal, room: roomOf(100), everyMs: 50 })) {
    const before = pulled;
    await settle();
    await settle();
    expect([batch.length <= 110, pulled - before <= 1]).toEqual([true, true]);
    if (pulled > 50) break;
  }
  expect(pulled).toBeGreaterThan(50);
});

test('the more streams hold a batch, the smaller it is, and alone it is as large as ever', async () => {
  const room = roomOf(100, 200);
  const clock = new ManualClock();
  const ending = new AbortController();
  const start = () => inBatches(count(1000), { clock, signal: ending.signal, room, everyMs: 50 });
  const sizeOf = async (stream: AsyncGenerator<Uint8Array>) => (await stream.next()).value?.length;
  const few = [start(), start()];
  expect(await Promise.all(few.map(sizeOf))).toEqual([100, 100]);
  const others = Array.from({ length: 18 }, start);
  const sizes = await Promise.all(others.map(sizeOf));
  // Twenty of them share 200 bytes, and each may exceed its share by a chunk.
  expect(Math.max(...sizes.map(Number))).toBeLessThanOrEqual(20);
  await Promise.all(others.map((stream) => stream.return(undefined)));
  expect(await Promise.all(few.map(sizeOf))).toEqual([100, 100]);
});

/** How many bytes each stream passes in a second. */
async function passedIn(seconds: number, streams: number, wanted = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const ending = new AbortController();
  const rate = new FairRate({ clock, all: 2000, free: 50, burst: 500 });
  const passed = Array.from({ length: streams }, () => 0);
  const done = passed.map(async (_, index) => {
    const pass = rate.stream(ending.signal);
    while (!ending.signal.aborted && (passed[index] ?? 0) < wanted) {
      passed[index] = (passed[index] ?? 0) + 10;
      await pass(10);
    }
  });
  await settle();
  for (let tenth = 0; tenth < seconds * 10; tenth += 1) await clock.advance(100);
  const result = [...passed];
  ending.abort();
  await Promise.all(done);
  return result;
}

test('a stream passes its burst at once, and then the rate', async () => {
  expect(await passedIn(0, 1)).toEqual([510]);
  const [bytes = 0] = await passedIn(10, 1);
  expect(bytes).toBeGreaterThan(19_000);
  expect(bytes).toBeLessThanOrEqual(20_520);
});

test('many streams share the rate equally', async () => {
  const passed = await passedIn(10, 8);
  const total = passed.reduce((sum, each) => sum + each, 0);
  expect(total).toBeGreaterThan(19_000);
  expect(total).toBeLessThanOrEqual(20_000 + 8 * 520);
  expect(Math.max(...passed) - Math.min(...passed)).toBeLessThanOrEqual(100);
});

test('a stream that wants little never waits, whatever others do', async () => {
  const clock = new ManualClock();
  const rate = new FairRate({ clock, all: 1000, free: 50, burst: 500 });
  void rate.stream(signal)(1_000_000);
  const little = rate.stream(signal);
  for (let second = 0; second < 100; second += 1) {
    await little(50);
    await clock.advance(1000);
  }
});
