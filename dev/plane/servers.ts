// Starts the processes of a plane one after the other, and waits until they are ready.
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Binaries } from './binaries/binaries.ts';
import { apiServerFlags, auditPolicy, controllerManagerFlags, etcdFlags } from './commands.ts';
import { filesOf } from './directory.ts';
import { createCredentials, writeKubeconfig } from './keys/kubeconfig.ts';
import { pickPorts } from './ports.ts';
import { type Target, waitUntilReady } from './probe.ts';
import type { Start } from './supervise.ts';
import type { Supervisor } from './supervisor.ts';

/** Ready within seconds on a free machine; a busy one gets its time. */
const READY_LIMIT_MS = 120_000;
const ATTEMPTS = 5;
const KEPT_LINES = 15;

export type Program = Omit<Start, 'order'>;

export type PortName = 'apiServer' | 'etcd' | 'etcdPeer' | 'controllerManager';

/** Where the programs of a plane run, and what that asks of them. */
export interface Site {
  /** The address at which the API server listens. */
  readonly address: string;
  /** Another process may take one before it is used, so a start asks again. */
  readonly ports: (names: readonly PortName[]) => Promise<readonly number[]>;
  /** Flags of the API server. */
  readonly flags: readonly string[];
  /** Makes a program run at the site. */
  readonly place: (program: Program) => Program;
}

/** This computer, without nodes. */
export const loopback: Site = {
  address: '127.0.0.1',
  ports: async (names) => pickPorts(names.length),
  flags: ['--authorization-mode=RBAC'],
  place: (program) => program,
};

export interface Stage {
  readonly directory: string;
  readonly supervisor: Supervisor;
  readonly site: Site;
}

export interface Servers {
  readonly url: string;
  readonly apiServer: Program;
  /** What answers when the API server is ready to be used. */
  readonly targets: readonly Target[];
}

/** Starts etcd and the API server; throws with the last lines of the log of the one that fails. */
export async function startServers(stage: Stage, binaries: Binaries): Promise<Servers> {
  const { directory, supervisor, site } = stage;
  const user = { name: 'readiness', groups: ['system:masters'] };
  const identity = await createCredentials(directory, user);
  const authority = await readFile(filesOf(directory).authority, 'utf8');
  // JSON is YAML.
  await writeFile(filesOf(directory).auditPolicy, JSON.stringify(auditPolicy));
  return withFreePorts(site, ['apiServer', 'etcd', 'etcdPeer'], async ([port = 0, etcdPort = 0, peerPort = 0]) => {
    const url = `https://${site.address}:${port}`;
    await writeFile(filesOf(directory).url, url);
    const etcd = program(stage, binaries.etcd, etcdFlags(directory, etcdPort, peerPort));
    const flags = [...apiServerFlags(directory, port, etcdPort, randomUUID()), ...site.flags];
    const apiServer = program(stage, binaries['kube-apiserver'], [`--bind-address=${site.address}`, ...flags]);
    // /readyz is a little early for a test that writes at once: the first namespaces come after it.
    const paths = ['/readyz', '/api/v1/namespaces/default', '/api/v1/namespaces/kube-system'];
    const targets = paths.map((path) => ({ url: `${url}${path}`, authority, ...identity }));
    // A first attempt on other ports leaves data that names them.
    await rm(filesOf(directory).data, { recursive: true, force: true });
    await startReady(supervisor, [etcd, apiServer], targets);
    return { url, apiServer, targets };
  });
}

export async function startControllerManager(
  stage: Stage,
  path: string,
  controllers: readonly string[],
): Promise<void> {
  const { directory, supervisor, site } = stage;
  const user = { name: 'system:kube-controller-manager' };
  await writeKubeconfig(directory, user, filesOf(directory).controllerManager);
  await withFreePorts(site, ['controllerManager'], async ([port = 0]) => {
    const flags = [...controllerManagerFlags(directory, port), `--bind-address=${site.address}`, ...controllers];
    const manager = program(stage, path, flags);
    await startReady(supervisor, [manager], [{ url: `https://${site.address}:${port}/healthz` }]);
  });
}

/** Kills the API server and starts it again as it was. */
export async function restartApiServer(servers: Servers, supervisor: Supervisor): Promise<void> {
  await supervisor.kill(servers.apiServer.name);
  await startReady(supervisor, [servers.apiServer], servers.targets);
}

/** The name of a program is that of its file. */
export function program({ directory, site }: Stage, command: string, args: readonly string[]): Program {
  const name = basename(command);
  return site.place({ name, command, args, log: join(filesOf(directory).logs, `${name}.log`) });
}

/** Tries again on other ports when another process was faster to take one. */
async function withFreePorts<T>(
  { ports }: Site,
  names: readonly PortName[],
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await ports(names));
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes('address already in use')) throw error;
    }
  }
}

/** Starts programs in their order and waits until all targets answer. If that fails, none of the programs is left. */
export async function startReady(
  supervisor: Supervisor,
  programs: readonly Program[],
  targets: readonly Target[],
): Promise<void> {
  const check = (): void => {
    for (const { name } of programs) {
      const how = supervisor.ended.get(name);
      if (how !== undefined) throw new Error(`${name} ended with ${how}`);
    }
  };
  try {
    for (const one of programs) await supervisor.start(one);
    await waitUntilReady(targets, check, READY_LIMIT_MS);
  } catch (error) {
    for (const { name } of programs.toReversed()) await supervisor.kill(name);
    const names = programs.map(({ name }) => name).join(' and ');
    const logs = await Promise.all(programs.map(async (one) => takeLog(one)));
    throw new Error(`cannot start ${names}: ${String(error)}\n${logs.join('\n')}`, { cause: error });
  }
}

/** The end of the log, which is removed so that a next attempt is judged by its own. */
async function takeLog({ name, log }: Program): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '');
  await rm(log, { force: true });
  return `the end of the log of ${name}:\n${text.trimEnd().split('\n').slice(-KEPT_LINES).join('\n')}`;
}
