// The changes of the Deployment that the how-to guides show: they render, say what they are for, and are valid.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { renderKustomization } from '../../dev/demo/kustomization.ts';
import type { Manifest } from '../../dev/demo/manifests.ts';
import { expectSame } from '../deploy/kubectl.ts';
import { type ApiServer, connect, createNamespace } from '../support/kubernetes/api-server.ts';
import { isKustomization, place, yamlIn } from './support/documents.ts';
import { podOf, repository } from './support/installation.ts';

const kubeconfig = inject('kubeconfig');
const lastOf = async (page: string): Promise<Manifest> =>
  yamlIn(await readFile(join(repository, 'docs', 'how-to', page), 'utf8'))
    .filter(isKustomization)
    .at(-1) as Manifest;
const single = await lastOf('high-availability.md');
const several = await lastOf('install-in-one-namespace.md');
const documented = [
  ['for a single replica', single],
  ['for several namespaces', several],
] as const;

const deploymentOf = (manifests: readonly Manifest[]) =>
  manifests.find(({ kind }) => kind === 'Deployment') as Manifest & {
    readonly spec: Readonly<Record<string, unknown>>;
  };
const environmentOf = (manifests: readonly Manifest[]) =>
  Object.fromEntries(podOf(manifests).pod.containers[0].env.map(({ name, ...rest }) => [name, rest]));

test('a single replica elects nobody', async () => {
  const rendered = await renderKustomization(await place(single));
  expect(deploymentOf(rendered).spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  expect(environmentOf(rendered)['DATAPROCESSING_LEADER_ELECT']).toEqual({ value: 'false' });
});

test('several namespaces take the place of its own', async () => {
  const rendered = await renderKustomization(await place(several));
  expect(environmentOf(rendered)['DATAPROCESSING_NAMESPACES']).toEqual({ value: 'team-a,team-b' });
});

test.for(documented)('the kustomization %s renders as kubectl does', async ([, kustomization], { skip }) => {
  await expectSame(await place(kustomization), skip);
});

describe.skipIf(kubeconfig === '')('on the API server', () => {
  const namespace = 'documented-operations';
  let server: ApiServer;
  beforeAll(async () => {
    server = await connect(kubeconfig);
    await createNamespace(server, namespace);
  });
  afterAll(async () => server?.close());

  test.each(documented)('the Deployment %s is valid, new and in place of the plain one', async (_, kustomization) => {
    const [base = ''] = kustomization['resources'] as readonly string[];
    const plain = deploymentOf(await renderKustomization(await place({ ...kustomization, patches: [] })));
    const changed = deploymentOf(await renderKustomization(await place(kustomization)));
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${base.split('/').at(-1)}`;
    const apply = async (deployment: Manifest) => {
      const metadata = { ...deployment.metadata, name: path.split('/').at(-1), namespace };
      const { status, body } = await server.apply(path, { ...deployment, metadata });
      expect(status, JSON.stringify(body)).toBeLessThan(300);
    };
    await apply(changed);
    await server.send({ method: 'DELETE', path });
    await apply(plain);
    await apply(changed);
  });
});
