// Runs in queues of a real controller of Kueue: what the service makes of what it does to their Jobs. There is no node, so the test plays the kubelet.
import { describe, expect, inject, test } from 'vitest';
import { runName } from '../../../src/service/backends/pods/api/names.ts';
import { waitInQueue } from '../../../src/service/backends/pods/clusters/conditions.ts';
import { runPath } from '../../../src/service/backends/pods/jobs/runner-server.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { findKueue } from '../../support/kueue/kueue.ts';
import { createQueue, roomsIn, urgentJob, workloadsIn } from '../../support/kueue/queues.ts';
import type { PodScene } from '../support/pods.ts';
import { openQueueScene, type QueueScene, withKueue } from './scene.ts';

const program = inject('kubeconfig') === '' ? undefined : await findKueue();
/** What a run requests without a flavor. */
const room = '100m';

const isSuspended = async (scene: PodScene, run: string): Promise<boolean | undefined> =>
  (await scene.list('batch/v1 jobs')).find(({ metadata }) => metadata.name === runName(run))?.spec.suspend;

async function toldOf(scene: PodScene, run: string): Promise<readonly unknown[]> {
  const { status, queued, message } = (await scene.execution(run)).info;
  return [status, queued, message];
}

const waitsIn = (scene: PodScene, run: string, queue: string): Promise<void> =>
  scene.comes(async () => {
    expect(await toldOf(scene, run)).toEqual(['PREP', true, waitInQueue(queue, scene.namespace)]);
    expect(await isSuspended(scene, run)).toBe(true);
  });

const whyOf = async (scene: PodScene, run: string): Promise<string | undefined> =>
  (await roomsIn(scene.api, scene.namespace))[runName(run)];

/** Kueue tells why the run waits, where the message of the run says. */
const toldWhy = (scene: PodScene, run: string, why: RegExp): Promise<void> =>
  scene.comes(async () => expect(await whyOf(scene, run)).toMatch(why));

/** If it is not, the failure shows who has not noticed: Kueue, which says why in the third place, or the service. */
const isAdmitted = (scene: PodScene, run: string): Promise<void> =>
  scene.comes(async () => {
    const [told, isHeld, why] = [await toldOf(scene, run), await isSuspended(scene, run), await whyOf(scene, run)];
    expect({ told, isHeld, why }).toEqual({ told: ['RUNNING', undefined, undefined], isHeld: false, why });
  });

const endsAs = (scene: PodScene, run: string, info: object): Promise<void> =>
  scene.comes(async () => expect((await scene.execution(run)).info).toMatchObject(info));

/** As the runner in the pod does it. From then on, the program runs. */
async function startProgram({ scene, runnerUrl }: QueueScene, run: string): Promise<void> {
  const secret = (await scene.list('v1 secrets')).find(({ metadata }) => metadata.name === runName(run));
  const authorization = `Bearer ${Buffer.from(secret?.data.token, 'base64').toString()}`;
  const answer = await fetch(`${runnerUrl}${runPath(run)}/start`, { method: 'POST', headers: { authorization } });
  expect(answer.status).toBe(204);
}

describe.skipIf(program === undefined)('a run in a queue of Kueue', () => {
  const kubeconfig = withKueue(program);

  const open = async (): Promise<QueueScene & { readonly start: (queue: string) => Promise<string> }> => {
    const opened = await openQueueScene(kubeconfig(), { jobQueues: ['team', 'other'] });
    const { scene } = opened;
    const cluster = await scene.activeCluster();
    const job = await scene.createJob();
    return { ...opened, start: (queue) => scene.execute(cluster, job, { 'edp.queue': queue }) };
  };

  test('waits until there is room, and again when it loses its room before its program has begun', async () => {
    const { scene, start } = await open();
    const { api, namespace } = scene;
    await createQueue(api, namespace, 'team', '0');
    const run = await start('team');
    await waitsIn(scene, run, 'team');
    await toldWhy(
      scene,
      run,
      /^couldn't assign flavors to pod set main: insufficient quota for cpu .* maximum capacity/,
    );
    await createQueue(api, namespace, 'team', room);
    await isAdmitted(scene, run);

    await scene.create('batch/v1', 'jobs', urgentJob('urgent', 'team', room));
    await waitsIn(scene, run, 'team');
    await toldWhy(scene, run, /insufficient unused quota for cpu/);
    await scene.remove('batch/v1 jobs', 'urgent');
    await isAdmitted(scene, run);
  });

  test('is over when it loses its room after its program has begun, and takes none again', async () => {
    const opened = await open();
    const { scene, start } = opened;
    await createQueue(scene.api, scene.namespace, 'team', room);
    const run = await start('team');
    await isAdmitted(scene, run);
    await startProgram(opened, run);
    await scene.create('batch/v1', 'jobs', urgentJob('urgent', 'team', room));
    const message =
      'Kueue took back its room in queue team while it ran: run the job again, because no run is started twice';
    await endsAs(scene, run, { status: 'FAILED', termination: { reason: 'Evicted' }, message });
    await scene.comes(async () => expect(await workloadsIn(scene.api, scene.namespace)).toEqual(['urgent']));
    expect(await isSuspended(scene, run)).toBeUndefined();
  });

  test('leaves its queue when it is cancelled', async () => {
    const { scene, start } = await open();
    await createQueue(scene.api, scene.namespace, 'team', '0');
    const run = await start('team');
    await waitsIn(scene, run, 'team');
    await scene.peer.get(`${base}/job-executions/${run}/cancel`);
    await endsAs(scene, run, { status: 'KILLED' });
    await scene.comes(async () => expect(await workloadsIn(scene.api, scene.namespace)).toEqual([]));
    expect(await isSuspended(scene, run)).toBeUndefined();
  });

  test('waits for a queue that is not there yet, while others have room', async () => {
    const { scene, start } = await open();
    await createQueue(scene.api, scene.namespace, 'team', room);
    const [run, other] = [await start('other'), await start('team')];
    await isAdmitted(scene, other);
    await waitsIn(scene, run, 'other');
    await toldWhy(scene, run, /^LocalQueue other doesn't exist$/);
    await createQueue(scene.api, scene.namespace, 'other', room);
    await isAdmitted(scene, run);
  });
});
