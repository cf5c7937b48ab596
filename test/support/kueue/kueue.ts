// A real controller of Kueue beside a plane, of which its webhooks see every Job, StatefulSet and pod. Without one its tests are skipped, and the reason is
// told.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { collect, listOf, whileFilling } from '../../../dev/plane/binaries/binaries.ts';
import { KUEUE_VERSION, platformName } from '../../../dev/plane/binaries/release.ts';
import { folderSource, goSource } from '../../../dev/plane/binaries/sources.ts';
import type { Plane } from '../../../dev/plane/plane.ts';
import { pickPorts } from '../../../dev/plane/ports.ts';
import { cacheRoot } from '../../../src/lib/fetch/cache.ts';
import { type ApiServer, connect } from '../kubernetes/api-server.ts';
import { limitMs } from '../patience.ts';
import { installKueue, kueueNamespace, webhookSecret, webhookService } from './install.ts';
import { urgentJob } from './queues.ts';

/** Its path. Undefined where it is not in the cache and cannot be built. */
export async function findKueue(): Promise<string | undefined> {
  const folder = join(cacheRoot(process.env), 'kueue', `${KUEUE_VERSION}-${platformName()}`);
  const tell = (line: string): void => console.warn(line);
  const sources = [folderSource('the cache', folder), goSource(folder, tell)];
  const { found, attempts } = await whileFilling(folder, tell, () => collect(['kueue'], sources, {}, tell));
  if (found.kueue === undefined) tell(`The tests of queues are skipped: ${listOf(attempts)}`);
  return found.kueue;
}

interface Setting {
  readonly folder: string;
  readonly host: string;
  readonly webhooks: number;
}

const configOf = ({ folder, host, webhooks }: Setting) => ({
  apiVersion: 'config.kueue.x-k8s.io/v1beta2',
  kind: 'Configuration',
  namespace: kueueNamespace,
  health: { healthProbeBindAddress: '0' },
  metrics: { bindAddress: '0' },
  webhook: { host, port: webhooks, certDir: folder },
  leaderElection: { leaderElect: false },
  internalCertManagement: { enable: true, webhookServiceName: webhookService, webhookSecretName: webhookSecret },
  integrations: { frameworks: ['batch/job', 'pod', 'statefulset'] },
  // An API of its own, for which the API server would need another Service.
  featureGates: { VisibilityOnDemand: false },
});

/** Kueue writes its certificate into the Secret, more than once as it starts, and waits until the kubelet has mounted that. */
async function mountCertificate(api: ApiServer, folder: string): Promise<void> {
  const path = `/api/v1/namespaces/${kueueNamespace}/secrets/${webhookSecret}`;
  const { data = {} } = (await api.send({ path })).body as { data?: Readonly<Record<string, string>> };
  if (data['tls.crt'] === undefined) throw new Error('Kueue has no certificate yet');
  for (const [name, text] of Object.entries(data)) {
    const file = join(folder, name);
    const now = Buffer.from(text, 'base64');
    const before = await readFile(file).catch(() => undefined);
    if (before?.equals(now) !== true) await writeFile(file, now);
  }
}

/** The API server reaches its webhooks, and knows their certificate. */
async function answers(api: ApiServer): Promise<void> {
  const path = '/apis/batch/v1/namespaces/default/jobs?dryRun=All';
  const { status, body } = await api.send({ method: 'POST', path, body: urgentJob('probe', 'none', '1') });
  if (status !== 201) throw new Error(`Kueue is not ready: ${JSON.stringify(body)}`);
  expect(body).toMatchObject({ spec: { suspend: true } });
}

function stopOf(kueue: ChildProcess): () => Promise<void> {
  const ended = new Promise<void>((resolve) => void kueue.once('close', () => resolve()));
  return async () => {
    kueue.kill('SIGKILL');
    await ended;
  };
}

/** Resolves when it is ready, to what ends it. Its log is in the folder of the plane, or in the file KUEUE_LOG. */
export async function startKueue(program: string, plane: Plane): Promise<() => Promise<void>> {
  await using api = await connect(plane.kubeconfig);
  const folder = join(plane.directory, 'kueue');
  await mkdir(folder);
  const [webhooks = 0] = await pickPorts(1);
  const host = plane.node?.host ?? '127.0.0.1';
  await installKueue(api, { host, port: webhooks });
  const file = join(folder, 'config.yaml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify(configOf({ folder, host, webhooks })));
  const env = { ...process.env, KUBECONFIG: plane.kubeconfig };
  const kueue = spawn(program, [`--config=${file}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(process.env['KUEUE_LOG'] ?? join(folder, 'kueue.log'));
  for (const output of [kueue.stdout, kueue.stderr]) output.pipe(log, { end: false });
  const stop = stopOf(kueue);
  try {
    await vi.waitFor(
      async () => {
        await mountCertificate(api, folder);
        await answers(api);
      },
      { timeout: limitMs, interval: 500 },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
