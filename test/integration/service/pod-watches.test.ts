// How often the bundled service asks a real API server about clusters and runs in pods, and how fast it sees what changes.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { statusBody } from '../../support/api-proxy.ts';
import { PodScene } from '../support/pods.ts';

const [runs, waiting] = [100, 20];
/** In ms of real time. The clock of the service runs ten times as fast. */
const quietMs = 2_000;

const statusesOf = async (scene: PodScene, executions: readonly string[]) =>
  new Set(await Promise.all(executions.map(async (each) => (await scene.execution(each)).info.status)));

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
    // The restore of the Active cluster, and of what its own writes have changed.
    await pause(quietMs);

    const before = scene.proxy.passed.length;
    await pause(quietMs);
    const asked = scene.proxy.passed.slice(before).filter(({ watch }) => !watch);
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(scene.proxy.watches()).toHaveLength(8);
    expect(await statusesOf(scene, executions)).toEqual(new Set(['RUNNING']));

    end();
    const ending = scene.proxy.passed.length;
    await scene.setProgram(pods[0] ?? '', { terminated: { exitCode: 0 } });
    await scene.comes(async () => expect(await statusesOf(scene, executions)).toContain('SUCCEEDED'));
    const forEnd = scene.proxy.passed.slice(ending).filter(({ watch }) => !watch);
    expect(forEnd.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual(['GET log']);
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
