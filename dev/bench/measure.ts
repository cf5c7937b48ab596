// Measures a phase: the requests of the operator and the resources of all processes, until the operator is idle again.
import { setTimeout as pause } from 'node:timers/promises';
import type { Gap } from './loop.ts';
import type { ProbeFigures } from './probe.ts';
import { cpuSecondsOf, peakRssMiBOf, resetPeakRss, toMiB } from './processes.ts';
import type { Stage, Subject } from './stage.ts';

type Counts = Readonly<Record<string, number>>;

export interface Measured {
  /** From the end of the phase until the operator's last write; the requests and the CPU time of it are counted, too. */
  readonly settleSeconds: number;
  readonly settled: boolean;
  readonly kubernetes: {
    readonly requests: Counts;
    /** Without events and the lease, which are reported separately. */
    readonly writes: number;
    readonly events: number;
    readonly lease: number;
  };
  readonly service: { readonly requests: Counts; readonly total: number };
  readonly refused: Counts;
  readonly cpuSeconds: Readonly<Record<'operator' | 'apiServer' | 'etcd' | 'service' | 'client', number>>;
  readonly operator: {
    readonly rssMiB: number;
    readonly peakRssMiB: number;
    readonly heapUsedMiB: number;
    /** Of perf_hooks: includes time in which the process had no core. */
    readonly eventLoopDelayMaxMs: number;
    readonly longestGap: Gap;
    /** Its `cpuMs` is the upper bound of the longest synchronous section. */
    readonly busiestGap: Gap;
  };
}

const quietWritesMs = 2_000;
const everyMs = 200;
const readingVerbs = new Set(['get', 'list', 'watch']);

export async function readProbe({ probeUrl }: Subject, method: 'GET' | 'POST' = 'GET'): Promise<ProbeFigures> {
  const response = await fetch(probeUrl, { method });
  return (await response.json()) as ProbeFigures;
}

/** Runs the phase. Figures of an operator that was started in it begin with its start. */
export async function measure<T>(stage: Stage, work: () => Promise<T>): Promise<T & Measured> {
  const first = stage.subject();
  resetPeakRss(first.pid);
  const before = await readProbe(first, 'POST');
  const cpuBefore = readCpu(stage, first);
  const result = await work();
  const worked = performance.now();
  const settled = await waitForSilence(stage);
  const subject = stage.subject();
  const same = subject.pid === first.pid;
  const after = await readProbe(subject);
  const cpu = readCpu(stage, subject);
  return {
    ...result,
    settleSeconds: Math.max(0, (performance.now() - worked - after.quietWritesMs) / 1000),
    settled,
    ...requestsOf(after, same ? before : undefined),
    cpuSeconds: elapsed(cpu, same ? cpuBefore : { ...cpuBefore, operator: 0 }),
    operator: memoryAndLoop(subject, after),
  };
}

/** Events are sent at a bounded rate, so those of a phase may come long after it. */
async function waitForSilence({ subject, options }: Stage): Promise<boolean> {
  const end = performance.now() + options['settle-seconds'] * 1000;
  while (performance.now() < end) {
    if ((await readProbe(subject())).quietWritesMs >= quietWritesMs) return true;
    await pause(everyMs);
  }
  return false;
}

function readCpu({ pids }: Stage, { pid }: Subject): Measured['cpuSeconds'] {
  const { user, system } = process.cpuUsage();
  return {
    operator: cpuSecondsOf(pid),
    apiServer: cpuSecondsOf(pids.apiServer),
    etcd: cpuSecondsOf(pids.etcd),
    service: cpuSecondsOf(pids.service),
    client: (user + system) / 1e6,
  };
}

function elapsed(after: Measured['cpuSeconds'], before: Measured['cpuSeconds']): Measured['cpuSeconds'] {
  return {
    operator: after.operator - before.operator,
    apiServer: after.apiServer - before.apiServer,
    etcd: after.etcd - before.etcd,
    service: after.service - before.service,
    client: after.client - before.client,
  };
}

function requestsOf(after: ProbeFigures, before: ProbeFigures | undefined) {
  const requests = difference(after.kubernetes, before?.kubernetes);
  const service = difference(after.service, before?.service);
  const writes = Object.entries(requests).filter(([words]) => !readingVerbs.has(words.split(' ')[0] ?? ''));
  const sumOf = (counts: readonly (readonly [string, number])[]) => counts.reduce((sum, [, count]) => sum + count, 0);
  const writesOf = (resource: string) => sumOf(writes.filter(([words]) => words.endsWith(` ${resource}`)));
  const [events, lease] = [writesOf('events'), writesOf('leases')];
  return {
    kubernetes: { requests, writes: sumOf(writes) - events - lease, events, lease },
    service: { requests: service, total: sumOf(Object.entries(service)) },
    refused: difference(after.refused, before?.refused),
  };
}

/** Without those that did not change. */
function difference(after: Counts, before: Counts = {}): Counts {
  const pairs = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(pairs.filter(([, count]) => count !== 0));
}

function memoryAndLoop({ pid }: Subject, { rssBytes, heapUsedBytes, loop }: ProbeFigures): Measured['operator'] {
  return {
    rssMiB: toMiB(rssBytes),
    peakRssMiB: peakRssMiBOf(pid),
    heapUsedMiB: toMiB(heapUsedBytes),
    eventLoopDelayMaxMs: loop.delayMaxMs,
    longestGap: loop.longestGap,
    busiestGap: loop.busiestGap,
  };
}
