// A release on a real API server: it is installed, upgraded, uninstalled and installed again, and what users have survives.
import { describe, expect, inject, test } from 'vitest';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { crdName } from '../../../dev/generate/crd.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { chart, type HelmAnswer, helm, runHelm, settings } from '../../support/kubernetes/helm.ts';
import { type Cluster, demoNamespace, useCluster } from './cluster.ts';

const release = 'dataprocessing-operator';
const values = { watchAllNamespaces: true, 'service.enabled': true };

const tryHelmIn = async ({ kubeconfig }: Cluster, verb: string, ...args: readonly string[]): Promise<HelmAnswer> =>
  runHelm(verb, release, ...args, '--kubeconfig', kubeconfig, '--namespace', 'dataprocessing-system');

async function helmIn(cluster: Cluster, verb: string, ...args: readonly string[]): Promise<string> {
  const { code, output, errors } = await tryHelmIn(cluster, verb, ...args);
  expect([code, errors], verb).toEqual([0, '']);
  return output;
}

const named = (apiVersion: string, kind: string, name: string, namespace?: string): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
});

/** What users have made, or would lose. */
const kept: readonly Manifest[] = [
  ...definitions.map((each) => named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', crdName(each))),
  named('v1', 'Namespace', demoNamespace),
  named('v1', 'Secret', 'service-token', demoNamespace),
  named('v1', 'PersistentVolumeClaim', 'dataprocessing-service', demoNamespace),
  named('dataprocessing.dev/v1alpha1', 'Connection', 'default', demoNamespace),
];
const removed: readonly Manifest[] = [
  named('apps/v1', 'Deployment', 'dataprocessing-operator', 'dataprocessing-system'),
  named('apps/v1', 'Deployment', 'dataprocessing-service', demoNamespace),
  named('rbac.authorization.k8s.io/v1', 'ClusterRole', 'dataprocessing-operator'),
];

/** Uid, and the content that must not change. */
const look = async ({ objects }: Cluster, manifests: readonly Manifest[]): Promise<readonly unknown[]> =>
  Promise.all(
    manifests.map(async (manifest) => {
      const found = await objects.read(manifest);
      return (
        found && { uid: found.metadata.uid, data: found['data'], connection: found.kind === 'Connection' && found.spec }
      );
    }),
  );

describe.skipIf(inject('kubeconfig') === '' || helm === undefined)('a release', () => {
  const opened = useCluster();

  test('keeps CRDs, data and access through upgrades and uninstallations', async () => {
    const cluster = opened();
    const notes = await helmIn(cluster, 'install', chart, '--create-namespace', ...settings(values));
    expect(notes).toContain('kubectl -n dataprocessing-system rollout status deployment/dataprocessing-operator');
    expect(notes).toContain('WARNING: image.repository is localhost/dataprocessing-operator');
    const first = await look(cluster, kept);
    expect(first).not.toContain(undefined);

    const image = { 'image.repository': 'registry.example.com/team/operator' };
    expect(await helmIn(cluster, 'upgrade', chart, ...settings({ ...values, ...image }))).not.toContain('WARNING');
    expect(await look(cluster, kept)).toEqual(first);
    expect(JSON.stringify(await cluster.objects.read(removed[0] as Manifest))).toContain(image['image.repository']);

    await helmIn(cluster, 'uninstall');
    expect(await look(cluster, kept)).toEqual(first);
    expect(await look(cluster, removed)).toEqual(removed.map(() => undefined));

    await helmIn(cluster, 'install', chart, ...settings(values));
    expect(await look(cluster, kept)).toEqual(first);
    expect(await look(cluster, removed)).not.toContain(undefined);
  });

  /** The one that the test above has installed at its end. */
  test('of all namespaces is narrowed only on purpose', async () => {
    const cluster = opened();
    const wide = [
      named('rbac.authorization.k8s.io/v1', 'ClusterRole', 'dataprocessing-operator'),
      named('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'dataprocessing-operator'),
    ];
    const before = await look(cluster, wide);
    expect(before).not.toContain(undefined);
    // The values of a release of 0.2.0.
    const { code, errors } = await tryHelmIn(cluster, 'upgrade', chart, ...settings({ 'service.enabled': true }));
    expect([code, errors]).toEqual([1, expect.stringContaining('to watch all namespaces')]);
    expect(await look(cluster, wide)).toEqual(before);

    const one = { watchAllNamespaces: false, watchNamespaces: [demoNamespace], installation: 'a-uid' };
    const notes = await helmIn(cluster, 'upgrade', chart, '--reset-then-reuse-values', ...settings(one));
    expect(notes).toContain(`has permissions in no other: ${demoNamespace}`);
    expect(await look(cluster, wide)).toEqual([undefined, undefined]);
    const role = named('rbac.authorization.k8s.io/v1', 'Role', 'dataprocessing-operator', demoNamespace);
    expect(await look(cluster, [role])).not.toContain(undefined);
  });
});
