// The figures that are promised, beside those that were measured. PURE.
import type { Phase } from './options.ts';
import type { PhaseReport } from './phases.ts';

export type Reports = Readonly<Partial<Record<Phase, PhaseReport>>>;

export interface Target {
  readonly target: string;
  readonly measured: number;
  readonly met: boolean;
}

interface Promised {
  readonly name: string;
  readonly sense: '>=' | '<=' | '<';
  readonly limit: number;
  readonly unit: string;
  /** Promised for so many Clusters and fewer; missing: for any number. */
  readonly upTo?: number;
  /** Promised for more than so many. */
  readonly beyond?: number;
  /** Undefined: the phase did not run. */
  readonly measured: (reports: Reports, figures: Figures) => number | undefined;
}

export interface Figures {
  readonly clusters: number;
  /** Undefined where no phase left any Clusters. */
  readonly kibPerCluster?: number;
}

/** What costs or takes more with each Cluster is promised for so many. */
const many = 1_000;

const inPhase =
  (phase: Phase, figure: (report: PhaseReport, clusters: number) => number): Promised['measured'] =>
  (reports, { clusters }) => {
    const report = reports[phase];
    return report === undefined ? undefined : figure(report, clusters);
  };

const overall =
  (figure: (report: PhaseReport) => number): Promised['measured'] =>
  (reports) => {
    const all = Object.values(reports);
    return all.length === 0 ? undefined : Math.max(...all.map(figure));
  };

/** The status of the Connection is written once a minute, however many Clusters there are. */
function writesOfClusters(requests: PhaseReport['kubernetes']['requests']): number {
  return (requests['patch clusters'] ?? 0) + (requests['patch clusters/status'] ?? 0);
}

const promised: readonly Promised[] = [
  {
    name: 'createRate',
    sense: '>=',
    limit: 70,
    unit: 'Clusters/s from the first request to all Ready, with 5 s of provisioning',
    upTo: many,
    measured: inPhase('create', ({ seconds }, clusters) => clusters / seconds),
  },
  {
    name: 'createWrites',
    sense: '<=',
    limit: 4,
    unit: 'Kubernetes writes of a Cluster, without events',
    measured: inPhase('create', ({ kubernetes }, clusters) => writesOfClusters(kubernetes.requests) / clusters),
  },
  {
    name: 'createEvents',
    sense: '<',
    limit: 1.2,
    unit: 'events/Cluster',
    upTo: many,
    measured: inPhase('create', ({ kubernetes }, clusters) => kubernetes.events / clusters),
  },
  {
    name: 'createServiceRequests',
    sense: '<=',
    limit: 1.5,
    unit: 'service requests/Cluster',
    measured: inPhase('create', ({ service }, clusters) => service.total / clusters),
  },
  {
    name: 'memory',
    sense: '<=',
    limit: 150,
    unit: 'MiB resident at most, in all phases',
    upTo: many,
    measured: overall(({ operator }) => operator.peakRssMiB),
  },
  {
    name: 'memoryPerCluster',
    sense: '<',
    limit: 6,
    unit: 'kB/Cluster resident, after the last phase that leaves them',
    beyond: many,
    measured: (_, { kibPerCluster }) => kibPerCluster && kibPerCluster * 1.024,
  },
  {
    name: 'synchronousSection',
    sense: '<=',
    limit: 100,
    unit: 'ms of CPU time between two turns of the event loop, at most, in all phases',
    measured: overall(({ operator }) => operator.busiestGap.cpuMs),
  },
  {
    name: 'restart',
    sense: '<=',
    limit: 3,
    unit: 's from the start of the process, whose predecessor gave its lease up, until settled',
    upTo: many,
    measured: inPhase('restart', ({ seconds }) => seconds),
  },
  {
    name: 'restartWrites',
    sense: '<=',
    limit: 0,
    unit: 'Kubernetes writes and events, without the lease',
    measured: inPhase('restart', ({ kubernetes }) => kubernetes.writes + kubernetes.events),
  },
  {
    name: 'restartServiceRequests',
    sense: '<=',
    limit: 10,
    unit: 'service requests',
    measured: inPhase('restart', ({ service }) => service.total),
  },
  {
    name: 'idleWrites',
    sense: '<=',
    limit: 0,
    unit: 'Kubernetes writes and events, without the lease',
    measured: inPhase('idle', ({ kubernetes }) => kubernetes.writes + kubernetes.events),
  },
  {
    name: 'idleServiceRequests',
    sense: '<=',
    limit: 6,
    unit: 'service requests a minute',
    measured: inPhase('idle', ({ service, seconds }) => (service.total * 60) / seconds),
  },
];

/** Those that are promised for this many, and that the phases that ran can tell. */
export function compareWithTargets(reports: Reports, figures: Figures): Readonly<Record<string, Target>> {
  const { clusters } = figures;
  const due = promised.filter(({ upTo = clusters, beyond = 0 }) => clusters <= upTo && clusters > beyond);
  const compared = due.flatMap(({ name, sense, limit, unit, measured: measure }) => {
    const measured = measure(reports, figures);
    if (measured === undefined) return [];
    return [[name, { target: `${sense} ${limit} ${unit}`, measured, met: isMet(sense, measured, limit) }] as const];
  });
  return Object.fromEntries(compared);
}

function isMet(sense: Promised['sense'], measured: number, limit: number): boolean {
  switch (sense) {
    case '>=':
      return measured >= limit;
    case '<=':
      return measured <= limit;
    case '<':
      return measured < limit;
  }
}
