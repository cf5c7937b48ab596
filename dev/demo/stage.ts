// Starts everything that the demo needs: API server, service, CRDs, RBAC and operator. Cleans up afterwards.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awakeClock } from '../../src/lib/system.ts';
import { stopMachines } from '../../src/service/backends/processes/stop-and-clean.ts';
import { type Plane, startPlane } from '../plane/plane.ts';
import { operatorAccount, writeAccountKubeconfig } from './account.ts';
import { type ApiServer, openApiServer } from './api-server.ts';
import type { RealEngine } from './engine.ts';
import { renderKustomization } from './kustomization.ts';
import { type Operator, type Service, startOperator, startService } from './launch.ts';
import { type Manifest, type Objects, openObjects, readManifests } from './manifests.ts';
import { openPrograms, type Programs } from './programs.ts';
import type { Tenant } from './remote.ts';

export interface Stage {
  readonly kubeconfig: string;
  readonly server: ApiServer;
  readonly objects: Objects;
  /** What `examples/` holds, with the endpoint of the Connection as it is here, and the Secret with the token. */
  readonly examples: readonly Manifest[];
  readonly remote: Tenant;
  readonly operator: Operator;
  readonly service: Service;
  /** The folder of the machines of real clusters. */
  readonly machines: string;
  /** The folder whose files jobs on real clusters may read. */
  readonly files: string;
}

export interface Setting {
  readonly namespace: string;
  /** ms that a cluster of the service stays in each status. Only simulated ones do. */
  readonly stageMs: number;
  /** What real clusters run. Undefined if they are simulated. */
  readonly engine: RealEngine | undefined;
  readonly print: (line: string) => void;
  /** Called when a process ends unexpectedly. */
  readonly onEnd: (what: string) => void;
}

/** What to undo, last thing first. */
export class Cleanup {
  readonly #tasks: (() => Promise<unknown>)[] = [];
  #running: Promise<void> | undefined;

  add(task: () => Promise<unknown>): void {
    this.#tasks.push(task);
  }

  /** Runs all tasks once, even if one fails. Throws the first failure at the end. */
  async run(): Promise<void> {
    this.#running ??= this.#undo();
    return this.#running;
  }

