// The targets: how each is measured, and for which runs it applies. PURE.
import type { Phase } from './options.ts';
import type { PhaseReport, Reports } from './phases.ts';

export interface Promised {
  readonly name: string;
  readonly sense: '>=' | '<=' | '<';
  readonly limit: number;
  readonly unit: string;
  /** Where it is not promised; missing: it always is. */
  readonly unless?: readonly Exception[];
  /** Undefined: the phase did not run. */
  readonly measured: (reports: Reports, figures: Figures) => number | undefined;
}

export interface Figures {
  readonly clusters: number;
  /** Of the phase jobs. */
  readonly executions: number;
  readonly provisionMs: number;
  /** Undefined where no phase left any Clusters. */
  readonly kibPerCluster?: number;
  readonly kibPerClusterWhileMade?: number;
}

/** Why the promise does not hold for a run, or undefined where it does. */
type Exception = (figures: Figures, reports: Reports) => string | undefined;

/** What costs or takes more with each Cluster is promised for so many. */
const many = 1_000;
const provisionMs = 5_000;
const idleSeconds = 60;
const kBPerKiB = 1.024;
const MBPerMiB = 1.048576;

const promisedFor =
  (words: string, holds: (clusters: number) => boolean): Exception =>
  ({ clusters }) =>
    holds(clusters) ? undefined : `promised for ${words}, not for ${clusters}`;

const unlessMany = promisedFor(`${many} Clusters`, (clusters) => clusters === many);
const unlessFew = promisedFor(`${many} Clusters or fewer`, (clusters) => clusters <= many);
/** What does not depend on the Clusters is shared by so many that it does not count. */
const unlessShared = promisedFor(`${many} Clusters or more`, (clusters) => clusters >= many);
const unlessMore = promisedFor(`more than ${many} Clusters`, (clusters) => clusters > many);

const unlessManyExecutions: Exception = ({ executions }) =>
  executions >= many ? undefined : `promised for ${many} executions or more, not for ${executions}`;

const unlessProvisioned: Exception = (figures) =>
  figures.provisionMs === provisionMs
    ? undefined
    : `promised with ${provisionMs} ms of provisioning, not with ${figures.provisionMs}`;

const unlessLong = (seconds: number | undefined): string | undefined =>
  seconds === undefined || seconds >= idleSeconds
    ? undefined
    : `promised of ${idleSeconds} s and more, not of ${seconds}`;

const unlessIdle: Exception = (_, { idle }) => unlessLong(idle?.seconds);

const unlessRested: Exception = (_, { jobs }) => unlessLong(jobs?.afterwards?.seconds);

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

export const promised: readonly Promised[] = [
  {
    name: 'createRate',
    sense: '>=',
    limit: 70,
    unit: 'Clusters/s from the first request to all Ready, with 5 s of provisioning',
    unless: [unlessMany, unlessProvisioned],
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
    unless: [unlessFew],
    measured: inPhase('create', ({ kubernetes }, clusters) => kubernetes.events / clusters),
  },
  {
    name: 'createServiceRequests',
    sense: '<=',
    limit: 1.5,
    unit: 'service requests/Cluster',
    unless: [unlessShared],
    measured: inPhase('create', ({ service }, clusters) => service.total / clusters),
  },
  {
    name: 'memory',
    sense: '<=',
    limit: 150,
    unit: 'MB resident at most, in all phases',
    unless: [unlessMany],
    measured: overall(({ operator }) => operator.peakRssMiB * MBPerMiB),
  },
  {
    name: 'memoryPerCluster',
    sense: '<',
    limit: 12,
    unit: 'kB/Cluster resident, after the last phase that leaves them',
    unless: [unlessMore],
    measured: (_, { kibPerCluster }) => kibPerCluster && kibPerCluster * kBPerKiB,
  },
  {
    name: 'memoryPerClusterWhileMade',
    sense: '<',
    limit: 24,
    unit: 'kB/Cluster resident at most, while all are made at once',
    unless: [unlessMore],
    measured: (_, { kibPerClusterWhileMade }) => kibPerClusterWhileMade && kibPerClusterWhileMade * kBPerKiB,
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
    unless: [unlessMany],
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
    unless: [unlessIdle],
    measured: inPhase('idle', ({ kubernetes }) => kubernetes.writes + kubernetes.events),
  },
  {
    name: 'idleServiceRequests',
    sense: '<=',
    limit: 6,
    unit: 'service requests a minute',
    unless: [unlessIdle],
    measured: inPhase('idle', ({ service, seconds }) => (service.total * 60) / seconds),
  },
  {
    name: 'why',
    sense: '<',
    limit: 2,
    unit: 's from the start of the plugin until it has explained an object, at most',
    measured: ({ why }) => why?.latencySeconds?.max,
  },
  {
    name: 'deleteEvents',
    sense: '<',
    limit: 1.2,
    unit: 'events/Cluster',
    unless: [unlessFew],
    measured: inPhase('delete', ({ kubernetes }, clusters) => kubernetes.events / clusters),
  },
  {
    name: 'jobsWrites',
    sense: '<=',
    limit: 6,
    unit: 'Kubernetes writes of a JobExecution, without events',
    measured: ({ jobs }) => jobs?.jobs?.perExecution.writes,
  },
  {
    name: 'jobsServiceRequests',
    sense: '<=',
    limit: 2.5,
    unit: 'service requests/JobExecution',
    unless: [unlessManyExecutions],
    measured: ({ jobs }, { executions }) => jobs && jobs.service.total / executions,
  },
  {
    name: 'jobsIdleWrites',
    sense: '<=',
    limit: 0,
    unit: 'Kubernetes writes and events after all executions, without the lease',
    unless: [unlessRested],
    measured: ({ jobs }) => jobs?.afterwards && jobs.afterwards.kubernetes.writes + jobs.afterwards.kubernetes.events,
  },
];
