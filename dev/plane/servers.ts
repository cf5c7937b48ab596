// Starts the processes of a plane one after the other, and waits until they are ready.
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

type Program = Omit<Start, 'order'>;

export interface Servers {
  readonly url: string;
  readonly apiServer: Program;
  /** What answers when the API server is ready to be used. */
  readonly targets: readonly Target[];
}

/** Starts etcd and the API server; throws with the last lines of the log of the one that fails. */
export async function startServers(directory: string, supervisor: Supervisor, binaries: Binaries): Promise<Servers> {
  const user = { name: 'readiness', groups: ['system:masters'] };
  const identity = await createCredentials(directory, user);
  const authority = await readFile(filesOf(directory).authority, 'utf8');
  // JSON is YAML.
  await writeFile(filesOf(directory).auditPolicy, JSON.stringify(auditPolicy));
  return withFreePorts(3, async ([port = 0, etcdPort = 0, peerPort = 0]) => {
    const url = `https://127.0.0.1:${port}`;
    await writeFile(filesOf(directory).url, url);
    const etcd = program(directory, 'etcd', binaries.etcd, etcdFlags(directory, etcdPort, peerPort));
    const flags = apiServerFlags(directory, port, etcdPort, randomUUID());
    const apiServer = program(directory, 'kube-apiserver', binaries['kube-apiserver'], flags);
    // /readyz is a little early for a test that writes at once: the first namespaces come after it.
    const paths = ['/readyz', '/api/v1/namespaces/default', '/api/v1/namespaces/kube-system'];
    const targets = paths.map((path) => ({ url: `${url}${path}`, authority, ...identity }));
    // A first attempt on other ports leaves data that names them.
    await rm(filesOf(directory).data, { recursive: true, force: true });
    await startReady(supervisor, [etcd, apiServer], targets);
    return { url, apiServer, targets };
  });
}

export async function startControllerManager(directory: string, supervisor: Supervisor, path: string): Promise<void> {
  const user = { name: 'system:kube-controller-manager' };
  await writeKubeconfig(directory, user, filesOf(directory).controllerManager);
  await withFreePorts(1, async ([port = 0]) => {
    const flags = controllerManagerFlags(directory, port);
    const manager = program(directory, 'kube-controller-manager', path, flags);
    await startReady(supervisor, [manager], [{ url: `https://127.0.0.1:${port}/healthz` }]);
  });
}

/** Kills the API server and starts it again as it was. */
export async function restartApiServer(servers: Servers, supervisor: Supervisor): Promise<void> {
  await supervisor.kill(servers.apiServer.name);
  await startReady(supervisor, [servers.apiServer], servers.targets);
}

function program(directory: string, name: string, command: string, args: readonly string[]): Program {
  return { name, command, args, log: join(filesOf(directory).logs, `${name}.log`) };
}

/** Tries again on other ports when another process was faster to take one. */
async function withFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await pickPorts(count));
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes('address already in use')) throw error;
    }
  }
}

async function startReady(
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
