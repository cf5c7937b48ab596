// How often the bundled service asks a real API server about clusters and runs in pods, and how fast it sees what changes.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { PodScene } from '../support/pods.ts';

const [runs, waiting] = [100, 20];
/** In ms of real time. The clock of the service runs ten times as fast. */
const quietMs = 2_000;

/**
 * What the service has asked meanwhile, besides its watches. To the fast clock, the API server can look as if it had fallen silent, which has everything listed
 * once more: what is expected of a time in which nothing else happens comes true in one of the next.
 */
async function askedDuring({ proxy }: PodScene, act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = proxy.passed.length;
  await act();
  const asked = proxy.passed.slice(before).filter(({ watch }) => !watch);
  return asked.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
}

const statusesOf = (scene: PodScene, executions: readonly string[]) =>
  Promise.all(executions.map(async (each) => (await scene.execution(each)).info.status));

const succeeded = async (scene: PodScene, executions: readonly string[]) =>
  (await statusesOf(scene, executions)).filter((status) => status === 'SUCCEEDED').length;

describe.skipIf(inject('kubeconfig') === '')('the bundled service with clusters in pods', () => {
  test(`asks the API server nothing while ${runs} executions run and ${waiting} clusters wait`, async () => {
    const scene = await PodScene.open();
    const id = await scene.activeCluster();
    // The output of a run is one open request.
    const end = scene.proxy.rule({ behave: 'swallow', path: /\/log$/ });
    const job = await scene.createJob();
    const executions: string[] = [];
    for (let each = 0; each < runs; each += 1) executions.push(await scene.execute(id, job));
    await scene.comes(async () => expect(await scene.list('batch/v1 jobs')).toHaveLength(runs));
    const pods = await scene.startPrograms();
    for (let each = 0; each < waiting; each += 1) await scene.createCluster(`waiting-${each}`);
    await scene.comes(async () => expect(await scene.list('apps/v1 statefulsets')).toHaveLength(2 + waiting));
    await scene.comes(async () => expect(scene.proxy.seen({ path: /\/log$/ })).toHaveLength(runs));
    await scene.comes(async () => expect(await askedDuring(scene, () => pause(quietMs))).toEqual([]));
    await scene.comes(async () => expect(scene.proxy.watches()).toHaveLength(8));
    expect(new Set(await statusesOf(scene, executions))).toEqual(new Set(['RUNNING']));

    end();
    const left = new Set(pods);
    const oneEnds = async () => {
      const [pod = ''] = left;
      left.delete(pod);
      await scene.setProgram(pod, { terminated: { exitCode: 0 } });
      await scene.comes(async () => expect(await succeeded(scene, executions)).toBe(runs - left.size));
    };
    await scene.comes(async () => expect(await askedDuring(scene, oneEnds)).toEqual(['GET log']));
  });

  test('puts back what somebody else has changed or deleted, without being asked', async () => {
    const scene = await PodScene.open();
    await scene.activeCluster();
    await pause(quietMs);
    const [set] = await scene.list('apps/v1 statefulsets');
    await scene.edit('apps/v1 statefulsets', set.metadata.name, { spec: { replicas: 7 } });
    await scene.comes(async () => {
      const found = await scene.list('apps/v1 statefulsets');
      expect(found.map(({ spec }) => spec.replicas)).toEqual([1, 1]);
    });
    await pause(quietMs);
    await scene.edit('apps/v1 statefulsets', set.metadata.name, {
      metadata: { annotations: { 'dataprocessing.dev/machines': 'another' } },
    });
    await scene.comes(async () => {
      const found = await scene.list('apps/v1 statefulsets');
      expect(found.map(({ metadata }) => metadata.annotations)).not.toContainEqual({
        'dataprocessing.dev/machines': 'another',
      });
    });
    await scene.remove('v1 secrets', set.metadata.name);
    await scene.comes(async () =>
      expect((await scene.list('v1 secrets')).map(({ metadata }) => metadata.name)).toContain(set.metadata.name),
    );
  });

  test('ends nothing that it may not watch, and says what it lacks', async () => {
    const scene = await PodScene.open();
    const id = await scene.activeCluster();
    const execution = await scene.execute(id);
    await scene.comes(async () => expect(await scene.list('batch/v1 jobs')).toHaveLength(1));
    const [pod = ''] = await scene.startPrograms();
    const message = 'pods is forbidden: User "service" cannot watch resource "pods" in API group ""';
    const body = statusBody(403, 'Forbidden', message);
    const end = scene.proxy.rule({ behave: 'answer', status: 403, body, path: /\/pods$/, method: /GET/ });
    scene.proxy.endWatches({ path: /\/pods$/ }, 'cut');
    const told = {
      status: 'RUNNING',
      message: expect.stringMatching(
        /^cannot watch pods in namespace .*: grant it what deploy\/provisioner\/role.yaml has/,
      ),
    };
    await scene.comes(async () => expect((await scene.execution(execution)).info).toMatchObject(told));
    expect((await scene.cluster(id)).status).toBe('Active');
    end();
    await scene.setProgram(pod, { terminated: { exitCode: 0 } });
    await scene.comes(async () => expect((await scene.execution(execution)).info.status).toBe('SUCCEEDED'));
    expect((await scene.cluster(id)).status).toBe('Active');
  });
});
