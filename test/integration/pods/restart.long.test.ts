// An API server that is killed and started again under clusters and runs in pods: nothing is called ended because nobody could look.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { inNamespace } from '../../../dev/demo/kustomization.ts';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import type { Json } from '../../contract/peer.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { serviceRules } from '../../pods/support/account.ts';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { connect } from '../../support/kubernetes/api-server.ts';
import { PodScene } from '../support/pods.ts';

const [runs, clusters] = [10, 5];
const user = 'service-of-the-test';
const rbac = 'rbac.authorization.k8s.io';

/** A user to whom RBAC applies, with the permissions of an installation. */
async function account(plane: Plane, namespace: string): Promise<string> {
  await using api = await connect(plane.kubeconfig);
  const path = `/apis/${rbac}/v1/namespaces/${namespace}`;
  for (const role of inNamespace(await serviceRules(namespace), namespace)) {
    const binding = {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: role.metadata.name },
      roleRef: { apiGroup: rbac, kind: 'Role', name: role.metadata.name },
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    };
    expect((await api.apply(`${path}/roles/${role.metadata.name}`, role)).status).toBe(201);
    expect((await api.apply(`${path}/rolebindings/${role.metadata.name}`, binding)).status).toBe(201);
  }
  return await plane.userKubeconfig(user);
}

const statusIn = ({ status }: Json): string => status;

const statusOf = (state: object) => ({
  containerStatuses: [{ name: 'program', image: '', imageID: '', ready: false, restartCount: 0, state }],
});

describe.skipIf(inject('kubeconfig') === '')('an API server of its own', () => {
  let plane: Plane;
  beforeAll(async () => {
    plane = await startPlane();
  });
  afterAll(() => plane?.stop());

  test(`that is killed and started again ends none of ${runs} runs and ${clusters} clusters`, async () => {
    const scene = await PodScene.open(plane.kubeconfig, (namespace) => account(plane, namespace));
    const active = await scene.activeCluster();
    const job = await scene.createJob();
    const ids = await Promise.all(Array.from({ length: runs }, () => scene.execute(active, job)));
    for (let count = 1; count < clusters; count += 1) await scene.createCluster(`waiting-${count}`);
    const jobs = await scene.comes(async () => {
      const all = await scene.list('batch/v1 jobs');
      expect(all).toHaveLength(runs);
      return all;
    });
    // By it the service finds what it has made itself, whatever its records say.
    const services = jobs.map(({ metadata }) => metadata.labels['dataprocessing.dev/service-id']);
    expect([new Set(services).size, services[0]]).toEqual([1, expect.any(String)]);
    for (const { metadata, spec } of jobs) {
      await scene.makePod(`${metadata.name}-pod`, spec.template);
      await scene.setStatus(`${metadata.name}-pod`, statusOf({ running: {} }));
    }
    const states = async (): Promise<readonly string[]> => {
      const executions = (await scene.peer.get(`${base}/job-executions`)).body.job_executions;
      const all = (await scene.peer.get(`${base}/clusters`)).body.clusters;
      const shown: readonly string[] = [...executions.map(({ info }: Json) => info.status), ...all.map(statusIn)];
      return shown.toSorted();
    };
    const wanted = [
      ...ids.map(() => 'RUNNING'),
      ...Array.from({ length: clusters }, (_, index) => (index === 0 ? 'Active' : 'Waiting')),
    ].toSorted();
    await scene.comes(async () => expect(await states()).toEqual(wanted));

    // What an API server answers before its caches for RBAC are full, for a longer time than it does.
    const refusal = 'User "service" cannot get resource "any" in API group "" in the namespace "data"';
    const refused = { behave: 'answer', status: 403, body: statusBody(403, 'Forbidden', refusal) } as const;
    const end = scene.proxy.rule({ ...refused, path: /\/(jobs|pods|secrets|statefulsets|events|services)/ });
    await scene.comes(async () => {
      const messages = await Promise.all(ids.map(async (id) => (await scene.execution(id)).info.message));
      for (const message of messages) expect(message).toMatch(/403 .*[:;] trying again$/);
    });
    expect(await states()).toEqual(wanted);
    end();

    const seen = new Set<string>();
    let isRestarting = true;
    const watching = (async () => {
      while (isRestarting) seen.add(JSON.stringify(await states()));
    })();
    const before = scene.proxy.passed.length;
    await plane.restartApiServer();
    // Each run is observed again, and so is each cluster.
    await scene.comes(async () => {
      const messages = await Promise.all(ids.map(async (id) => (await scene.execution(id)).info.message));
      expect(messages).toEqual(ids.map(() => undefined));
    });
    isRestarting = false;
    await watching;
    expect([...seen]).toEqual([JSON.stringify(wanted)]);
    const refusals = scene.proxy.passed.slice(before).filter(({ status }) => status === 403).length;
    console.info(`around its restart, the API server refused ${refusals} requests of those it allowed before`);
    expect(await scene.list('batch/v1 jobs')).toHaveLength(runs);

    for (const { metadata } of jobs)
      await scene.setStatus(`${metadata.name}-pod`, statusOf({ terminated: { exitCode: 0 } }));
    await scene.comes(async () => expect((await states()).filter((state) => state === 'SUCCEEDED')).toHaveLength(runs));
    expect((await states()).filter((state) => state !== 'SUCCEEDED')).toEqual(
      wanted.slice(0, 1).concat(wanted.slice(-4)),
    );
  });
});
