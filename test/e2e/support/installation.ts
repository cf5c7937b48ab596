// What deploy/ installs, with a process in place of the pod: which objects, whose account, and the flags that its Deployment sets.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Account } from '../../../dev/demo/account.ts';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import type { Manifest } from '../../../dev/demo/manifests.ts';

export const repository = join(import.meta.dirname, '..', '..', '..');

export interface Installation {
  readonly manifests: readonly Manifest[];
  readonly account: Account;
  /** What the environment of the container says, as flags. */
  readonly flags: readonly string[];
}

/** One operator for all namespaces. */
export const wholeCluster = async (): Promise<Installation> =>
  installationOf(await renderKustomization(join(repository, 'deploy')));

/** One operator for one namespace, by a kustomization such as a user writes, in a new folder. The CRDs have to be there. */
export async function oneNamespace(folder: string, namespace: string): Promise<Installation> {
  await writeOverlay(folder, namespace);
  const clusterWide = await renderKustomization(join(repository, 'deploy', 'cluster-wide'));
  const own = await renderKustomization(folder);
  return installationOf([...clusterWide.filter(({ kind }) => kind !== 'CustomResourceDefinition'), ...own]);
}

export async function writeOverlay(folder: string, namespace: string): Promise<void> {
  await mkdir(folder);
  const env = [{ name: 'DATAPROCESSING_INSTALLATION', value: `tests-of-${namespace}` }];
  const patch = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'dataprocessing-operator', namespace: 'dataprocessing-system' },
    spec: { template: { spec: { containers: [{ name: 'operator', env }] } } },
  };
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace,
    resources: [relative(folder, join(repository, 'deploy', 'namespaced'))],
    patches: [{ path: 'installation.yaml' }],
  };
  // JSON is YAML.
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  await writeFile(join(folder, 'installation.yaml'), JSON.stringify(patch));
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

export interface PodSpec {
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [{ readonly env: readonly Variable[]; readonly [field: string]: unknown }];
  readonly [field: string]: unknown;
}

export function podOf(manifests: readonly Manifest[]): { readonly namespace: string; readonly pod: PodSpec } {
  const deployment = manifests.find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('cannot read the installation: it has no Deployment');
  const { template } = deployment['spec'] as { readonly template: { readonly spec: PodSpec } };
  return { namespace: deployment.metadata.namespace ?? '', pod: template.spec };
}

function installationOf(manifests: readonly Manifest[]): Installation {
  const { namespace, pod } = podOf(manifests);
  return { manifests, account: { namespace, name: pod.serviceAccountName }, flags: flagsOf(manifests) };
}

/** What the environment of the container says, as flags. */
export function flagsOf(manifests: readonly Manifest[]): readonly string[] {
  const { namespace, pod } = podOf(manifests);
  const prefix = 'DATAPROCESSING_';
  return pod.containers[0].env
    .filter(({ name }) => name.startsWith(prefix))
    .flatMap(({ name, value, valueFrom }) => {
      const flag = `--${name.slice(prefix.length).toLowerCase().replaceAll('_', '-')}`;
      if (value === 'true') return [flag];
      return [flag, valueFrom?.fieldRef.fieldPath === 'metadata.namespace' ? namespace : (value ?? '')];
    });
}
