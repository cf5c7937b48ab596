// An upgrade from 0.1.0 with running clusters: nothing is created, changed or deleted in the service, and all stay what they are.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { waitForGone, waitForReady } from '../../../dev/demo/readiness.ts';
import { listEverything } from '../../../dev/demo/remote.ts';
import { Cleanup } from '../../../dev/demo/stage.ts';
import { haveKubectl } from '../../gitops/readers/kubectl-wait.ts';
import { chart, helm, runHelm } from '../../support/kubernetes/helm.ts';
import { limitMs } from '../../support/patience.ts';
import { isWrite } from '../../support/service/service-proxy.ts';
import { repository } from '../support/installation.ts';
import { openScene, type Scene } from './scene.ts';

const bound = { withinMs: limitMs } as const;
const folder = join(repository, 'deploy');

async function byKubectl(kubeconfig: string): Promise<void> {
  await promisify(execFile)('kubectl', ['--kubeconfig', kubeconfig, 'apply', '--server-side', '-k', folder]);
}

/** Takes over what kubectl has applied, as docs/how-to/upgrade.md shows. */
async function byHelm(kubeconfig: string): Promise<void> {
  const target = ['--kubeconfig', kubeconfig, '--namespace', 'dataprocessing-system'];
  const over = ['--install', '--take-ownership', '--force-conflicts'];
  const { code, errors } = await runHelm(
    'upgrade',
    'dataprocessing-operator',
    chart,
    ...target,
    ...over,
    '--set',
    'watchAllNamespaces=true',
  );
  expect([code, errors]).toEqual([0, '']);
}

const uidsOf = async ({ objects }: Scene, manifests: readonly Manifest[]): Promise<readonly (string | undefined)[]> =>
  Promise.all(manifests.map(async (manifest) => (await objects.read(manifest))?.metadata.uid));

/** Has the operator look at each of them now, and waits until it has. */
async function reconcile({ server, objects, resources }: Scene): Promise<void> {
  const owned = resources.filter(({ kind }) => kind !== 'Connection');
  const requested = 'after the upgrade';
  for (const { apiVersion, kind, metadata } of owned)
    await server.ask({
      method: 'PATCH',
      path: `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s/${metadata.name}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { annotations: { 'dataprocessing.dev/reconcile-requested-at': requested } } },
    });
  const handled = async () =>
    Promise.all(owned.map(async (each) => (await objects.read(each))?.status?.['lastHandledReconcileAt']));
  await expect.poll(handled, { timeout: bound.withinMs }).toEqual(owned.map(() => requested));
}

async function expectNothingRecreated(upgrade: (kubeconfig: string) => Promise<void>): Promise<void> {
  const cleanup = new Cleanup();
  onTestFinished(async () => cleanup.run());
  const scene = await openScene(cleanup);
  const { objects, installed, resources, front, tenant } = scene;
  const remote = await listEverything(tenant);
  expect(remote.length).toBeGreaterThan(6);
  const before = await uidsOf(scene, [...installed, ...resources]);
  expect(before).not.toContain(undefined);

  await upgrade(scene.kubeconfig);
  expect(await uidsOf(scene, [...installed, ...resources])).toEqual(before);
  const operator = await scene.startOperator();
  await reconcile(scene);
  const now = await waitForReady(objects, resources, bound);
  expect(now.map(({ status }) => status?.id)).toEqual(resources.map(({ status }) => status?.id));
  expect(front.sent.length).toBeGreaterThan(0);
  expect(front.sent.filter(isWrite)).toEqual([]);
  expect(await listEverything(tenant)).toEqual(remote);

  // The operator still owns all of it: it deletes it, and nothing is left.
  for (const resource of resources) await objects.remove(resource);
  await waitForGone(objects, resources, bound);
  expect(await listEverything(tenant)).toEqual([]);
  expect(await operator.program.log()).not.toContain('"status":403');
}

describe.skipIf(inject('kubeconfig') === '' || !haveKubectl || helm === undefined)('an upgrade from 0.1.0', () => {
  test.each([
    ['kubectl', byKubectl],
    ['Helm', byHelm],
  ])('by %s recreates nothing', async (_, upgrade) => {
    await expectNothingRecreated(upgrade);
  });
});
