// Which runs are found by their objects, and which of them are over.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ObjectKind, Selection } from '../../../../../src/service/backends/pods/api/api.ts';
import { runLabel, runName } from '../../../../../src/service/backends/pods/api/names.ts';
import { findRunsOf, findRunsOn } from '../../../../../src/service/backends/pods/jobs/found-runs.ts';
import {
  programContainer,
  type RunSetting,
  runJob,
  runSecret,
} from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import { countLooks } from '../../../support/looked-at.ts';
import { sparkCluster } from '../clusters/scene.ts';

const cluster = sparkCluster();
const command = { file: '/bin/true', args: [], env: {} };
const image = { reference: 'image', home: '/opt/spark', java: '/java', user: 185, version: '4.1.2' };
const settingOf = (execution: string, more: Partial<RunSetting> = {}): RunSetting => ({
  service: 'service-1',
  execution,
  namespace: 'data',
  cluster,
  image,
  runnerImage: 'runner',
  pullSecrets: [],
  url: 'http://runner',
  token: 'token',
  disk: 1,
  ...more,
});

// Objects have many fields that do not matter here.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;
const jobOf = (setting: RunSetting, condition?: string): Loose => ({
  ...runJob(setting, command),
  ...(condition && { status: { conditions: [{ type: condition, status: 'True' }] } }),
});
const podOf = (setting: RunSetting, status: object): Loose => ({
  kind: 'Pod',
  metadata: {
    ...jobOf(setting).spec.template.metadata,
    name: `${runName(setting.execution)}-x`,
    namespace: setting.namespace,
  },
  status,
});
const running = { phase: 'Running', containerStatuses: [{ name: programContainer, state: { running: {} } }] };

function serverWith(objects: readonly Loose[], killed: readonly string[] = []) {
  const list = async ({ kind }: ObjectKind, namespace: string, { labels = {} }: Selection) =>
    objects.filter(
      ({ kind: own, metadata }) =>
        own === kind &&
        metadata.namespace === namespace &&
        Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
    );
  const decision = (run: string) => (killed.includes(run) ? ('killed' as const) : ('started' as const));
  return { api: { list }, runs: { decision } } as unknown as Parameters<typeof findRunsOf>[0];
}

const at = { tenant: 'nobody', namespace: 'data' };

test('a run is over when its program has ended, and as long as nobody has killed it', async () => {
  const one = settingOf('run-1');
  const isOver = async (objects: readonly Loose[], killed: readonly string[] = []) =>
    (await findRunsOf(serverWith(objects, killed), 'service-1', at)).map((run) => run.isOver);
  expect(await isOver([])).toEqual([]);
  expect(await isOver([jobOf(one)])).toEqual([false]);
  expect(await isOver([jobOf(one), podOf(one, { phase: 'Pending' })])).toEqual([false]);
  expect(await isOver([jobOf(one), podOf(one, running)])).toEqual([false]);
  // Its Job was deleted without it.
  expect(await isOver([podOf(one, running)])).toEqual([false]);
  expect(await isOver([jobOf(one, 'Failed'), podOf(one, running)])).toEqual([false]);
  expect(await isOver([jobOf(one), podOf(one, { phase: 'Succeeded' })])).toEqual([true]);
  expect(await isOver([jobOf(one, 'Complete')])).toEqual([true]);
  expect(await isOver([{ ...runSecret(one) }])).toEqual([true]);
  for (const each of [jobOf(one, 'Complete'), runSecret(one)]) expect(await isOver([each], ['run-1'])).toEqual([false]);
});

test('runs of other services and namespaces are left alone, and so is what only claims to be of a run', async () => {
  const forged = jobOf(settingOf('run-5'));
  const server = serverWith([
    jobOf(settingOf('run-1')),
    jobOf(settingOf('run-2', { service: 'service-2' })),
    jobOf(settingOf('run-3', { service: undefined })),
    jobOf(settingOf('run-4', { namespace: 'elsewhere' })),
    { ...forged, metadata: { ...forged.metadata, name: 'of-somebody-else' } },
  ]);
  expect(await findRunsOf(server, 'service-1', at)).toEqual([{ tenant: 'nobody', id: 'run-1', isOver: false }]);
});

