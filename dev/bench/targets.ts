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
  /** Undefined: the phase did not run. */
  readonly measured: (reports: Reports, clusters: number) => number | undefined;
}

const inPhase =
  (phase: Phase, figure: (report: PhaseReport, clusters: number) => number): Promised['measured'] =>
  (reports, clusters) => {
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
    unit: 'Clusters/s from the first request to all Ready, at 1000 Clusters and 5 s of provisioning',
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
    measured: overall(({ operator }) => operator.peakRssMiB),
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
    unit: 's from the start of the process until settled',
    measured: inPhase('restart', ({ seconds }) => seconds),
  },
  {
    name: 'restartWrites',
    sense: '<=',
    limit: 0,
    unit: 'Kubernetes writes and events',
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
    unit: 'Kubernetes writes and events',
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

/** Those that the phases that ran can tell. */
export function compareWithTargets(reports: Reports, clusters: number): Readonly<Record<string, Target>> {
  const compared = promised.flatMap(({ name, sense, limit, unit, measured: measure }) => {
    const measured = measure(reports, clusters);
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
