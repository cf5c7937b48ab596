// The output of runs in pods is copied from the log of a kubelet, which sends whole seconds anew, and forgets the beginning.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PodRuns } from '../../../src/service/pod-jobs/pod-runs.ts';
import { RunLogs } from '../../../src/service/pod-jobs/run-logs.ts';
import { readOutput } from '../../../src/service/runs/output.ts';
import { Transient } from '../../../src/service/stages/transient.ts';
import { ManualClock } from '../../support/clock.ts';

const run = 'run-1';
const pod = { metadata: { name: 'run-1-x', namespace: 'data' } };
const signal = new AbortController().signal;

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

  async *log(_pod: object, query: Query, at: { readonly signal: AbortSignal }): AsyncGenerator<Uint8Array> {
    this.queries.push(query);
    at.signal.addEventListener('abort', () => this.print());
    const since = Date.parse(String(query['sinceTime'] ?? '1970-01-01T00:00:00Z'));
    let left = this.breaksAfter;
    for (let sent: Line | undefined; ; ) {
      const next = this.lines.slice(sent === undefined ? 0 : this.lines.indexOf(sent) + 1);
      const news = next.filter(({ time }) => Date.parse(time) >= since);
      const bytes = Buffer.from(news.map(({ time, text }) => `${time} ${text}\n`).join(''));
      for (let at = 0; at < bytes.length; at += this.chunk) {
        if (left <= 0) throw new Transient('the connection was lost');
        left -= 1;
        yield bytes.subarray(at, at + this.chunk);
      }
      sent = next.at(-1) ?? sent;
      if (query['follow'] !== true || this.#ended) return;
      await this.#wake.promise;
      at.signal.throwIfAborted();
    }
  }
}

function open(kubelet: Kubelet, logBytes = 1_000_000) {
  const folder = mkdtempSync(join(tmpdir(), 'run-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const runs = new PodRuns(folder);
  const clock = new ManualClock();
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_: unknown, text: string) => void warnings.push(text), error() {} };
  /** Another life of the service. */
  const life = () => new RunLogs({ api: kubelet, runs, clock, log, logBytes });
  const copy = (logs = life()) => logs.copy(run, pod, { follow: false, signal });
  const output = () => readOutput(runs.paths(run).output, { from: 0, limit: 1_000_000 }).text;
  return { clock, life, copy, output, warnings };
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
  const { clock, life, output } = open(kubelet);
  const follower = life().follow(run, signal);
  follower.look(pod);
  let expected = '';
  for (const line of lines.slice(0, 10)) {
    kubelet.print(line);
    await clock.advance(1);
    expected += `${line.text}\n`;
    expect(output()).toBe(expected);
    kubelet.rotate();
  }
  kubelet.end();
  await follower.rest(pod);
  expect(output()).toBe(expected);
});

test('a log that is still on its way when its program has ended is waited for, and one that brings nothing is not', async () => {
  const kubelet = new Kubelet();
  const { clock, life, output } = open(kubelet);
  const follower = life().follow(run, signal);
  follower.look(pod);
  const rest = follower.rest(pod);
  let expected = '';
  for (const line of lines.slice(0, 5)) {
    kubelet.print(line);
    await clock.advance(9000);
    expected += `${line.text}\n`;
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
  const follower = life().follow(run, signal);
  for (let look = 0; look < 20; look += 1) {
    follower.look(pod);
    await clock.advance(500);
    kubelet.breaksAfter += 1;
  }
  expect([output(), warnings]).toEqual([printed, []]);
  await follower.close();
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
