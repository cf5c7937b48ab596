// A node that does not answer is named, and what runs there is neither given up nor started a second time.
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import {
  comes,
  createCluster,
  createJob,
  processesBelow,
  readCluster,
  readLog,
  readRun,
  removeCluster,
  run,
  untilActive,
  untilEnded,
} from '../../engines/support.ts';
import { connectTo } from '../support/cluster.ts';
import { findObstacle, importEnginesInto, openPodScene, sparkInPods } from '../support/engine-pods.ts';

/** Ends while the node is silent. */
const script = 'echo begin; sleep 20; echo end\n';

function kubeletOf({ directory }: Plane): number {
  // The program that enters the namespaces of the node names the kubelet, too.
  const found = processesBelow(directory).filter((pid) => basename(readlinkSync(`/proc/${pid}/exe`)) === 'kubelet');
  expect(found).toHaveLength(1);
  return found[0] ?? 0;
}

// A node of its own, because all pods on it are lost with it.
describe.skipIf(findObstacle() !== undefined)('a node that does not answer', () => {
  test('is named; its cluster can be used again and a run has its outcome once it is back', async ({
    onTestFinished,
  }) => {
    const plane = await startPlane({ node: true });
    onTestFinished(async () => plane.stop());
    await importEnginesInto(plane.directory);
    const { kubeconfig, node } = plane;
    const scene = await openPodScene('default', [], { kubeconfig, host: node?.host ?? '' });
    const id = await createCluster(scene.peer(), sparkInPods(1));
    await untilActive(scene, id);
    const job = await createJob(scene.peer(), 'Shell', { name: 'short.sh', bytes: script });
    const execution = await run(scene.peer(), job, id, {});
    await comes(async () => expect(await readLog(scene.peer(), execution)).toBe('begin\n'));

    const kubelet = kubeletOf(plane);
    process.kill(kubelet, 'SIGSTOP');
    await comes(async () =>
      expect((await readCluster(scene.peer(), id)).status_description).toMatch(
        new RegExp(
          `node ${node?.name} does not answer: pod \\S+ is started elsewhere once the node is back, or is deleted`,
        ),
      ),
    );
    expect((await readCluster(scene.peer(), id)).status).toBe('Active');
    expect((await readRun(scene.peer(), execution)).info.status).toBe('RUNNING');

    process.kill(kubelet, 'SIGCONT');
    expect(await untilEnded(scene, execution)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await readLog(scene.peer(), execution)).toBe('begin\nend\n');
    await comes(async () =>
      expect((await readCluster(scene.peer(), id)).status_description).toMatch(/^the cluster can be used again: node/),
    );
    const { items } = await connectTo(kubeconfig).core.listNamespacedPod({
      namespace: 'default',
      labelSelector: 'job-name',
    });
    expect(items).toHaveLength(1);
    await removeCluster(scene, id);
  });
});
