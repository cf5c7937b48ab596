// Jobs, what they are made of, their runs and their schedules: what the API server takes and the operator or the service does not.
import { clusterSpec, none, without } from '../parts.ts';
import type { Part, Told, TroubleRow } from '../row.ts';

const connectionRef = { name: '@' };
const share = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const program: Part = {
  kind: 'JobBinary',
  name: '@-program',
  spec: { connectionRef, url: `manila://${share}/run.sh` },
};
const mains = [{ jobBinaryRef: { name: '@-program' } }];
const job = (spec: object): Part => ({ kind: 'Job', name: '@-job', spec: { connectionRef, ...spec } });
const run = (spec: object): Part => ({ kind: 'JobExecution', name: '@-run', spec: { connectionRef, ...spec } });
const schedule = (spec: object): Part => ({
  kind: 'JobSchedule',
  name: '@-schedule',
  spec: { schedule: '0 0 * * *', template: { spec: { connectionRef, jobID: share, clusterID: share } }, ...spec },
});
const told = (kind: string, name: string, reason: string, says: RegExp): { readonly told: readonly Told[] } => ({
  told: [{ kind, name, reason, says }],
});
const ofRun = (reason: string, says: RegExp) => told('JobExecution', '@-run', reason, says);
const ofJob = (says: RegExp) => told('Job', '@-job', 'InvalidSpec', says);
const ofSchedule = (says: RegExp) => told('JobSchedule', '@-schedule', 'InvalidSpec', says);
const savanna = { connection: { dialect: 'Savanna' } };
const argument = { name: 'text', mappingType: 'args', location: '0', required: true };
const ownCluster = without(clusterSpec, 'connectionRef');

const partRows: readonly TroubleRow[] = [
  {
    name: 'a data source that the dialect does not have',
    ...savanna,
    parts: [{ kind: 'DataSource', name: '@-books', spec: { connectionRef, type: 'hdfs', url: '/books' } }],
    ...told('DataSource', '@-books', 'InvalidSpec', /spec\.type: .* use /),
    ...none,
  },
  {
    name: 'a file where the dialect reads none',
    ...savanna,
    parts: [program],
    ...told(
      'JobBinary',
      '@-program',
      'InvalidSpec',
      /spec\.url: .*reads binaries only from internal-db:\/\/ or swift:\/\//,
    ),
    ...none,
  },
  {
    name: 'a type of job that the dialect does not have',
    parts: [job({ type: 'Jar', libs: [{ jobBinaryID: share }] })],
    ...ofJob(/spec\.type: .*has no jobs of type Jar: use /),
    ...none,
  },
  {
    name: 'an interface that does not fit the type',
    parts: [job({ type: 'MapReduce', libs: [{ jobBinaryID: share }], interface: [argument] })],
    ...ofJob(/spec\.interface\[text\]\.mappingType: a job of type MapReduce has no args: use configs/),
    ...none,
  },
  {
    name: 'a binary twice',
    parts: [program, job({ type: 'Shell', mains, libs: mains })].toReversed(),
    ...ofJob(/spec\.libs\[0\]: names the same binary as spec\.mains\[0\]: remove one of them/),
    ...none,
  },
  {
    name: 'a job of a binary that does not exist',
    parts: [job({ type: 'Shell', mains })],
    ...told('Job', '@-job', 'DependencyNotReady', /JobBinary @-program does not exist/),
    ...none,
  },
];

const runRows: readonly TroubleRow[] = [
  {
    name: 'a run of a job that does not exist',
    parts: [run({ jobRef: { name: '@-job' }, clusterID: share })],
    ...ofRun(
      'DependencyNotReady',
      /spec\.jobRef: Job @-job does not exist in this namespace.* Create it, or, because spec\.jobRef is immutable, delete this JobExecution/,
    ),
    ...none,
  },
  {
    name: 'a run on a cluster that does not exist',
    parts: [run({ jobID: share, clusterRef: { name: '@-etl' } })],
    ...ofRun('WaitingForCluster', /spec\.clusterRef: Cluster @-etl does not exist in this namespace/),
    ...none,
  },
  {
    name: 'a run on a cluster that the service does not have',
    parts: [run({ jobID: share, clusterID: share })],
    ...ofRun('ExternalRejected', /cannot create .*: .*/),
    ...none,
  },
  {
    name: 'a run that reads what it writes',
    parts: [run({ jobID: share, clusterID: share, inputID: share, outputID: share })],
    ...ofRun('Failed', /spec\.outputRef: must be another data source than the input/),
    ...none,
  },
  {
    name: 'a run with the option of the marker',
    parts: [run({ jobID: share, clusterID: share, configs: { 'edp.dataprocessing.dev/execution': 'mine' } })],
    ...ofRun(
      'Failed',
      /spec\.configs\[edp\.dataprocessing\.dev\/execution\]: the operator sets this option itself: remove it/,
    ),
    ...none,
  },
  {
    name: 'a job of its own without what its type needs, for which no cluster is made',
    parts: [
      run({ job: { type: 'Java', libs: [{ jobBinaryRef: { name: '@-program' } }] }, cluster: ownCluster }),
      program,
    ],
    ...ofRun('Failed', /spec\.configs\[edp\.java\.main_class\]: a job of type Java needs this option: add it/),
    ...none,
  },
  {
    name: 'a cluster of its own that no service can have',
    parts: [run({ jobID: share, cluster: without(ownCluster, 'defaultImageID') })],
    ...ofRun(
      'Failed',
      /^spec\.cluster\.defaultImageID: neither this Cluster nor a ClusterTemplate names an image\. The spec is immutable: delete this JobExecution/,
    ),
    ...none,
  },
  {
    name: 'a job of its own that names a binary twice',
    parts: [run({ job: { type: 'Shell', mains, libs: mains }, clusterID: share }), program],
    ...ofRun(
      'Failed',
      /^spec\.job\.libs\[0\]: names the same binary as spec\.job\.mains\[0\]: remove one of them\. The spec is immutable: delete this JobExecution/,
    ),
    ...none,
  },
];

const scheduleRows: readonly TroubleRow[] = [
  {
    name: 'a schedule that never comes',
    parts: [schedule({ schedule: '0 0 30 2 *' })],
    ...ofSchedule(/spec\.schedule: never comes: no month that it names has such a day/),
    remedy: { by: 'edit', spec: schedule({}).spec },
    ...none,
  },
  {
    name: 'a schedule with an hour that there is not',
    parts: [schedule({ schedule: '0 24 * * *' })],
    ...ofSchedule(/spec\.schedule: the hour "24" cannot be read: use \*, numbers from 0 to 23/),
    remedy: { by: 'edit', spec: schedule({}).spec },
    ...none,
  },
  {
    name: 'a time zone that there is not',
    parts: [schedule({ timeZone: 'Europe/Atlantis' })],
    ...ofSchedule(/spec\.timeZone: Europe\/Atlantis is not a known time zone: use a name of the IANA database/),
    remedy: { by: 'edit', spec: schedule({}).spec },
    ...none,
  },
];

export const jobRows: readonly TroubleRow[] = [...partRows, ...runRows, ...scheduleRows];
