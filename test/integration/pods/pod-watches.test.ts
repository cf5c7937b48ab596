// How often the bundled service asks a real API server about clusters and runs in pods, and how fast it sees what changes.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { asksNothing, quietMs } from '../support/pod-watches.ts';
import { PodScene } from '../support/pods.ts';

asksNothing(30, 6);

describe.skipIf(inject('kubeconfig') === '')('the bundled service with clusters in pods', () => {
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