  async #undo(): Promise<void> {
    const failures: unknown[] = [];
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      await task().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

const repository = join(import.meta.dirname, '..', '..');
const STOP_MS = 30_000;
/** There is no kubelet, so a Deployment would never become ready. */
const needsNodes = /^(Deployment|Service|NetworkPolicy)$/;

/** What was started is in `cleanup` at once, also when a later step throws. */
export async function setStage(setting: Setting, cleanup: Cleanup): Promise<Stage> {
  const { print, namespace } = setting;
  print('Starting etcd and kube-apiserver.');
  const plane = await openPlane(print, cleanup);
  const folder = await mkdtemp(join(tmpdir(), 'dataprocessing-demo-'));
  // Until then, the caller of start handles its end and may retry.
  let standing = false;
  const tellEnd = (name: string, how: string, log: string): void =>
    setting.onEnd(`${name} ended by itself: ${how}. Its log: ${log}`);
  const programs = await openPrograms(folder, (...end) => {
    if (standing) tellEnd(...end);
  });
  cleanup.add(async () => programs.close());
  const examples = await readExamples();
  const { tenant, token } = accessOf(examples);
  const folders = await makeFolders(folder);
  const service = await openService(programs, { ...setting, token, folder, ...folders }, cleanup);
  const server = await openApiServer(plane.kubeconfig);
  cleanup.add(async () => server.close());
  const objects = openObjects(server, namespace);
  print('Applying deploy/, without the Deployment and its surroundings: the operator runs as a process here.');
  await install(objects);
  const operator = await openOperator(programs, { server, folder, print });
  cleanup.add(async () => operator.program.end('SIGTERM', STOP_MS));
  standing = true;
  for (const { program } of [service, operator]) {
    const how = program.ended();
    if (how !== undefined) tellEnd(program.name, how, program.logFile);
  }
  return {
    kubeconfig: plane.kubeconfig,
    server,
    objects,
    examples: examples.map((manifest) => withEndpoint(manifest, { url: service.url, print })),
    remote: { url: service.url, tenant, token },
    operator,
    service,
    ...folders,
  };
}

/** For the machines of clusters, and for files that jobs can use. */
async function makeFolders(folder: string): Promise<Pick<Stage, 'machines' | 'files'>> {
  const files = join(folder, 'files');
  await mkdir(files);
  return { machines: join(folder, 'machines'), files };
}

/** All of deploy/ that means something where no pod runs. */
export async function install(objects: Objects): Promise<void> {
  const manifests = await renderKustomization(join(repository, 'deploy'));
  for (const manifest of manifests.filter(({ kind }) => !needsNodes.test(kind))) await objects.apply(manifest);
}

async function openPlane(print: Setting['print'], cleanup: Cleanup): Promise<Plane> {
  const plane = await startPlane({ controllerManager: true, onProgress: (line) => print(`  ${line}`) });
  cleanup.add(async () => plane.stop());
  const parts =
    plane.pids.controllerManager === undefined ? 'without a controller manager' : 'with a controller manager';
  print(`  The API server answers at ${plane.url}, ${parts}.`);
  return plane;
}

interface ServiceSetting extends Pick<Setting, 'print' | 'stageMs' | 'engine'> {
  readonly folder: string;
  readonly token: string;
  readonly machines: string;
  readonly files: string;
}

/** On the port of the examples, or on a free one if that port is in use. */
async function openService(programs: Programs, setting: ServiceSetting, cleanup: Cleanup): Promise<Service> {
  const { print, folder, token, stageMs, engine, machines, files } = setting;
  print('Starting the bundled service.');
  const real = engine && ['--provisioner', 'processes', '--spark', engine.spark, '--java', engine.java];
  const kind = real
    ? [...real, '--machines', machines, '--job-files', files, '--stop-clusters']
    : ['--stage-ms', String(stageMs)];
  // They outlive a service that is killed.
  cleanup.add(async () => stopMachines(machines, { clock: awakeClock, signal: new AbortController().signal }));
  const flags = ['--token', token, '--data', join(folder, 'service.db'), ...kind];
  const service = await startService(programs, flags).catch(async (error: unknown) => {
    if (!String(error).includes('EADDRINUSE')) throw error;
    print('  Its usual port 8386 is taken by another process: taking a free one.');
    return startService(programs, [...flags, '--port', '0']);
  });
  cleanup.add(async () => service.program.end('SIGTERM', STOP_MS));
  print(`  It listens on ${service.url} and keeps its data in ${join(folder, 'service.db')}.`);
  return service;
}

interface OperatorSetting {
  readonly print: Setting['print'];
  readonly server: ApiServer;
  readonly folder: string;
}

async function openOperator(programs: Programs, { print, server, folder }: OperatorSetting): Promise<Operator> {
  const { namespace, name } = operatorAccount;
  print(`Starting the operator as ServiceAccount ${namespace}/${name}.`);
  const kubeconfig = join(folder, 'operator.kubeconfig');
  await writeAccountKubeconfig(server, operatorAccount, kubeconfig);
  const operator = await startOperator(programs, ['--kubeconfig', kubeconfig]);
  print(`  It is ready: ${operator.healthUrl}/readyz. Its metrics: ${operator.healthUrl}/metrics.`);
  print(`  Its log: ${operator.program.logFile}`);
  return operator;
}

interface ConnectionSpec {
  readonly endpoint: string;
  readonly tenantID: string;
}

const connectionOf = (manifest: Manifest) =>
  manifest.kind === 'Connection' ? (manifest['spec'] as ConnectionSpec) : undefined;

/** With the Secret that deploy/quickstart brings along in a cluster. */
export async function readExamples(): Promise<readonly Manifest[]> {
  const [secret] = await readManifests(join(repository, 'deploy', 'bundled-service', 'secret.yaml'));
  if (secret === undefined) throw new Error('cannot read the examples: deploy/bundled-service/secret.yaml is empty');
  const { namespace: _other, ...metadata } = secret.metadata;
  return [...(await readManifests(join(repository, 'examples'))), { ...secret, metadata }];
}

/** The tenant and the token that the examples use. */
function accessOf(examples: readonly Manifest[]): { readonly tenant: string; readonly token: string } {
  const tenant = examples.map(connectionOf).find((spec) => spec !== undefined)?.tenantID;
  const secrets = examples.map(({ stringData }) => stringData as { readonly token?: string } | undefined);
  const token = secrets.find((data) => data?.token !== undefined)?.token;
  if (tenant !== undefined && token !== undefined) return { tenant, token };
  throw new Error('cannot read the examples: there is no Connection with a tenantID, or no Secret with a token');
}

function withEndpoint(
  manifest: Manifest,
  { url, print }: { readonly url: string; readonly print: Setting['print'] },
): Manifest {
  const spec = connectionOf(manifest);
  if (spec === undefined || spec.endpoint === url) return manifest;
  print(
    `  examples/connection.yaml is for a cluster. Here, Connection ${manifest.metadata.name} has the endpoint ${url}.`,
  );
  return { ...manifest, spec: { ...spec, endpoint: url } };
}