test('all runs on a cluster are found, also those of earlier versions, and no others', async () => {
  const server = serverWith([
    jobOf(settingOf('run-1', { service: undefined })),
    podOf(settingOf('run-2'), running),
    jobOf(settingOf('run-3', { cluster: { ...cluster, id: 'another' } })),
    podOf(settingOf('run-4', { cluster: { ...cluster, id: 'another' } }), running),
    runSecret(settingOf('run-5')),
  ]);
  expect(await findRunsOn(server, cluster, { tenant: 'owner', namespace: 'data' })).toEqual([
    { tenant: 'owner', id: 'run-1', isOver: false },
    { tenant: 'owner', id: 'run-2', isOver: false },
  ]);
});

test('little of each object is kept, whatever the API server tells of it', async () => {
  const kept: string[] = [];
  const setting = settingOf('4f2c8a52-3f9e-4d0b-8d43-6a3e0c7b1d11');
  const objects = [jobOf(setting), podOf(setting, running), runSecret(setting)] as readonly Loose[];
  const list = async (
    { kind }: ObjectKind,
    _namespace: string,
    _selection: Selection,
    keep: (object: Loose) => Loose,
  ) =>
    objects
      .filter((each) => each.kind === kind)
      .map((each) => {
        kept.push(JSON.stringify(keep(each)));
        return keep(each);
      });
  const server = { ...serverWith([]), api: { list } } as unknown as Parameters<typeof findRunsOf>[0];
  const runs = await findRunsOf(server, 'service-1', { tenant: 't', namespace: 'data' });
  expect(runs).toEqual([{ tenant: 't', id: setting.execution, isOver: false }]);
  expect(kept).toHaveLength(3);
  expect(kept.join()).not.toMatch(/runner|containers|"data"\s*:|token/);
});

/** A Job, and a pod for every other one, of so many runs. `read`: how often somebody asks what run an object is of. */
function manyRuns(count: number) {
  let reads = 0;
  const watched = (object: Loose): Loose => {
    const { labels } = object.metadata;
    const metadata = { ...object.metadata };
    Object.defineProperty(metadata, 'labels', { get: () => ((reads += 1), labels) });
    return { ...object, metadata };
  };
  const job = jobOf(settingOf('run'));
  const objects = Array.from({ length: count }, (_, index) => {
    const id = `run-${index}`;
    const metadata = { ...job.metadata, name: runName(id), labels: { ...job.metadata.labels, [runLabel]: id } };
    const status = { conditions: [{ type: 'Complete', status: 'True' }] };
    const pod = { kind: 'Pod', metadata: { ...metadata, name: `${runName(id)}-x` }, status: { phase: 'Succeeded' } };
    return [{ ...job, metadata, status }, ...(index % 2 === 0 ? [pod] : [])].map(watched);
  }).flat();
  const list = async ({ kind }: ObjectKind) => objects.filter((each) => each.kind === kind);
  const server = { ...serverWith([]), api: { list } } as unknown as Parameters<typeof findRunsOf>[0];
  return { server, count: objects.length, read: () => reads };
}

test('thousands of runs that have ended are found with a look at each object, in several turns of the event loop', async () => {
  const { server, count, read } = manyRuns(2000);
  const looks = countLooks();
  let [turns, isOpen] = [0, true];
  const counting = (async () => {
    for (; isOpen; turns += 1) await setImmediate();
  })();
  const runs = await findRunsOf(server, 'service-1', at);
  isOpen = false;
  await counting;
  expect(runs).toHaveLength(2000);
  expect(runs.every(({ isOver }) => isOver)).toBe(true);
  expect(read()).toBeLessThanOrEqual(2 * count);
  expect(looks()).toBeLessThan(20 * count);
  expect(turns).toBeGreaterThan(count / 100);
});
