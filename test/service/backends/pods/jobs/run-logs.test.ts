// The output of runs in pods is copied from the log of a kubelet, which sends whole seconds anew, and forgets the beginning.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { KubeApi } from '../../../../../src/service/backends/pods/api/api.ts';
import { gapLine } from '../../../../../src/service/backends/pods/jobs/log-reader.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { overQuotaLine, RunLogs } from '../../../../../src/service/backends/pods/jobs/run-logs.ts';
import { OutputWriter, outputBytes, readOutput } from '../../../../../src/service/backends/runs/output.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { anyRoom, fullMessage, type Room } from '../../../../../src/service/model/disk/volume.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { limitMs } from '../../../../support/patience.ts';

const run = 'run-1';
const tenant = 'project-1';
const pod = { metadata: { name: 'run-1-x', namespace: 'data' } };
const signal = new AbortController().signal;

type LogPod = Parameters<KubeApi['log']>[0];
type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Line {
  readonly time: string;
  readonly text: string;
}

/** The log of one container. */
class Kubelet {
  readonly queries: Query[] = [];
  lines: Line[] = [];
  /** How many bytes it sends at a time. */
  chunk = 1000;
  /** After how many of them the connection breaks. */
  breaksAfter = Number.POSITIVE_INFINITY;
  /** After how many of them it brings nothing more. */
  stallsAfter = Number.POSITIVE_INFINITY;
  #ended = false;
  #wake = Promise.withResolvers<void>();

