// The quick start on a real node: the image, the manifests and the chart make pods that work, and clusters in pods.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { engineImages } from '../../dev/image/engines.ts';
import { buildProduct } from '../../dev/image/product.ts';
import { importImage } from '../../dev/plane/node/images.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { commandsIn, readPage } from '../e2e/support/documents.ts';
import { repository } from '../e2e/support/installation.ts';
import { haveKubectl } from '../gitops/readers/kubectl-wait.ts';
import { helm } from '../support/helm.ts';
import { withoutCluster } from './support/cluster.ts';
import { findObstacle, importEngines } from './support/engine-pods.ts';

const directory = inject('podsDirectory');
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const demo = 'dataprocessing-demo';

/** In the checkout, with kubectl and helm for the node. */
async function run(command: string): Promise<string> {
  const env = { ...process.env, KUBECONFIG: inject('podsKubeconfig') };
  const line = command.replace(/^helm /, `'${helm}' `);
  return (await promisify(execFile)('sh', ['-c', line], { cwd: repository, env })).stdout;
}

async function importProduct(): Promise<void> {
  const file = join(directory, 'product.tar');
  const name = `localhost/dataprocessing-operator:${packageJson.version}`;
  await buildProduct({ root: repository, name, architectures: [architecture], file, print: () => undefined });
  await importImage(directory, file);
}

/** Nothing of it is left for other tests. */
const uninstall = async (): Promise<unknown> =>
  run('kubectl delete -k deploy/quickstart --ignore-not-found --timeout=120s');

const [, section = ''] = readPage('README.md').split('\n## Quick start on a cluster\n');
const commands = commandsIn(section.split('\n## ')[0] ?? '').filter((command) => command.startsWith('kubectl '));

/** The chart takes over what kubectl has installed, and has clusters made of pods. */
async function installByHelm(): Promise<void> {
  const images = join(directory, 'engine-images.yaml');
  await writeFile(images, stringify(engineImages));
  await run(`kubectl -n ${demo} create configmap engine-images --from-file=images.yaml=${images}`);
  const values = join(directory, 'values.yaml');
  const service = {
    enabled: true,
    provisioner: 'kubernetes',
    extraArgs: ['--engine-images=/etc/engines/images.yaml'],
    extraVolumes: [{ name: 'engines', configMap: { name: 'engine-images' } }],
    extraVolumeMounts: [{ name: 'engines', mountPath: '/etc/engines' }],
  };
  await writeFile(values, stringify({ service }));
  const over = '--install --take-ownership --force-conflicts --wait --timeout 120s';
  const chart = 'deploy/helm/dataprocessing-operator';
  await run(`helm upgrade dataprocessing-operator ${chart} -n dataprocessing-system ${over} -f ${values}`);
}

const readyClusters = async (): Promise<string> =>
  run(`kubectl -n ${demo} get dpc -o jsonpath='{range .items[*]}{.metadata.name}={.status.nodes} {end}'`);

describe.skipIf(withoutCluster || directory === '' || !haveKubectl || helm === undefined)('an installation', () => {
  test('works as the README says, keeps its data, and makes clusters of pods', {
    timeout: 600_000,
  }, async (context) => {
    await importProduct();
    onTestFinished(async () => void (await uninstall()));
    for (const command of commands) await run(command);
    expect(await readyClusters()).toBe('analytics=4/4 scratch=2/2 ');

    // Another pod of the service has the same clusters: nothing vanishes, and nothing is made again.
    const ids = `kubectl -n ${demo} get dpc -o jsonpath='{.items[*].status.id}'`;
    const before = await run(ids);
    await run(`kubectl -n ${demo} rollout restart deployment/dataprocessing-service`);
    await run(`kubectl -n ${demo} rollout status deployment/dataprocessing-service --timeout=120s`);
    await run(`kubectl -n ${demo} annotate dpc --all dataprocessing.dev/reconcile-requested-at=now`);
    await run(`kubectl -n ${demo} wait --for=jsonpath='{.status.lastHandledReconcileAt}'=now dpc --all --timeout=60s`);
    expect([await run(ids), await readyClusters()]).toEqual([before, 'analytics=4/4 scratch=2/2 ']);
    await run(`kubectl -n ${demo} delete dpc,dpct,dpngt,dpimg --all --timeout=120s`);

    const obstacle = findObstacle();
    if (obstacle !== undefined) return context.skip(`clusters in pods: ${obstacle}`);
    await importEngines();
    await installByHelm();
    await run(`kubectl -n ${demo} apply --server-side -f examples/spark/`);
    await run(`kubectl -n ${demo} wait --for=condition=Ready clusters.dataprocessing.dev/spark --timeout=180s`);
    const pods = await run(`kubectl -n ${demo} get pods -l dataprocessing.dev/node-group -o name`);
    expect(pods.trim().split('\n')).toHaveLength(3);
    await run(`kubectl -n ${demo} delete -f examples/spark/ --timeout=120s`);
    expect(await run(`kubectl -n ${demo} get pods -l dataprocessing.dev/node-group -o name`)).toBe('');
  });
});
