// What tests of an installation in pods share: the image of the product, its manifests and the chart, and commands of the documentation.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { buildProduct } from '../../../dev/image/product.ts';
import { importImage } from '../../../dev/plane/node/images.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { repository } from '../../e2e/support/installation.ts';
import { haveKubectl } from '../../gitops/readers/kubectl-wait.ts';
import { helm } from '../../support/kubernetes/helm.ts';
import { withoutCluster } from './cluster.ts';
import { findObstacle, importEngines } from './engine-pods.ts';

/** Whether something that an installation needs is missing here. */
export const cannotInstall = withoutCluster || findObstacle() !== undefined || !haveKubectl || helm === undefined;

const demo = 'dataprocessing-demo';
export const inDemo = `kubectl -n ${demo}`;

/** In the checkout, with kubectl and helm for the node. */
export async function run(command: string): Promise<string> {
  const env = { ...process.env, KUBECONFIG: inject('podsKubeconfig') };
  const line = command.replace(/^helm /, `'${helm}' `);
  return (await promisify(execFile)('sh', ['-c', line], { cwd: repository, env })).stdout;
}

async function importProduct(): Promise<void> {
  const directory = inject('podsDirectory');
  const file = join(directory, 'product.tar');
  const name = `localhost/dataprocessing-operator:${packageJson.version}`;
  const architectures = [process.arch === 'arm64' ? 'arm64' : 'amd64'] as const;
  await buildProduct({ root: repository, name, architectures, file, print: () => undefined });
  await importImage(directory, file);
}

/** The node gets the images of operator, service and engines. */
export async function importImages(): Promise<void> {
  await importProduct();
  await importEngines();
}

/** Nothing of it is left for other tests. The operator has to remove its finalizers first. */
export async function uninstall(): Promise<void> {
  await run(`${inDemo} delete dataprocessing --all --ignore-not-found --timeout=10m`);
  await run('kubectl delete -k deploy/quickstart --ignore-not-found --timeout=10m');
}

/** Installs the chart, or lets it take over what kubectl has installed. */
export async function installByHelm(values: string): Promise<void> {
  const over =
    '--install --set watchAllNamespaces=true --create-namespace --take-ownership --force-conflicts --wait --timeout 120s';
  const chart = 'deploy/helm/dataprocessing-operator';
  await run(`helm upgrade dataprocessing-operator ${chart} -n dataprocessing-system ${over} ${values}`);
}

/** The field of all clusters, separated by spaces. */
export const readClusters = async (field: string): Promise<string> =>
  run(`${inDemo} get dpc -o jsonpath='{.items[*].${field}}'`);

/** The UIDs of the machines. */
export const readPods = async (): Promise<readonly string[]> =>
  (await run(`${inDemo} get pods -l dataprocessing.dev/node-group -o jsonpath='{.items[*].metadata.uid}'`))
    .split(' ')
    .filter(Boolean)
    .toSorted();

/** Sets the number of machines in a node group of the Cluster, and waits until they are there and in use. */
export async function scale(name: string, group: number, count: number, nodes: string): Promise<void> {
  const operation = { op: 'replace', path: `/spec/nodeGroups/${group}/count`, value: count };
  await run(`${inDemo} patch dpc ${name} --type=json -p '${JSON.stringify([operation])}'`);
  await run(`${inDemo} wait --for=jsonpath='{.status.nodes}'=${nodes} dpc/${name} --timeout=10m`);
  await run(`${inDemo} wait --for=condition=Ready clusters.dataprocessing.dev/${name} --timeout=10m`);
}
