// A kube-apiserver that is killed again and again under real pods: no run and no cluster changes its state, and nothing is doubled.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { comes, createCluster, createJob, readLog, run, type Scene, untilActive } from '../../engines/support.ts';
import { writeReport } from '../../support/reports.ts';
import { cluster, create, createNamespace, useCluster } from '../support/cluster.ts';
import { smallJobPods } from '../support/crowd.ts';
import { findObstacle, importEnginesInto, openPodScene, sparkInPods } from '../support/engine-pods.ts';

const [runs, clusters, restarts] = [60, 20, 10];

/** More cores than the node has. */
const large = { ...sparkInPods(1), groups: sparkInPods(1).groups.map((group) => ({ ...group, flavor_id: '5' })) };

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}

async function shown(scene: Scene): Promise<readonly Shown[]> {
  const { peer } = scene;
  const executions = (await peer().get(`${base}/job-executions`)).body.job_executions as readonly {
    readonly id: string;
    readonly info: { readonly status: string; readonly message?: string };
  }[];
  const all = (await peer().get(`${base}/clusters`)).body.clusters as readonly {
    readonly id: string;
    readonly status: string;
    readonly status_description?: string;
  }[];
  return [
    ...executions.map(({ id, info }) => ({ id, status: info.status, message: info.message ?? '' })),
    ...all.map(({ id, status, status_description = '' }) => ({ id, status, message: status_description })),
  ];
}

const count = (all: readonly Shown[], wanted: string): number => all.filter(({ status }) => status === wanted).length;

/** The pods of runs whose program has started, with the time of that, which changes if it is started again. */
async function programs(namespace: string): Promise<readonly string[]> {
  const { items } = await cluster().core.listNamespacedPod({
    namespace,
    labelSelector: 'batch.kubernetes.io/job-name',
  });
  return items
    .flatMap(({ metadata, status }) =>
      (status?.containerStatuses ?? []).map(
        ({ state }) => `${metadata?.uid} ${state?.running?.startedAt?.toISOString()}`,
      ),
    )
    .filter((text) => !text.includes('undefined'))
    .toSorted();
}

describe.skipIf(findObstacle() !== undefined)('an API server', () => {
  let plane: Plane;
  beforeAll(async () => {
    plane = await startPlane({ node: true });
    useCluster(plane.kubeconfig);
    await importEnginesInto(plane.directory);
  });
  afterAll(() => plane?.stop());

  test(`that is killed ${restarts} times ends none of ${runs} runs and ${clusters} clusters`, async () => {
    const namespace = await createNamespace({ onTestFinished });
    for (const object of smallJobPods(namespace)) await create(object);
    const place = { kubeconfig: plane.kubeconfig, host: plane.node?.host ?? '', isRestarted: true };
    const scene = await openPodScene(namespace, [], place);
    const active = await createCluster(scene.peer(), sparkInPods(1));
    await untilActive(scene, active);
    const bytes = 'echo begin; sleep 36000\n';
    const job = await createJob(scene.peer(), 'Shell', { name: 'sleep.sh', bytes });
    const ids: string[] = [];
    for (let index = 0; index < runs; index += 1) ids.push(await run(scene.peer(), job, active, {}));
    for (let index = 1; index < clusters; index += 1) await createCluster(scene.peer(), large);
    const isWell = async () => {
      const all = await shown(scene);
      expect([count(all, 'RUNNING'), count(all, 'Waiting'), count(all, 'Active')]).toEqual([runs, clusters - 1, 1]);
      expect(all.filter(({ message }) => message.includes('trying again'))).toEqual([]);
    };
    await comes(isWell);
    await comes(async () => expect(await programs(namespace)).toHaveLength(runs));
    const before = await programs(namespace);
    const states = async () => (await shown(scene)).map(({ id, status }) => `${id} ${status}`).toSorted();
    const wanted = await states();

    const seen = new Set<string>();
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        seen.add(JSON.stringify(await states()));
        await new Promise((resolve) => void setTimeout(resolve, 50));
      }
    })();
    for (let time = 0; time < restarts; time += 1) {
      await plane.restartApiServer();
      await comes(isWell);
    }
    isOver = true;
    await watching;
    const changes = seen.size - 1;
    console.info(`${restarts} restarts under ${before.length} programs: ${changes} changes of a state`);
    expect([...seen]).toEqual([JSON.stringify(wanted)]);
    expect(await programs(namespace)).toEqual(before);
    const { items } = await cluster().objects.list('batch/v1', 'Job', namespace);
    expect(items).toHaveLength(runs);
    const logs = await Promise.all(ids.map((id) => readLog(scene.peer(), id)));
    expect(logs).toEqual(before.map(() => 'begin\n'));
    writeReport('restarts', { restarts, runs, clusters, changes });
  });
});
