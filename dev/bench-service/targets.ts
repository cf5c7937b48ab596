// The targets of the service, beside the measured values. PURE.
import type { Target } from '../bench/targets.ts';
import type { AttackReport, HostileReport } from './hostile/phase.ts';
import type { Reports } from './phases.ts';
import type { PodsReports } from './pods/phase.ts';

const atLeast = (limit: number, measured: number, unit: string): Target => ({
  target: `>= ${limit} ${unit}`,
  measured,
  met: measured >= limit,
});

export function compareWithTargets({
  createInMemory,
  createPersistent,
  read,
  list,
  noisy,
}: Reports): Readonly<Record<string, Target>> {
  const slowest = Math.max(
    ...noisy.filter(({ version }) => version === 'this').map(({ get, healthz }) => Math.max(get.p99, healthz.p99)),
  );
  const busiest = list.loop.busiestGap.cpuMs;
  return {
    reads: atLeast(3000, read.perSecond, 'GETs of one cluster/s'),
    createsInMemory: atLeast(1000, createInMemory.perSecond, 'creates of node group templates/s'),
    createsPersistent: atLeast(300, createPersistent.perSecond, 'creates of node group templates/s'),
    noisyRuns: {
      target: '<= 100 ms for 99 % of the answers while runs print without end',
      measured: slowest,
      met: slowest <= 100,
    },
    listSection: {
      target: `<= 100 ms without another turn of the event loop, in a list of ${list.clusters} clusters`,
      measured: busiest,
      met: busiest <= 100,
    },
  };
}

const atMost = (limit: number, measured: number, unit: string): Target => ({
  target: `<= ${limit} ${unit}`,
  measured,
  met: measured <= limit,
});

export function comparePods({ current, base }: PodsReports): Readonly<Record<string, Target>> {
  const part = (of: (report: PodsReports['current']) => number): number =>
    base === undefined ? 0 : of(current) / of(base);
  return {
    podRequests: atMost(5, current.requestsPerSecond, 'requests to the API server/s'),
    ...(base !== undefined && {
      podRequestsToBase: atMost(
        0.1,
        part(({ requestsPerSecond }) => requestsPerSecond),
        'of the requests of the base',
      ),
      podCpuToBase: atMost(
        0.5,
        part(({ cpuSecondsPerMinute }) => cpuSecondsPerMinute),
        'of the CPU time of the base',
      ),
    }),
  };
}

export function compareHostile({ ended, limitMiB, attacks }: HostileReport): Readonly<Record<string, Target>> {
  const reports = Object.values(attacks);
  // What has ended has used more than there is, and answers nobody.
  const most = (of: (report: AttackReport) => number): number =>
    ended === undefined ? Math.max(...reports.map(of)) : Number.POSITIVE_INFINITY;
  return {
    hostileMemory: atMost(
      limitMiB,
      most(({ peakRssMiB }) => peakRssMiB),
      'MiB while tenants and pods attack',
    ),
    hostileGet: atMost(
      1000,
      most(({ get }) => get.max),
      "ms for each of another tenant's GETs meanwhile",
    ),
  };
}
