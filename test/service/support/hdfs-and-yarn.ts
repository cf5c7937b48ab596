// Prints what the service asks HDFS and YARN of a cluster in pods for, as whichever user runs this.
import { systemClock } from '../../../src/lib/system.ts';
import { checkPlace, placeOf } from '../../../src/service/backends/runs/data-sources.ts';
import { hadoopCluster, settingOf } from '../backends/pods/clusters/scene.ts';

const cluster = hadoopCluster();
const { engine } = settingOf(cluster);
const nodes = cluster.node_groups.map((group) => ({
  cluster,
  group,
  machine: { instance_id: 'machine-1', instance_name: 'machine-1' },
  processes: group.node_processes,
  address: `${group.name}.data.svc`,
  folder: '/machine',
  secret: '',
}));
const asked: string[] = [];
const transfer = {
  signal: new AbortController().signal,
  clock: systemClock,
  async get(url: string) {
    asked.push(url);
    return {
      status: 200,
      bytes: (async function* () {
        yield Buffer.from('{"FileStatus":{"type":"FILE"}}');
      })(),
    };
  },
};
const input = { id: '1', type: 'hdfs', url: 'hdfs:words', credentials: {} } as const;
const place = placeOf(input, 'input', { jobFiles: undefined, hdfs: engine.hdfs?.(nodes) });
await checkPlace(input, place, { role: 'input', transfer });
const ask = async (url: string, put?: unknown) => {
  if (put !== undefined) asked.push(url);
  return { apps: { app: [{ id: 'application_1', state: 'RUNNING' }] } };
};
const mapReduce = engine.jobs.find(({ type }) => type === 'MapReduce');
await mapReduce?.cancel?.({ id: 'run-1', nodes, folder: '/', address: '' }, ask);
process.stdout.write(JSON.stringify({ url: place?.url, asked }));
