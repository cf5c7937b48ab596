// Starts a node: its namespaces before the API server, which runs in them, and all else after it.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeBinaries } from '../binaries/binaries.ts';
import { filesOf } from '../directory.ts';
import { createCredentials, createServerKeys } from '../keys/kubeconfig.ts';
import type { PortName, Program, Site, Stage } from '../servers.ts';
import type { Supervisor } from '../supervisor.ts';
import { dnsDeployment, dnsObjects } from './addons/dns.ts';
import { connect, createObjects, waitForObject } from './addons/objects.ts';
import { storageClass } from './addons/storage.ts';
import { cgroupOf, createCgroups } from './cgroups.ts';
import { nodeFilesOf } from './files.ts';
import { createNamespaces, enterNamespaces } from './namespaces.ts';
import { chooseLink, connectNetworks } from './network.ts';
import { startKubelet, startProvisioner, startProxy, startScheduler } from './programs.ts';
import { startRuntime } from './runtime.ts';
import { NODE_NAME } from './settings.ts';

/** Nobody else is in the network of the node, so each server has its usual port. */
const PORTS: Readonly<Record<PortName, number>> = {
  apiServer: 6443,
  etcd: 2379,
  etcdPeer: 2380,
  controllerManager: 10257,
};

/** Seconds on a free machine. */
const READY_LIMIT_MS = 120_000;
const KEPT_CHARACTERS = 2_000;

export interface Node {
  readonly name: string;
  /** The address of this computer, as pods reach it. */
  readonly host: string;
  readonly site: Site;
}

/** Creates the namespaces, connects them with this computer, and starts containerd in them. */
export async function openNode(directory: string, supervisor: Supervisor, binaries: NodeBinaries): Promise<Node> {
  const files = nodeFilesOf(directory);
  for (const folder of [files.temporary, files.networkSettings, files.volumes, files.podLogs])
    await mkdir(folder, { recursive: true });
  await createCgroups(cgroupOf(directory));
  const init = await createNamespaces(directory, supervisor, binaries.pause);
  const link = chooseLink();
  await connectNetworks(link, init);
  const site: Site = {
    address: link.node,
    ports: async (names) => Promise.resolve(names.map((name) => PORTS[name])),
    flags: apiServerFlags(directory),
    place: (one) => inNamespaces(directory, init, one),
  };
  await startRuntime({ directory, supervisor, site });
  return { name: NODE_NAME, host: link.host, site };
}

function apiServerFlags(directory: string): readonly string[] {
  const files = nodeFilesOf(directory);
  return [
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    `--kubelet-client-certificate=${files.clientCertificate}`,
    `--kubelet-client-key=${files.clientKey}`,
    `--kubelet-certificate-authority=${filesOf(directory).authority}`,
    '--kubelet-preferred-address-types=InternalIP',
  ];
}

function inNamespaces(directory: string, init: number, one: Program): Program {
  const [command = '', ...args] = enterNamespaces(init, [one.command, ...one.args]);
  const environment = { ...one.environment, TMPDIR: nodeFilesOf(directory).temporary };
  return { ...one, command, args, environment, wraps: true };
}

/** The keys with which the API server and the kubelet trust each other. The API server reads its own when it starts. */
export async function createNodeKeys(directory: string, { address }: Site): Promise<void> {
  const files = nodeFilesOf(directory);
  const paths = { certificate: files.kubeletCertificate, key: files.kubeletKey };
  await createServerKeys(directory, { name: NODE_NAME, address }, paths);
  const client = await createCredentials(directory, { name: 'kube-apiserver', groups: ['system:masters'] });
  await writeFile(files.clientCertificate, client.certificate, { mode: 0o600 });
  await writeFile(files.clientKey, client.key, { mode: 0o600 });
}

export function allControllers(directory: string): readonly string[] {
  const { accountKey, authority } = filesOf(directory);
  return ['--controllers=*', `--service-account-private-key-file=${accountKey}`, `--root-ca-file=${authority}`];
}

/** Starts everything that needs the API server, and waits until pods with names can run. */
export async function startNode(stage: Stage, binaries: NodeBinaries, administrator: string): Promise<void> {
  const [api] = await Promise.all([
    connect(administrator),
    startScheduler(stage, binaries),
    startKubelet(stage, binaries),
    startProxy(stage, binaries),
    startProvisioner(stage),
  ]);
  await createObjects(api, [storageClass, ...dnsObjects]);
  const waiting = { limitMs: READY_LIMIT_MS, check: async () => checkPrograms(stage) };
  await waitForObject(api, { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE_NAME } }, waiting);
  await waitForObject(api, dnsDeployment, waiting);
}

/** Throws, with the end of its log, if a program of the plane has ended. */
async function checkPrograms({ directory, supervisor }: Stage): Promise<void> {
  for (const [name, how] of supervisor.ended) {
    const log = await readFile(join(filesOf(directory).logs, `${name}.log`), 'utf8').catch(() => '');
    throw new Error(`cannot start the node: ${name} ended with ${how}: ${log.slice(-KEPT_CHARACTERS)}`);
  }
}
