// What a user does while something goes wrong, as a table: what is there before, each step, and the writes that it leads to.
import {
  access,
  all,
  cluster,
  connection,
  etl,
  extra,
  image,
  master,
  named,
  orphaning,
  plain,
  registration,
  report,
  restored,
  run,
  small,
  templates,
  worker,
  workers,
  workersOf,
  workerTemplate,
} from './parts.ts';
import type { Step, Workload } from './steps.ts';

const withTemplates = [...access, ...templates, { ready: [small] }];
const running: readonly Step[] = [...access, plain(2), { ready: [etl] }];

const tellsOfCluster = ['tell cluster', 'event'];
const scales = ['intend change of cluster', 'resize cluster', 'record cluster', ...tellsOfCluster];
const createsTemplates = ['cluster template', 'node group template'].flatMap((kind) => [
  `intend ${kind}`,
  `create ${kind}`,
  `record ${kind}`,
  `tell ${kind}`,
]);
const createsCluster = ['intend cluster', 'create cluster', 'record cluster', ...tellsOfCluster];
const startsRun = ['intend run', 'start run', 'record run', 'tell run', 'event'];
const withJob: readonly Step[] = [...running, { bring: 'job' }];
const holdsAccess = ['hold connection', 'tell connection', 'hold secret'];

export const workloads: readonly Workload[] = [
  {
    name: 'create',
    service: 'prompt',
    before: [],
    steps: [...access, ...templates, cluster(), { ready: [master, worker, small, etl, connection] }],
    passes: [...holdsAccess, ...createsTemplates, ...createsCluster],
  },
  {
    name: 'scale up',
    service: 'prompt',
    before: [...withTemplates, cluster(), { ready: [etl] }],
    steps: [cluster(workers(4)), { ready: [etl] }],
    passes: scales,
  },
  {
    name: 'scale down',
    service: 'prompt',
    before: running,
    steps: [plain(1), { ready: [etl] }],
    passes: scales,
  },
  {
    name: 'add group',
    service: 'prompt',
    before: [...running, workerTemplate, { ready: [worker] }],
    steps: [plain(2, extra), { ready: [etl] }],
    passes: ['intend change of cluster', 'add group', 'record cluster', ...tellsOfCluster],
  },
  {
    name: 'delete',
    service: 'prompt',
    before: [...withTemplates, cluster(), registration('ubuntu', 'one'), { ready: [etl, image] }],
    steps: [{ remove: all }, { gone: all }],
    passes: [
      'tell connection',
      'release connection',
      'release secret',
      ...['cluster', 'cluster template', 'node group template'].flatMap((kind) => [
        `delete ${kind}`,
        `tell ${kind}`,
        `release ${kind}`,
      ]),
      'unregister image',
      'tell image',
      'release image',
      'event',
    ],
  },
  {
    name: 'delete during create',
    service: 'never started',
    before: [...access, { ready: [connection] }],
    steps: [plain(2), { sent: 'create cluster' }, { remove: [etl] }, { gone: [etl] }],
    passes: [
      'intend cluster',
      'create cluster',
      'record cluster',
      'tell cluster',
      'delete cluster',
      'release cluster',
      'event',
    ],
  },
  {
    name: 'delete during scale',
    service: 'never scaled',
    before: running,
    steps: [plain(4), { sent: 'resize cluster' }, { remove: [etl] }, { gone: [etl] }],
    passes: [
      'intend change of cluster',
      'resize cluster',
      'tell cluster',
      'delete cluster',
      'release cluster',
      'event',
    ],
  },
  {
    name: 're-create',
    service: 'prompt',
    before: running,
    steps: [{ remove: [etl] }, { gone: [etl] }, plain(3), { ready: [etl] }],
    passes: ['delete cluster', 'release cluster', ...createsCluster],
  },
  {
    name: 'create anew',
    service: 'prompt',
    before: running,
    steps: [{ anew: etl }, { renewed: [etl] }],
    passes: ['delete cluster', ...createsCluster],
  },
  {
    name: 'restore',
    service: 'prompt',
    before: running,
    steps: [orphaning, { ready: [etl] }, { remove: [etl] }, { gone: [etl] }, restored, { ready: [etl] }],
    passes: ['release cluster', 'record cluster', ...tellsOfCluster],
  },
  {
    name: 'fixed name',
    service: 'prompt',
    before: withTemplates,
    steps: [named, { ready: [etl] }],
    passes: ['create cluster template', ...createsCluster],
  },
  {
    name: 'give up name',
    service: 'prompt',
    before: [...withTemplates, named, { ready: [etl] }],
    steps: [{ remove: [etl] }, { gone: [etl] }],
    passes: ['delete cluster', 'delete cluster template', 'tell cluster', 'release cluster', 'event'],
  },
  {
    name: 'edit template',
    service: 'prompt',
    before: withTemplates,
    steps: [workersOf('4'), { renewed: [worker, small] }],
    passes: [...createsTemplates, 'delete cluster template', 'delete node group template', 'event'],
  },
  {
    name: 'scale to and fro',
    service: 'prompt',
    before: running,
    steps: [plain(3), { ready: [etl] }, plain(2), { ready: [etl] }, plain(3), { ready: [etl] }],
    passes: [...scales, 'event again'],
  },
  {
    name: 'register image',
    service: 'prompt',
    before: [...access, { ready: [connection] }],
    steps: [registration('ubuntu', 'one', 'two'), { ready: [image] }],
    passes: [
      'intend image',
      'register image',
      'intend change of image',
      'tag image',
      'record image',
      'tell image',
      'event',
    ],
  },
  {
    name: 'change image',
    service: 'prompt',
    before: [...access, registration('ubuntu', 'one', 'two'), { ready: [image] }],
    steps: [registration('ubuntu', 'two', 'three'), { ready: [image] }],
    passes: ['intend change of image', 'tag image', 'untag image', 'tell image', 'event'],
  },
  {
    name: 'run',
    service: 'prompt',
    before: withJob,
    steps: [run(), { over: report }],
    passes: startsRun,
  },
  {
    name: 'cancel run',
    service: 'never ended',
    before: [...withJob, run(), { tells: 'Running', of: report }],
    steps: [run({ cancel: true }), { over: report }],
    passes: ['intend change of run', 'cancel run', 'tell run', 'event'],
  },
  {
    name: 'delete run',
    service: 'never ended',
    before: [...withJob, run(), { tells: 'Running', of: report }],
    steps: [{ remove: [report] }, { gone: [report] }],
    passes: ['delete run', 'tell run', 'release run', 'event'],
  },
  {
    name: 'expire run',
    service: 'prompt',
    before: [...withJob, run(), { over: report }],
    steps: [run({ ttlSecondsAfterFinished: 0 }), { gone: [report] }],
    passes: ['expire run', 'delete run', 'tell run', 'release run', 'event'],
  },
  {
    name: 'take turns',
    service: 'prompt',
    elects: true,
    before: [],
    steps: [...access, workerTemplate, { ready: [worker] }, { handOver: true }],
    passes: ['make lease', 'renew lease', 'give lease back'],
  },
];
