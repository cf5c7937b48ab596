// A real controller of Kueue beside an API server of its own: its webhooks see every Job and every StatefulSet there. Without one its tests are skipped,
// and the reason is told.
import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { collect, listOf, whileFilling } from '../../../dev/plane/binaries/binaries.ts';
import { KUEUE_VERSION, platformName } from '../../../dev/plane/binaries/release.ts';
import { folderSource, goSource } from '../../../dev/plane/binaries/sources.ts';
import { startPlane } from '../../../dev/plane/plane.ts';
import { pickPorts } from '../../../dev/plane/ports.ts';
import { cacheRoot } from '../../../src/lib/fetch/cache.ts';
import { type ApiServer, connect } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';

const modules = join(import.meta.dirname, '../../../dev/plane/binaries/modules/kueue');
const namespace = 'kueue-system';
const webhookService = 'kueue-webhook-service';
const webhookSecret = 'kueue-webhook-server-cert';

export const queueApi = '/apis/kueue.x-k8s.io/v1beta2';

/** Its path. Undefined where it is not in the cache and cannot be built. */
export async function findKueue(): Promise<string | undefined> {
  const folder = join(cacheRoot(process.env), 'kueue', `${KUEUE_VERSION}-${platformName()}`);
  const tell = (line: string): void => console.warn(line);
  const sources = [folderSource('the cache', folder), goSource(folder, tell)];
  const { found, attempts } = await whileFilling(folder, tell, () => collect(['kueue'], sources, {}, tell));
  if (found.kueue === undefined) tell(`The tests of queues are skipped: ${listOf(attempts)}`);
  return found.kueue;
}

/** The folder of its sources, with its manifests, of which Go has those that it was built from. */
async function findManifests(): Promise<string> {
  const args = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kueue'];
  const { stdout } = await promisify(execFile)('go', args, { cwd: modules, env: { ...process.env, GOWORK: 'off' } });
  return join(stdout.trim(), 'config', 'components');
}

async function created(api: ApiServer, path: string, body: object): Promise<void> {
  const answer = await api.send({ method: 'POST', path, body });
  if (answer.status >= 300) throw new Error(`the API server refuses ${path}: ${JSON.stringify(answer.body)}`);
}

async function createCrds(api: ApiServer, manifests: string): Promise<void> {
  const folder = join(manifests, 'crd', 'bases');
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const file of await readdir(folder)) {
    const crd = parse(await readFile(join(folder, file), 'utf8')) as object;
    await created(api, path, crd);
  }
}

interface Webhook {
  clientConfig: { service: { name: string; namespace: string; path: string; port?: number } };
  readonly rules: readonly { readonly resources: readonly string[] }[];
  namespaceSelector?: object;
}

/** What the tests make. Kueue serves webhooks for more kinds, most of which the API server does not know. */
const kinds = ['jobs', 'statefulsets', 'pods', 'workloads', 'clusterqueues', 'localqueues', 'resourceflavors'];

/** The API server reaches a Service of the type ExternalName under that name, so that the certificate that Kueue makes for the Service is the right one. */
async function createWebhooks(api: ApiServer, manifests: string, port: number): Promise<void> {
  const spec = { type: 'ExternalName', externalName: 'localhost' };
  await created(api, `/api/v1/namespaces/${namespace}/services`, { metadata: { name: webhookService }, spec });
  const text = await readFile(join(manifests, 'webhook', 'manifests.yaml'), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const { kind, ...given } = document.toJS() as { kind: string; webhooks: Webhook[] };
    const webhooks = given.webhooks.filter(({ rules }) =>
      rules.every((rule) => rule.resources.every((one) => kinds.includes(one.split('/')[0] ?? ''))),
    );
    for (const webhook of webhooks) {
      const { path } = webhook.clientConfig.service;
      webhook.clientConfig = { service: { name: webhookService, namespace, path, port } };
      const own = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', namespace] };
      webhook.namespaceSelector = { matchExpressions: [own] };
    }
    const name = kind.startsWith('Mutating')
      ? 'kueue-mutating-webhook-configuration'
      : 'kueue-validating-webhook-configuration';
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
    await created(api, path, { ...given, kind, metadata: { name }, webhooks });
  }
}

