// What the bundled service does with clusters and jobs in pods while the API server does not answer, or refuses.
import { describe, expect, inject, test } from 'vitest';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { PodScene } from '../support/pods.ts';

const busy = { behave: 'answer', status: 503, body: statusBody(503, 'ServiceUnavailable', 'etcd is away') } as const;
const throttled = { behave: 'answer', status: 429, body: statusBody(429, 'TooManyRequests', 'slow down') } as const;

/** The status of a run, and what is said about it. */
async function toldOf(scene: PodScene, execution: string): Promise<readonly unknown[]> {
  const { status, message } = (await scene.execution(execution)).info;
  return [status, message];
}

describe.skipIf(inject('kubeconfig') === '')('an API server that does not answer', () => {
  test('delays a cluster, which then becomes Active', async () => {
    const scene = await PodScene.open();
    for (const path of [/\/secrets\//, /\/services\//, /\/networkpolicies\//, /\/statefulsets\//])
      scene.proxy.rule({ ...busy, method: /PATCH/, path, times: 1 });
    scene.proxy.rule({ ...throttled, method: /GET/, path: /\/pods$/, times: 1 });
    scene.proxy.rule({ behave: 'cut', method: /GET/, path: /\/persistentvolumeclaims$/, times: 1 });
    const end = scene.proxy.rule({ ...busy, path: /\/secrets/ });
    const id = await scene.createCluster();
    await scene.comes(async () =>
      expect(await scene.cluster(id)).toMatchObject({
        status: 'Waiting',
        status_description: expect.stringMatching(/secrets .*503 etcd is away; trying again$/),
      }),
    );
    end();
    const seen = new Set<string>();
    await scene.comes(async () => {
      await scene.startMachines();
      const { status } = await scene.cluster(id);
      seen.add(status);
      expect(status).toBe('Active');
    });
    expect(seen).not.toContain('Error');
    expect(scene.proxy.passed.filter(({ status }) => status === 503).length).toBeGreaterThan(4);
    expect(scene.proxy.passed.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe.skipIf(inject('kubeconfig') === '')('a run in a pod', () => {
  test('is made once and has its outcome, although the API server does not answer meanwhile', async () => {
    const scene = await PodScene.open();
    const id = await scene.activeCluster();
    // The first Job is refused, the second one is made without an answer.
    scene.proxy.rule({
      behave: 'strike',
      when: 'after',
      method: /POST/,
      path: /\/jobs$/,
      strike: () => () => {},
      times: 1,
    });
    scene.proxy.rule({ ...busy, method: /POST/, path: /\/jobs$/, times: 1 });
    const execution = await scene.execute(id);
    await scene.comes(async () => expect(await toldOf(scene, execution)).toEqual(['RUNNING', undefined]));
    expect(scene.proxy.seen({ method: /POST/, path: /\/jobs$/ })).toHaveLength(3);

    const [pod = ''] = await scene.startPrograms();
    const end = scene.proxy.rule({ ...busy, method: /GET/, path: /\/jobs/ });
    scene.proxy.endWatches({ path: /\/jobs$/ }, 'cut');
    await scene.comes(async () =>
      expect(await toldOf(scene, execution)).toEqual([
        'RUNNING',
        expect.stringMatching(/^cannot watch jobs in namespace .* 503 etcd is away: trying again$/),
      ]),
    );
    end();
    await scene.comes(async () => expect(await toldOf(scene, execution)).toEqual(['RUNNING', undefined]));
    await scene.setProgram(pod, { terminated: { exitCode: 0 } });
    await scene.comes(async () => expect(await toldOf(scene, execution)).toEqual(['SUCCEEDED', undefined]));
    expect(await scene.list('batch/v1 jobs')).toHaveLength(1);
  });

  test('fails with the remedy if the service may not make Jobs', async () => {
    const scene = await PodScene.open();
    const id = await scene.activeCluster();
    const message = 'jobs.batch is forbidden: User "service" cannot create resource "jobs" in API group "batch"';
    scene.proxy.rule({ behave: 'answer', status: 403, body: statusBody(403, 'Forbidden', message), path: /\/jobs$/ });
    const execution = await scene.execute(id);
    await scene.comes(async () =>
      expect(await toldOf(scene, execution)).toEqual([
        'FAILED',
        expect.stringContaining('grant it what deploy/provisioner/role.yaml has'),
      ]),
    );
    expect(await scene.list('batch/v1 jobs')).toEqual([]);
  });
});
