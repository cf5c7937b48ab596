// All that can be installed: the folders of deploy/ and the chart, and the role of the installer, by which that is done.
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Manifest, readManifests } from '../../../dev/demo/manifests.ts';
import { render } from '../../support/kubernetes/helm.ts';
import { repository } from '../support/installation.ts';

export const rbac = 'rbac.authorization.k8s.io';
export const kubernetes = join(repository, 'deploy');
const [role] = await readManifests(join(kubernetes, 'installer', 'role.yaml'));
export const installer = role;

export const objectsIn = async (file: string): Promise<readonly Manifest[]> =>
  (await readManifests(file)).filter((each) => each.apiVersion !== undefined && each.kind !== undefined);

/** The folders with YAML files below a folder, and itself. */
export async function foldersWithYaml(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return [...new Set(names.filter((name) => name.endsWith('.yaml')).map((name) => dirname(join(folder, name))))];
}

/** How kubectl is told of each folder of deploy/ that can be installed. The quick start includes deploy/provisioner, a component. */
export async function installations(): Promise<readonly (readonly ['-k' | '-f', folder: string])[]> {
  const folders = (await foldersWithYaml(kubernetes)).filter((each) => !each.includes('/helm/'));
  const kinds = folders.map(async (folder) => {
    const [kustomization] = await readManifests(join(folder, 'kustomization.yaml')).catch(() => []);
    return kustomization?.kind;
  });
  const known = await Promise.all(kinds);
  const installed = folders.map((folder, index) => [known[index] === undefined ? '-f' : '-k', folder] as const);
  return installed.filter((_, index) => known[index] !== 'Component');
}

/** With all that can be switched on, with the usual values, and for one namespace. */
const chartValues: readonly (readonly [values: Readonly<Record<string, unknown>>, namespace: string])[] = [
  [{}, 'dataprocessing-system'],
  [
    {
      'service.enabled': true,
      'service.tenantNamespaces': { demo: 'team-a' },
      'service.engineImages': { spark: { reference: 'registry.example/spark:1', user: 1000 } },
      'service.flavors': [{ id: '1', name: 'small', cpus: 1, memory: 1024 }],
      'service.storageClass': 'fast',
      'service.egress': ['10.0.0.0/8'],
      'metrics.dashboard.enabled': true,
      'metrics.podMonitor.enabled': true,
      'metrics.serviceMonitor.enabled': true,
      'metrics.prometheusRule.enabled': true,
      'web.enabled': true,
      'web.service.enabled': true,
      extraArgs: ['--log-level=debug'],
      imagePullSecrets: [{ name: 'registry' }],
      'networkPolicy.ingressFrom': [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }],
    },
    'dataprocessing-system',
  ],
  [
    {
      watchNamespaces: ['team-a'],
      installation: 'team-a-production',
      'crds.install': false,
      'rbac.userRoles': false,
      'secretsPolicy.create': false,
    },
    'team-a',
  ],
];

export const renderCharts = async (): Promise<readonly (readonly Manifest[])[]> =>
  Promise.all(chartValues.map(async ([values, namespace]) => render(values, '--namespace', namespace)));
