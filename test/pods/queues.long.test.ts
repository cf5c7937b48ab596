// Clusters and runs in queues of a real controller of Kueue, in real pods.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApiServer } from '../../dev/demo/api-server.ts';
import { type Manifest, type Objects, openObjects } from '../../dev/demo/manifests.ts';
import { type Plane, startPlane } from '../../dev/plane/plane.ts';
import { pickPorts } from '../../dev/plane/ports.ts';
import { waitInQueue } from '../../src/service/backends/pods/clusters/conditions.ts';
import { comes, readLog, type Scene } from '../engines/support.ts';
import { type ApiServer, connect } from '../support/kubernetes/api-server.ts';
import { findKueue, startKueue } from '../support/kueue/kueue.ts';
import { createQueue, urgentJob, workloadsIn } from '../support/kueue/queues.ts';
import { openOperatorAccount } from './support/account.ts';
import { createNamespace, useCluster } from './support/cluster.ts';
import { findObstacle, importEnginesInto, leftInPods, openPodScene } from './support/engine-pods.ts';
import { binary, conditionOf, connection, endProgram, execution, isReady, job, spark } from './support/manifests.ts';
import { startOperator } from './support/operator.ts';

const program = findObstacle() === undefined ? await findKueue() : undefined;
/** What a run requests without a flavor. */
const room = '100m';
const flavors = {
  flavors: { 2: { cores: 2, memoryMiB: 2048, queue: 'machines' } },
  jobQueues: ['jobs'],
};
const queued = (name: string, more: object = {}) => execution(name, { configs: { 'edp.queue': 'jobs' }, ...more });

interface Stage {
  readonly namespace: string;
  readonly api: ApiServer;
  readonly objects: Objects;
  readonly scene: Scene;
}

/** Operator and service, with the permissions of an installation, and a job. */
async function openStage({ kubeconfig, node }: Plane): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'queues-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'flavors.json');
  writeFileSync(file, JSON.stringify(flavors));
  const namespace = await createNamespace({ onTestFinished });
  const api = await connect(kubeconfig);
  onTestFinished(() => api.close());
  const server = await openApiServer(kubeconfig);
  onTestFinished(() => server.close());
  const [port = 0] = await pickPorts(1);
  const place = { kubeconfig, host: node?.host ?? '' };
  const scene = await openPodScene(namespace, ['--port', `${port}`, '--flavors-file', file], place);
  await startOperator(await openOperatorAccount(kubeconfig), namespace);
  const objects = openObjects(server, namespace);
  for (const each of [connection(`http://127.0.0.1:${port}`), binary, job]) await objects.apply(each);
  return { namespace, api, objects, scene };
}

/** Waits until a condition of the object has the reason, and the message if there is one. */
const tells = ({ objects }: Stage, manifest: Manifest, [type, reason, message]: readonly [string, string, string?]) =>
  comes(async () => {
    const found = conditionOf(type, (await objects.read(manifest))?.status?.conditions);
    expect([found?.reason, found?.message]).toEqual([
      reason,
      message === undefined ? expect.anything() : expect.stringContaining(message),
    ]);
  });

const begins = ({ objects, scene }: Stage, run: Manifest) =>
  comes(async () => {
    const { id = '' } = (await objects.read(run))?.status ?? {};
    expect(await readLog(scene.peer(), id)).toBe('begin\n');
  });

async function runsToItsEnd(stage: Stage, run: Manifest): Promise<void> {
  await tells(stage, run, ['Ready', 'Running']);
  await comes(() => endProgram(stage.namespace));
  await tells(stage, run, ['Complete', 'Succeeded']);
}

// A node of its own, because Kueue sees the pods of all namespaces.
describe.skipIf(program === undefined)('queues of Kueue in pods', () => {
  let plane: Plane;
  let stop = async (): Promise<void> => undefined;
  beforeAll(async () => {
    plane = await startPlane({ node: true });
    useCluster(plane.kubeconfig);
    stop = await startKueue(program ?? '', plane);
    await importEnginesInto(plane.directory);
  });
  afterAll(async () => {
    await stop();
    await plane.stop();
  });

  test('a cluster and its runs wait for room, use it one after the other, and leave nothing', async () => {
    const stage = await openStage(plane);
    const { namespace, api, objects } = stage;
    await createQueue(api, namespace, 'machines', '0');
    await objects.apply(spark(1));
    await tells(stage, spark(1), ['Ready', 'Provisioning', waitInQueue('machines', namespace)]);
    await createQueue(api, namespace, 'machines', '10');
    await comes(() => isReady(objects, spark(1)));

    await createQueue(api, namespace, 'jobs', room);
    const [first, second] = [queued('first'), queued('second')];
    await objects.apply(first);
    await tells(stage, first, ['Ready', 'Running']);
    await objects.apply(second);
    await tells(stage, second, ['Ready', 'Queued', waitInQueue('jobs', namespace)]);
    await runsToItsEnd(stage, first);
    await runsToItsEnd(stage, second);

    // Kueue takes the room of a program that runs. The run after it waits.
    const third = queued('third', { retries: 1 });
    await objects.apply(third);
    await begins(stage, third);
    const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    await api.send({ method: 'POST', path: jobs, body: urgentJob('urgent', 'jobs', room) });
    await tells(stage, third, ['Ready', 'Queued', waitInQueue('jobs', namespace)]);
    await api.send({ method: 'DELETE', path: `${jobs}/urgent?propagationPolicy=Background` });
    await runsToItsEnd(stage, third);
    expect((await objects.read(third))?.status).toMatchObject({ attempts: 2 });

    for (const each of [first, second, third, spark(1), job, binary]) await objects.remove(each);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([]));
    await comes(async () => expect(await workloadsIn(api, namespace)).toEqual([]));
  });
});