/** Kueue writes its certificate into the Secret, and waits until the kubelet has mounted that. */
async function mountCertificate(api: ApiServer, folder: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${webhookSecret}`;
  await vi.waitFor(async () => {
    const { data = {} } = (await api.send({ path })).body as { data?: Readonly<Record<string, string>> };
    if (data['tls.crt'] === undefined) throw new Error('Kueue has no certificate yet');
    for (const [name, text] of Object.entries(data)) await writeFile(join(folder, name), Buffer.from(text, 'base64'));
  }, limitMs);
}

const isReady = async (port: number): Promise<void> => {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  if (!answer.ok) throw new Error(`Kueue is not ready: ${await answer.text()}`);
};

/** Both end with the test. The log of Kueue is in the folder of the plane. */
export async function startKueue(program: string): Promise<{ readonly api: ApiServer; readonly kubeconfig: string }> {
  const plane = await startPlane({ controllerManager: true });
  onTestFinished(async () => plane.stop());
  const api = await connect(plane.kubeconfig);
  onTestFinished(async () => api.close());
  const folder = join(plane.directory, 'kueue');
  await mkdir(folder);
  const manifests = await findManifests();
  await createCrds(api, manifests);
  await created(api, '/api/v1/namespaces', { metadata: { name: namespace } });
  await created(api, `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: webhookSecret } });
  const [webhooks = 0, health = 0, visibility = 0] = await pickPorts(3);
  const config = {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    namespace,
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', port: webhooks, certDir: folder },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: true, webhookServiceName: webhookService, webhookSecretName: webhookSecret },
    integrations: { frameworks: ['batch/job', 'pod', 'statefulset'] },
  };
  // JSON is YAML.
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
  await createWebhooks(api, manifests, webhooks);
  const args = [`--config=${join(folder, 'config.yaml')}`, `--visibility-server-port=${visibility}`];
  const environment = { ...process.env, KUBECONFIG: plane.kubeconfig };
  const kueue = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(process.env['KUEUE_LOG'] ?? join(folder, 'kueue.log'));
  for (const output of [kueue.stdout, kueue.stderr]) output.pipe(log, { end: false });
  const ended = new Promise((resolve) => kueue.once('close', resolve));
  onTestFinished(async () => {
    kueue.kill('SIGKILL');
    await ended;
  });
  await mountCertificate(api, folder);
  await vi.waitFor(() => isReady(health), limitMs);
  return { api, kubeconfig: plane.kubeconfig };
}

/** A queue with room for so many cores, in the namespace. */
export async function createQueue(api: ApiServer, of: string, name: string, cores: number): Promise<void> {
  const quotas = { cpu: cores, memory: `${cores * 64}Gi`, 'ephemeral-storage': `${cores * 1024}Gi` };
  const resources = Object.entries(quotas).map(([resource, nominalQuota]) => ({ name: resource, nominalQuota }));
  const spec = {
    namespaceSelector: {},
    resourceGroups: [{ coveredResources: Object.keys(quotas), flavors: [{ name: 'default', resources }] }],
  };
  await api.apply(`${queueApi}/resourceflavors/default`, {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ResourceFlavor',
    metadata: { name: 'default' },
  });
  const clusterQueue = `${of}-${name}`;
  const kinds = [
    [`${queueApi}/clusterqueues/${clusterQueue}`, { kind: 'ClusterQueue', metadata: { name: clusterQueue }, spec }],
    [
      `${queueApi}/namespaces/${of}/localqueues/${name}`,
      { kind: 'LocalQueue', metadata: { name, namespace: of }, spec: { clusterQueue } },
    ],
  ] as const;
  for (const [path, object] of kinds) {
    const answer = await api.apply(path, { apiVersion: 'kueue.x-k8s.io/v1beta2', ...object });
    if (answer.status >= 300) throw new Error(`the API server refuses ${path}: ${JSON.stringify(answer.body)}`);
  }
}
