// The metrics of runs: how many there are by type of job and state, how long they wait for their start, and how long they take.
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Resource } from '../controller/resource-change.ts';
import type { ResourceChange } from '../reconcile/pass-ports.ts';
import { endIn } from '../reconcile/resource/facts.ts';
import { readStatus } from '../reconcile/resource/read-conditions.ts';
import { closedLabel, prefix, scrapedGauge } from './registry.ts';

const startBucketsSeconds = [1, 2, 5, 10, 30, 60, 300, 900, 3_600];
const durationBucketsSeconds = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

export interface RunMetricsOptions {
  /** The kind of resource that stands for a run. */
  readonly kind: string;
  /** The types of jobs, and the states of runs: closed lists, as the outcomes. */
  readonly types: readonly string[];
  readonly states: readonly string[];
  /** Reasons of the conditions of a run that is over. */
  readonly outcomes: readonly string[];
  /** The type of the job of a run, where it is known. */
  readonly typeOf: (run: Resource) => string | undefined;
  /** A standby reports nothing, because Prometheus would count every run twice. */
  readonly leading: () => boolean;
}

interface CountedRun {
  readonly type: string;
  readonly state: string;
  readonly hasStarted: boolean;
  readonly hasEnded: boolean;
}

interface ReportedRun {
  readonly state?: string;
  readonly startTime?: string;
  readonly completionTime?: string;
}

function reportedOf({ status }: Resource): ReportedRun {
  return (status ?? {}) as ReportedRun;
}
function secondsBetween(from: string | undefined, to: string | undefined): number {
  return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
}

/** The returned function must receive every change of the cache, exactly once. */
export function measureRuns(registry: Registry, options: RunMetricsOptions): (change: ResourceChange) => void {
  const { kind, leading } = options;
  const runs = new Map<string, CountedRun>();
  const instruments = createInstruments(registry, options.outcomes);
  const typeLabel = closedLabel(options.types);
  const stateLabel = closedLabel(options.states);
  scrapedGauge(registry, {
    name: 'job_executions',
    help: 'JobExecutions by the type of their job and their state. The type is other where only the identifier of the job is known.',
    labelNames: ['type', 'state'],
    samples: () => (leading() ? countsOf(runs.values()) : []),
  });
  const counted = (run: Resource): CountedRun => {
    const { state = 'Pending', startTime } = reportedOf(run);
    const hasEnded = endIn(readStatus(run.status).conditions) !== undefined;
    const type = typeLabel(options.typeOf(run) ?? 'other');
    return { type, state: stateLabel(state), hasStarted: startTime !== undefined, hasEnded };
  };
  return ({ previous, current, initial }) => {
    const run = current ?? previous;
    if (run?.kind !== kind) return;
    const before = runs.get(run.metadata.uid);
    if (current === undefined) return void runs.delete(run.metadata.uid);
    const now = counted(current);
    runs.set(current.metadata.uid, now);
    if (!initial && leading()) observe(instruments, current, { before, now });
  };
}

interface Instruments {
  readonly ends: Counter;
  readonly start: Histogram;
  readonly duration: Histogram;
}

function createInstruments(registry: Registry, outcomes: readonly string[]): Instruments {
  return {
    ends: createEnds(registry, outcomes),
    start: new Histogram({
      name: `${prefix}job_start_seconds`,
      help: 'Time from the creation of a JobExecution until its run was first seen under way.',
      labelNames: ['type'],
      buckets: startBucketsSeconds,
      registers: [registry],
    }),
    duration: new Histogram({
      name: `${prefix}job_duration_seconds`,
      help: 'Duration of runs that have ended, as in status.duration, by outcome: the reason of the condition Complete or Failed.',
      labelNames: ['type', 'outcome'],
      buckets: durationBucketsSeconds,
      registers: [registry],
    }),
  };
}

/** All outcomes are there from the start: the increase of a series that begins with 1 would be 0. */
function createEnds(registry: Registry, outcomes: readonly string[]): Counter {
  const ends = new Counter({
    name: `${prefix}job_ends_total`,
    help: 'JobExecutions that have ended, by outcome: the reason of the condition Complete or Failed. Runs that spec.retries repeats count once.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of outcomes) ends.inc({ outcome }, 0);
  return ends;
}

function observe(
  { ends, start, duration }: Instruments,
  run: Resource,
  { before, now }: { readonly before: CountedRun | undefined; readonly now: CountedRun },
): void {
  const { type } = now;
  const { startTime, completionTime } = reportedOf(run);
  const waited = secondsBetween(run.metadata.creationTimestamp, startTime);
  if (now.hasStarted && before?.hasStarted === false && waited >= 0) start.observe({ type }, waited);
  const end = endIn(readStatus(run.status).conditions);
  if (!end || before?.hasEnded !== false) return;
  ends.inc({ outcome: end.reason });
  const took = secondsBetween(startTime, completionTime);
  // One that was cancelled before its start has no duration.
  if (took >= 0) duration.observe({ type, outcome: end.reason }, took);
}

function countsOf(runs: Iterable<CountedRun>): readonly (readonly [number, Readonly<Record<string, string>>])[] {
  const counts = new Map<string, readonly [number, Readonly<Record<string, string>>]>();
  for (const { type, state } of runs) {
    const key = `${type}/${state}`;
    const [count = 0] = counts.get(key) ?? [];
    counts.set(key, [count + 1, { type, state }]);
  }
  return [...counts.values()];
}
