// A plane as 0.1.0 left it, with clusters that run in the service, and what tests of upgrades look at.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { operatorAccount, writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { type Operator, startOperator, startService } from '../../../dev/demo/launch.ts';
import { type Found, type Manifest, type Objects, openObjects, readManifests } from '../../../dev/demo/manifests.ts';
import { openPrograms, type Programs } from '../../../dev/demo/programs.ts';
import type { Tenant } from '../../../dev/demo/remote.ts';
import { type Cleanup, readExamples } from '../../../dev/demo/stage.ts';
import { startPlane } from '../../../dev/plane/plane.ts';
import { type FaultProxy, openFront } from '../../support/service/service-proxy.ts';
import { repository } from '../support/installation.ts';
import { store } from './stored.ts';

export interface Scene {
  readonly kubeconfig: string;
  readonly server: ApiServer;
  readonly objects: Objects;
  /** What 0.1.0 installed, and the custom resources that it left. */
  readonly installed: readonly Manifest[];
  readonly resources: readonly Found[];
  /** Every request of the operator to the service passes here. */
  readonly front: FaultProxy;
  readonly tenant: Tenant;
  /** The operator of today, with the permissions of the installation. */
  startOperator(): Promise<Operator>;
}

const fixture = join(repository, 'test', 'deploy', 'fixtures', '0.1.0');
const namespace = 'team-a';
const token = 'change-me';

export async function openScene(cleanup: Cleanup): Promise<Scene> {
  const plane = await startPlane();
  cleanup.add(async () => plane.stop());
  const folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  const programs = await openPrograms(folder);
  cleanup.add(async () => programs.close());
  const { kubeconfig } = plane;
  const server = await openApiServer(kubeconfig);
  cleanup.add(async () => server.close());
  const objects = openObjects(server, namespace);
  const { front, tenant } = await openService(programs, cleanup);
  const installed = await readManifests(join(fixture, 'installation.yaml'));
  const secret = await readSecret();
  const place: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  for (const manifest of [...installed, place, secret]) await objects.apply(manifest);
  const resources = await readResources(front.url);
  // Each waits until its kind is served.
  for (const resource of resources) await objects.read(resource);
  await store(plane, resources);
  return {
    kubeconfig,
    server,
    objects,
    installed,
    resources,
    front,
    tenant,
    async startOperator() {
      const account = join(folder, 'operator.kubeconfig');
      await writeAccountKubeconfig(server, operatorAccount, account);
      return startOperator(programs, ['--kubeconfig', account, '--installation', 'upgrade-test']);
    },
  };
}

async function openService(programs: Programs, cleanup: Cleanup): Promise<Pick<Scene, 'front' | 'tenant'>> {
  const flags = ['--port', '0', '--token', token, '--stage-ms', '0', '--load', join(fixture, 'service.yaml')];
  const { url } = await startService(programs, flags);
  const front = await openFront(url);
  cleanup.add(async () => front.close());
  return { front, tenant: { url, token, tenant: 'demo' } };
}

/** With the address that the service has today in place of the recorded one. */
async function readResources(url: string): Promise<readonly Found[]> {
  const text = await readFile(join(fixture, 'objects.yaml'), 'utf8');
  const [, then = ''] = /^ +endpoint: (http:\S+)$/m.exec(text) ?? [];
  return parseAllDocuments(text.replaceAll(then, url)).map((document) => document.toJS() as Found);
}

async function readSecret(): Promise<Manifest> {
  const secret = (await readExamples()).find(({ kind }) => kind === 'Secret');
  if (secret === undefined) throw new Error('the examples have no Secret');
  const metadata = { ...secret.metadata, finalizers: ['dataprocessing.dev/external'] };
  return { ...secret, metadata };
}