  print(...lines: readonly Line[]): void {
    this.lines.push(...lines);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** The kubelet keeps what is printed from now on. */
  rotate(): void {
    this.lines = [];
  }

  end(): void {
    this.#ended = true;
    this.#wake.resolve();
  }

  async *log(_pod: LogPod, query: Query, at: { readonly signal: AbortSignal }): AsyncGenerator<Uint8Array> {
    this.queries.push(query);
    const stalled = Promise.withResolvers<never>();
    at.signal.addEventListener('abort', () => {
      this.print();
      stalled.reject(at.signal.reason);
    });
    stalled.promise.catch(() => undefined);
    let chunks = 0;
    const since = Date.parse(String(query['sinceTime'] ?? '1970-01-01T00:00:00Z'));
    const tail = query['tailLines'] === undefined ? 0 : Math.max(this.lines.length - Number(query['tailLines']), 0);
    let left = this.breaksAfter;
    for (let sent: Line | undefined; ; ) {
      const next = this.lines.slice(sent === undefined ? tail : this.lines.indexOf(sent) + 1);
      const news = next.filter(({ time }) => Date.parse(time) >= since);
      const bytes = Buffer.from(news.map(({ time, text }) => `${time} ${text}\n`).join(''));
      for (let place = 0; place < bytes.length; place += this.chunk) {
        if (left <= 0) throw new Transient('the connection was lost');
        left -= 1;
        if (chunks === this.stallsAfter) await stalled.promise;
        chunks += 1;
        yield bytes.subarray(place, place + this.chunk);
      }
      sent = next.at(-1) ?? sent;
      if (query['follow'] !== true || this.#ended) return;
      await this.#wake.promise;
      at.signal.throwIfAborted();
    }
  }
}

function open(kubelet: Kubelet, logBytes = 1_000_000, room: Room = anyRoom) {
  const folder = mkdtempSync(join(tmpdir(), 'run-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const runs = new PodRuns(folder, { room });
  const clock = new ManualClock();
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_: unknown, text: string) => void warnings.push(text), error() {} };
  /** Another life of the service. */
  const life = (api: Pick<KubeApi, 'log'> = kubelet) => new RunLogs({ api, runs, clock, log, logBytes });
  const copy = (logs = life()) => logs.copy(run, pod, { follow: false, signal });
  const output = () => readOutput(runs.paths(run).output, { from: 0, limit: 1_000_000 }).text;
  /** Files are written in real time. */
  const reaches = (expected: string) =>
    vi.waitFor(
      async () => {
        await clock.advance(10);
        expect(output()).toBe(expected);
      },
      { interval: 1, timeout: limitMs },
    );
  return { clock, runs, life, copy, output, reaches, warnings };
}

/** Several lines have the same time, and some the same text. */
const lines: readonly Line[] = Array.from({ length: 60 }, (_, index) => ({
  time: `2026-01-01T00:00:0${Math.floor(index / 20)}.00000000${Math.floor(index / 4) % 5}Z`,
  text: index % 7 === 0 ? '' : `line ${Math.floor(index / 3)} of “many”, 10 €`,
}));
const printed = lines.map(({ text }) => `${text}\n`).join('');

test.each([16, 64, 500])('each line is kept once, in parts of %d bytes and after breaks anywhere', async (chunk) => {
  const kubelet = new Kubelet();
  kubelet.print(...lines);
  kubelet.chunk = chunk;
  const { copy, output } = open(kubelet);
  for (kubelet.breaksAfter = 1; ; kubelet.breaksAfter += Math.ceil(60 / chunk)) {
    const isDone = await copy().then(
      () => true,
      () => false,
    );
    if (isDone) break;
  }
  expect(output()).toBe(printed);
  expect(kubelet.queries.length).toBeGreaterThan(chunk === 500 ? 3 : 10);
  await copy();
  expect(output()).toBe(printed);
});

test('a later life asks for what is new, from the second of the last line on', async () => {
  const kubelet = new Kubelet();
  kubelet.print(...lines.slice(0, 30));
  const { copy, output } = open(kubelet);
  await copy();
  kubelet.rotate();
  kubelet.print(...lines.slice(25));
  await copy();
  expect(kubelet.queries.map(({ sinceTime }) => sinceTime)).toEqual([undefined, '2026-01-01T00:00:01.000Z']);
  expect(output()).toBe(printed);
});

test('a log that is followed keeps what the kubelet rotates away, and each line is there at once', async () => {
  const kubelet = new Kubelet();
  const { clock, life, output, reaches } = open(kubelet);
  const follower = life().follow(run, signal, { tenant });
  follower.look(pod);
  let expected = '';
  for (const line of lines.slice(0, 10)) {
    kubelet.print(line);
    expected += `${line.text}\n`;
    await reaches(expected);
    kubelet.rotate();
    await clock.advance(100);
  }
  kubelet.end();
  await follower.rest(pod);
  expect(output()).toBe(expected);
});

test('a log that is still on its way when its program has ended is waited for, and one that brings nothing is not', async () => {
  const kubelet = new Kubelet();
  const { clock, life, output, reaches } = open(kubelet);
  const follower = life().follow(run, signal, { tenant });
  follower.look(pod);
  const rest = follower.rest(pod);
  let expected = '';
  for (const line of lines.slice(0, 5)) {
    kubelet.print(line);
    expected += `${line.text}\n`;
    await reaches(expected);
    await clock.advance(9000);
    kubelet.rotate();
  }
  await clock.advance(20_000);
  await rest;
  expect(output()).toBe(expected);
});

test('a log that breaks off while it is followed is followed again', async () => {
  const kubelet = new Kubelet();
  kubelet.print(...lines);
  kubelet.breaksAfter = 1;
  const { clock, life, output, warnings } = open(kubelet);
  const follower = life().follow(run, signal, { tenant });
  while (output() !== printed) {
    follower.look(pod);
    await clock.advance(500);
    kubelet.breaksAfter += 1;
  }
  expect(warnings).toEqual([]);
  await follower.close();
});

test('logs without a line are asked for every half hour, which is no failure', async () => {
  const kubelet = new Kubelet();
  const { clock, life } = open(kubelet);
  /** As the transport ends them. */
  const log: KubeApi['log'] = (at, query, { signal: ended, idleMs }) => {
    const idle = new AbortController();
    clock.after(idleMs, () => idle.abort(new Transient(`no byte for ${idleMs} ms`)));
    return kubelet.log(at, query, { signal: AbortSignal.any([ended, idle.signal]) });
  };
  const logs = life({ log });
  const followers = Array.from({ length: 100 }, (_, index) => logs.follow(`run-${index}`, signal, { tenant }));
  for (const follower of followers) follower.look(pod);
  await clock.advance(29 * 60_000);
  expect(kubelet.queries.length).toBe(100);
  await clock.advance(2 * 60_000);
  expect(kubelet.queries.length).toBe(200);
  await Promise.all(followers.map((follower) => follower.close()));
});

test('what the kubelet itself says is no output', async () => {
  const kubelet = new Kubelet();
  kubelet.lines = [{ time: 'unable to retrieve container logs', text: 'for containerd://1' }, ...lines.slice(0, 2)];
  const { copy, output } = open(kubelet);
  await copy();
  expect(output()).toBe(
    lines
      .slice(0, 2)
      .map(({ text }) => `${text}\n`)
      .join(''),
  );
});

test('the beginning and the end of a long output are kept, without a broken character', async () => {
  const kubelet = new Kubelet();
  for (let index = 0; index < 500; index += 1)
    kubelet.print({
      time: `2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`,
      text: `${index} ${'€'.repeat(index % 5)}`,
    });
  const { copy, output } = open(kubelet, 1000);
  await copy();
  expect(Buffer.byteLength(output())).toBeLessThan(1100);
  expect(output()).toMatch(/^0 \n1 €\n[^]*\n\[\d+ bytes are not kept\]\n[^]*\n499 €€€€\n$/);
  expect(output()).not.toContain('\ufffd');
});

const textOf = (some: readonly Line[]) => some.map(({ text }) => `${text}\n`).join('');

test('where the node has removed lines before they were copied, the output has a line that says so', async () => {
  const kubelet = new Kubelet();
  kubelet.print(...lines.slice(0, 10));
  const { copy, output } = open(kubelet);
  await copy();
  kubelet.rotate();
  kubelet.print(...lines.slice(30, 40));
  await copy();
  const expected = `${textOf(lines.slice(0, 10))}${gapLine}${textOf(lines.slice(30, 40))}`;
  expect(output()).toBe(expected);
  kubelet.print(...lines.slice(40));
  await copy();
  expect(output()).toBe(expected + textOf(lines.slice(40)));
});

test('what follows a line that was cut and removed is kept whole', async () => {
  const kubelet = new Kubelet();
  const [first, cut] = ['2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.2Z'];
  kubelet.print({ time: first, text: 'first' }, { time: cut, text: 'c'.repeat(100) });
  kubelet.chunk = 60;
  kubelet.breaksAfter = 2;
  const { copy, output } = open(kubelet);
  await expect(copy()).rejects.toThrow('lost');
  const before = output();
  expect(before).toMatch(/^first\nc+$/);
  kubelet.rotate();
  kubelet.breaksAfter = Number.POSITIVE_INFINITY;
  kubelet.print(...lines.slice(20));
  for (let time = 0; time < 2; time += 1) {
    await copy();
    expect(output()).toBe(`${before}\n${gapLine}${textOf(lines.slice(20))}`);
  }
});

test('output that a crash of the computer took is not counted again', async () => {
  const kubelet = new Kubelet();
  kubelet.print(...lines.slice(0, 10));
  const { copy, output, runs } = open(kubelet);
  await copy();
  const kept = output().slice(0, 20);
  writeFileSync(join(runs.paths(run).output, '0'), kept);
  kubelet.print(...lines.slice(10));
  for (let time = 0; time < 2; time += 1) {
    await copy();
    expect(output()).toBe(kept + textOf(lines.slice(10)));
  }
});

test('a log that takes too long after the end of its program is cut, and its end is there', async () => {
  const kubelet = new Kubelet();
  for (let index = 0; index < 30_000; index += 1)
    kubelet.lines.push({ time: `2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`, text: `${index}` });
  kubelet.chunk = 100_000;
  kubelet.stallsAfter = 1;
  const { clock, life, output } = open(kubelet);
  const done = life().copyRest(run, pod, { signal, ms: 5000 });
  await vi.waitFor(async () => {
    await clock.advance(10);
    expect(output()).toContain('\n2000\n');
  }, limitMs);
  kubelet.stallsAfter = Number.POSITIVE_INFINITY;
  await clock.advance(5000);
  await done;
  expect(kubelet.queries.map(({ tailLines }) => tailLines)).toEqual([undefined, 20_000]);
  const [beginning = '', end = ''] = output().split(gapLine);
  expect([beginning.slice(0, 4), end.slice(0, 6), end.slice(-6)]).toEqual(['0\n1\n', '10000\n', '29999\n']);
});

test('a log that does not end after the end of its program is waited for at most a minute', async () => {
  const kubelet = new Kubelet();
  const { clock, life, output } = open(kubelet);
  const follower = life().follow(run, signal, { tenant });
  follower.look(pod);
  let isDone = false;
  const rest = follower.rest(pod).then(() => (isDone = true));
  let seconds = 0;
  for (let index = 0; !isDone; index += 1, seconds += 9) {
    kubelet.print({ time: `2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`, text: `${index}` });
    await vi.waitFor(async () => {
      await clock.advance(10);
      expect(isDone || output().endsWith(`${index}\n`)).toBe(true);
    }, limitMs);
    await clock.advance(9000);
  }
  await rest;
  expect([seconds >= 60, seconds <= 90]).toEqual([true, true]);
});

test('a program that prints without end costs few writes, between which others have their turn', async () => {
  const kubelet = new Kubelet();
  const MiB = 1024 ** 2;
  const text = 'x'.repeat(67);
  const count = (4 * MiB) / 100;
  for (let index = 0; index < count; index += 1)
    kubelet.lines.push({ time: `2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`, text });
  const { clock, life, runs } = open(kubelet, 16 * MiB);
  const appends = vi.spyOn(OutputWriter.prototype, 'append');
  const positions = vi.spyOn(PodRuns.prototype, 'keepLogPosition');
  onTestFinished(() => void vi.restoreAllMocks());
  let isDone = false;
  const done = life()
    .copy(run, pod, { follow: false, signal })
    .then(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns += 1) await clock.advance(1);
  await done;
  const [writes, kept] = [appends.mock.calls.length, positions.mock.calls.length];
  expect(Math.max(writes, kept) / 4).toBeLessThanOrEqual(5);
  expect(turns).toBeGreaterThan(writes);
  expect(runs.logPosition(run)?.total).toBe(Math.ceil(count) * 68);
  expect(outputBytes(runs.paths(run).output)).toBe(Math.ceil(count) * 68);
});

test('a program that prints without end is copied no faster than its rate', async () => {
  let sent = 0;
  const line = Buffer.from(`2026-01-01T00:00:00.1Z ${'x'.repeat(1000)}\n`.repeat(64));
  const kubelet = new Kubelet();
  kubelet.log = async function* (_pod, _query, at) {
    for (; !at.signal.aborted; sent += line.length) yield line;
  };
  const { clock, life } = open(kubelet);
  const ending = new AbortController();
  const done = life().copy(run, pod, { follow: true, signal: ending.signal });
  const MiB = 1024 ** 2;
  const most = 1 + 8 + 1;
  for (let ms = 0; ms < 1000; ms += 1) await clock.advance(1);
  expect(sent).toBeLessThanOrEqual(most * MiB);
  await vi.waitFor(() => expect(sent).toBeGreaterThan(MiB), limitMs);
  ending.abort(new Error('it is over'));
  await done;
});

test('output waits while the volume is full, and is copied when there is room', async () => {
  const kubelet = new Kubelet();
  const room = { ...anyRoom, isFull: true };
  const { clock, life, copy, output, reaches, warnings } = open(kubelet, 1_000_000, room);
  const follower = life().follow(run, signal, { tenant });
  follower.look(pod);
  kubelet.print(...lines.slice(0, 30));
  for (let seconds = 0; seconds < 30; seconds += 1) {
    await clock.advance(1000);
    follower.look(pod);
  }
  // The last room is for deletions, and nothing is asked for again and again.
  expect([output(), kubelet.queries.length, warnings]).toEqual(['', 1, []]);
  room.isFull = false;
  await clock.advance(1000);
  await reaches(textOf(lines.slice(0, 30)));
  await follower.close();
  room.isFull = true;
  kubelet.print(...lines.slice(30));
  // Whoever ends a run does not wait for room.
  await expect(copy()).rejects.toThrow(fullMessage);
  room.isFull = false;
  await copy();
  expect(output()).toBe(printed);
});

describe('a log that its node does not hand out', () => {
  /** Fails each request, and counts them. */
  class DeadKubelet extends Kubelet {
    isDead = true;
    /** By the name of the pod. */
    readonly tries = new Map<string, number>();
    override log(...args: Parameters<Kubelet['log']>): AsyncGenerator<Uint8Array> {
      const [{ name }, query] = args;
      if (!this.isDead) return super.log(...args);
      this.queries.push(query);
      this.tries.set(name, (this.tries.get(name) ?? 0) + 1);
      throw new Transient('the node does not answer');
    }
  }

  /** In the time of the clock. Files are written in real time. */
  async function pass(clock: ManualClock, seconds: number): Promise<void> {
    for (let ms = 0; ms < seconds * 1000; ms += 250) await clock.advance(250);
  }

  test('is tried ever more rarely, and all runs of the node together at most four times a second', async () => {
    const kubelet = new DeadKubelet();
    const { clock, life } = open(kubelet);
    const logs = life();
    const followers = Array.from({ length: 100 }, (_, index) => logs.follow(`run-${index}`, signal, { tenant }));
    for (const follower of followers) follower.look(pod);
    await pass(clock, 8);
    const early = kubelet.queries.length;
    await pass(clock, 20);
    expect(kubelet.queries.length - early).toBeLessThanOrEqual(4 * 20 + 1);
    const before = kubelet.queries.length;
    await pass(clock, 600);
    // Each of them once a minute.
    expect(kubelet.queries.length - before).toBeLessThanOrEqual(100 * 13);
    expect(kubelet.queries.length - before).toBeGreaterThanOrEqual(100 * 9);
    await Promise.all(followers.map((follower) => follower.close()));
  });

  test('does not delay the next try of the logs of other tenants, however many there are', async () => {
    const kubelet = new DeadKubelet();
    const { clock, life } = open(kubelet);
    const logs = life();
    const many = Array.from({ length: 400 }, (_, index) => logs.follow(`run-${index}`, signal, { tenant }));
    const other = logs.follow('another-run', signal, { tenant: 'project-2' });
    const another = { metadata: { name: 'another-run-x', namespace: 'data' } };
    for (const follower of many) follower.look(pod);
    await pass(clock, 1);
    other.look(another);
    await pass(clock, 600);
    // After 2, 4, 8, 16, 32 and then each 60 seconds.
    expect(kubelet.tries.get('another-run-x')).toBeGreaterThanOrEqual(14);
    await Promise.all([...many, other].map((follower) => follower.close()));
  });

  test('is tried again at once when its pod has changed, and soon after it has brought something', async () => {
    const kubelet = new DeadKubelet();
    const { clock, life, reaches } = open(kubelet);
    const follower = life().follow(run, signal, { tenant });
    const changed = { ...pod, status: { podIP: '10.0.0.1' } };
    follower.look(pod);
    await pass(clock, 300);
    const count = kubelet.queries.length;
    follower.look(pod);
    await pass(clock, 1);
    expect(kubelet.queries.length).toBe(count);
    kubelet.isDead = false;
    kubelet.breaksAfter = 1;
    kubelet.print(...lines.slice(0, 10));
    follower.look(changed);
    await reaches(textOf(lines.slice(0, 10)));
    expect(kubelet.queries.length).toBe(count + 1);
    kubelet.print(...lines.slice(10, 20));
    const begin = clock.monotonic();
    await vi.waitFor(async () => {
      await clock.advance(250);
      expect(kubelet.queries.length).toBeGreaterThan(count + 1);
    }, limitMs);
    expect(clock.monotonic() - begin).toBeLessThan(20_000);
    await follower.close();
  });

  test('does not delay the end of its program by the time until the next try', async () => {
    const kubelet = new DeadKubelet();
    const { clock, life, output } = open(kubelet);
    const follower = life().follow(run, signal, { tenant });
    follower.look(pod);
    await pass(clock, 300);
    kubelet.isDead = false;
    kubelet.print(...lines);
    kubelet.end();
    let isDone = false;
    const rest = follower.rest(pod).then(() => (isDone = true));
    const begin = clock.monotonic();
    await vi.waitFor(async () => {
      await clock.advance(25);
      expect(isDone).toBe(true);
    }, limitMs);
    await rest;
    expect(output()).toBe(printed);
    expect(clock.monotonic() - begin).toBeLessThan(5000);
  });
});

test.each(['', '{"time":"17', 'null', '{}', '{"time":"now","lines":1,"total":3}'])(
  'an output whose position a power loss has left as %j is copied again, once it can be had',
  async (left) => {
    const kubelet = new Kubelet();
    kubelet.print(...lines.slice(0, 30));
    const { copy, output, runs } = open(kubelet);
    await copy();
    writeFileSync(runs.paths(run).position, left);
    kubelet.breaksAfter = 0;
    await expect(copy()).rejects.toThrow('lost');
    expect(output()).toBe(textOf(lines.slice(0, 30)));
    kubelet.breaksAfter = Number.POSITIVE_INFINITY;
    kubelet.print(...lines.slice(30));
    for (let time = 0; time < 2; time += 1) {
      await copy();
      expect(output()).toBe(printed);
    }
  },
);

test('output beyond the quota of the tenant is left out, and a line says so once in all lives of the service', async () => {
  const kubelet = new Kubelet();
  const { life, output, warnings } = open(kubelet);
  let isOver = false;
  const admit = async (): Promise<void> => {
    if (isOver) throw new Error('the runs have 5 of 5 bytes');
  };
  const copy = () => life().copy(run, pod, { follow: false, signal, admit });
  kubelet.print(...lines.slice(0, 10));
  await copy();
  isOver = true;
  kubelet.print(...lines.slice(10, 30));
  await copy();
  const cut = `${textOf(lines.slice(0, 10))}${overQuotaLine}`;
  expect([output(), warnings]).toEqual([cut, ['the output of a run is not kept: the runs have 5 of 5 bytes']]);
  kubelet.print(...lines.slice(30, 50));
  await copy();
  expect(output()).toBe(cut);
  isOver = false;
  kubelet.print(...lines.slice(50));
  for (let time = 0; time < 2; time += 1) {
    await copy();
    expect(output()).toBe(cut + textOf(lines.slice(50)));
  }
});

test('output whose copy is given up before it is admitted comes with the next copy', async () => {
  const kubelet = new Kubelet();
  const { life, output, warnings } = open(kubelet);
  kubelet.print(...lines.slice(0, 10));
  const givenUp = new AbortController();
  const admit = async (): Promise<void> => {
    givenUp.abort(new Error('given up'));
    givenUp.signal.throwIfAborted();
  };
  await expect(life().copy(run, pod, { follow: false, signal: givenUp.signal, admit })).rejects.toThrow('given up');
  expect([output(), warnings]).toEqual(['', []]);
  await life().copy(run, pod, { follow: false, signal });
  expect(output()).toBe(textOf(lines.slice(0, 10)));
});

test('of an output that goes on below the quota again, what was left out is counted', async () => {
  const { runs } = open(new Kubelet());
  const folder = runs.paths(run).output;
  const writer = new OutputWriter(folder, 1000);
  const line = '[over]\n';
  await writer.skip(3, line);
  expect([outputBytes(folder), writer.isSkipping]).toEqual([0, false]);
  for (let time = 0; time < 2; time += 1) await writer.skip(10, line);
  expect([readOutput(folder, { from: 0, limit: 100 }).text, writer.isSkipping]).toEqual([line, true]);
  await writer.append(Buffer.from('more\n'));
  const text = `${line}\n[16 bytes are not kept]\nmore\n`;
  expect([readOutput(folder, { from: 0, limit: 100 }).text, writer.isSkipping]).toEqual([text, false]);
  await writer.append(Buffer.from('and more\n'));
  expect(readOutput(folder, { from: 0, limit: 100 }).text).toBe(`${text}and more\n`);
});
