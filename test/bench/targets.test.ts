// Which promises the benchmark judges, and how.
import { describe, expect, test } from 'vitest';
import type { PhaseReport, Reports } from '../../dev/bench/phases.ts';
import { compareWithTargets } from '../../dev/bench/targets.ts';

describe('targets', () => {
  const report = (seconds: number, { events = 0, peakRssMiB = 143 } = {}): PhaseReport =>
    ({
      seconds,
      kubernetes: { requests: requestsOf(4_000), writes: 4_001, events, lease: 7 },
      service: { requests: {}, total: 1501 },
      operator: { peakRssMiB, busiestGap: { wallMs: 300, cpuMs: 101 } },
    }) as unknown as PhaseReport;
  const create = report(10, { events: 1_200 });

  const judge = (reports: Reports, figures: Partial<Parameters<typeof compareWithTargets>[1]> = {}) =>
    compareWithTargets(reports, { clusters: 1000, executions: 1000, provisionMs: 5000, ...figures });

  test('are compared with the phases that ran, each in its sense', () => {
    expect(metOf(judge({ create }, { kibPerCluster: 9 }))).toEqual({
      createRate: true,
      createWrites: true,
      createEvents: false,
      createServiceRequests: false,
      memory: true,
      synchronousSection: false,
    });
  });

  test('of events hold for deletions, too', () => {
    const met = [1_199, 1_200].map((events) => metOf(judge({ delete: report(1, { events }) }))['deleteEvents']);
    expect(met).toEqual([true, false]);
  });

  test('of explanations hold for the slowest one', () => {
    const why = (max: number) => ({ ...report(40), latencySeconds: { p50: 0.4, p99: max, max } });
    const met = [1.9, 2].map((max) => metOf(judge({ why: why(max) }))['why']);
    expect(met).toEqual([true, false]);
  });

  test('of memory are in MB, not in MiB', () => {
    const { memory } = judge({ create: report(10, { peakRssMiB: 143.1 }) });
    expect(memory).toEqual({
      target: '<= 150 MB resident at most, in all phases',
      measured: 143.1 * 1.048576,
      met: false,
    });
  });

  test.each([
    ['createRate', { clusters: 50 }, 'promised for 1000 Clusters, not for 50'],
    ['createRate', { clusters: 1001 }, 'promised for 1000 Clusters, not for 1001'],
    ['createRate', { provisionMs: 200 }, 'promised with 5000 ms of provisioning, not with 200'],
    ['restart', { clusters: 999 }, 'promised for 1000 Clusters, not for 999'],
    ['memory', { clusters: 999 }, 'promised for 1000 Clusters, not for 999'],
    ['createEvents', { clusters: 1001 }, 'promised for 1000 Clusters or fewer, not for 1001'],
    ['deleteEvents', { clusters: 1001 }, 'promised for 1000 Clusters or fewer, not for 1001'],
    ['createServiceRequests', { clusters: 999 }, 'promised for 1000 Clusters or more, not for 999'],
    ['memoryPerCluster', { kibPerCluster: 9 }, 'promised for more than 1000 Clusters, not for 1000'],
    ['memoryPerClusterWhileMade', { kibPerClusterWhileMade: 9 }, 'promised for more than 1000 Clusters, not for 1000'],
    ['idleWrites', {}, 'promised of 60 s and more, not of 59'],
    ['idleServiceRequests', {}, 'promised of 60 s and more, not of 59'],
  ])('%s with %j is measured, and why it is not judged is said', (name, figures, notJudged) => {
    const reports = { create, idle: report(59), restart: report(1), delete: report(1) };
    expect(judge(reports, figures)[name]).toEqual({
      target: expect.any(String),
      measured: expect.any(Number),
      notJudged,
    });
  });

  test('of a phase that did not run say so', () => {
    expect(judge({ create })['idleWrites']).toMatchObject({ notJudged: 'the phase did not run, or not to its end' });
  });

  test.each([
    [11.7, 23.4, true],
    [11.8, 23.5, false],
    [undefined, undefined, undefined],
  ])('of more than are promised as a whole are those of each: %s and %s KiB', (kib, made, met) => {
    const each = kib === undefined ? {} : { kibPerCluster: kib, kibPerClusterWhileMade: made };
    const all = metOf(judge({ create }, { clusters: 1001, ...each }));
    expect(Object.keys(all)).not.toContain('memory');
    expect([all['memoryPerCluster'], all['memoryPerClusterWhileMade']]).toEqual([met, met]);
  });
});

/** Without those that were not judged. */
function metOf(targets: ReturnType<typeof compareWithTargets>): Readonly<Record<string, boolean>> {
  const judged = Object.entries(targets).flatMap(([name, target]) =>
    'met' in target ? [[name, target.met] as const] : [],
  );
  return Object.fromEntries(judged);
}

const requestsOf = (writes: number) => ({
  'watch clusters': 1,
  'patch clusters': writes / 2,
  'patch clusters/status': writes / 2,
  'patch connections/status': 1,
});
