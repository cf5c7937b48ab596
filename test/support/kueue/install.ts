// What an installation of Kueue has in the API server: its kinds and its webhooks, from the manifests of the version that the tests build.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import type { ApiServer } from '../kubernetes/api-server.ts';

const modules = join(import.meta.dirname, '../../../dev/plane/binaries/modules/kueue');
export const kueueNamespace = 'kueue-system';
export const webhookService = 'kueue-webhook-service';
export const webhookSecret = 'kueue-webhook-server-cert';

/** Where the API server reaches the webhooks of Kueue. */
export interface WebhookAddress {
  readonly host: string;
  readonly port: number;
}

/** The folder with the manifests of the module that Kueue is built from. Go downloads it, unless it is there. */
async function findManifests(): Promise<string> {
  const args = ['mod', 'download', '-json', 'sigs.k8s.io/kueue'];
  const { stdout } = await promisify(execFile)('go', args, { cwd: modules, env: { ...process.env, GOWORK: 'off' } });
  return join((JSON.parse(stdout) as { readonly Dir: string }).Dir, 'config', 'components');
}

async function created(api: ApiServer, path: string, body: object): Promise<void> {
  const answer = await api.send({ method: 'POST', path, body });
  if (answer.status >= 300) throw new Error(`the API server refuses ${path}: ${JSON.stringify(answer.body)}`);
}

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly names: { readonly plural: string } };
}

/** Kueue does not start before it could write its certificate into the CRDs that it converts: those that the manifests patch. */
function withConversion(crd: Crd, patches: readonly string[], port: number): object {
  if (!patches.some((path) => path.endsWith(`/webhook_in_${crd.spec.names.plural}.yaml`))) return crd;
  const service = { namespace: kueueNamespace, name: webhookService, path: '/convert', port };
  const webhook = { clientConfig: { service }, conversionReviewVersions: ['v1'] };
  return { ...crd, spec: { ...crd.spec, conversion: { strategy: 'Webhook', webhook } } };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly patches: readonly { readonly path: string }[];
}

async function createCrds(api: ApiServer, manifests: string, port: number): Promise<void> {
  const read = async (file: string) => parse(await readFile(join(manifests, 'crd', file), 'utf8')) as unknown;
  const { resources, patches } = (await read('kustomization.yaml')) as Kustomization;
  const patched = patches.map(({ path }) => path);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const file of resources) await created(api, path, withConversion((await read(file)) as Crd, patched, port));
}

interface Webhook {
  readonly clientConfig: { readonly service: { readonly path: string } };
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

/** What the tests make. Kueue has webhooks for more kinds, most of which the API server does not know. */
const kinds = ['jobs', 'statefulsets', 'pods', 'workloads', 'clusterqueues', 'localqueues', 'resourceflavors'];
const isNeeded = ({ rules }: Webhook): boolean =>
  rules.every(({ resources }) => resources.every((one) => kinds.includes(one.split('/')[0] ?? '')));

async function createWebhooks(api: ApiServer, manifests: string, port: number): Promise<void> {
  const text = await readFile(join(manifests, 'webhook', 'manifests.yaml'), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const { kind, webhooks, ...given } = document.toJS() as { kind: string; webhooks: readonly Webhook[] };
    const own = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', kueueNamespace] };
    const configured = webhooks.filter(isNeeded).map((webhook) => {
      const { path } = webhook.clientConfig.service;
      const service = { name: webhookService, namespace: kueueNamespace, path, port };
      return { ...webhook, clientConfig: { service }, namespaceSelector: { matchExpressions: [own] } };
    });
    const role = kind.startsWith('Mutating') ? 'mutating' : 'validating';
    const metadata = { name: `kueue-${role}-webhook-configuration` };
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
    await created(api, path, { ...given, kind, metadata, webhooks: configured });
  }
}

/** The API server reaches a Service of the type ExternalName under that name, so that the certificate that Kueue makes for the Service is the right one. */
export async function installKueue(api: ApiServer, { host, port }: WebhookAddress): Promise<void> {
  const manifests = await findManifests();
  await created(api, '/api/v1/namespaces', { metadata: { name: kueueNamespace } });
  const namespace = `/api/v1/namespaces/${kueueNamespace}`;
  await created(api, `${namespace}/secrets`, { metadata: { name: webhookSecret } });
  const spec = { type: 'ExternalName', externalName: host };
  await created(api, `${namespace}/services`, { metadata: { name: webhookService }, spec });
  await createCrds(api, manifests, port);
  await createWebhooks(api, manifests, port);
}
