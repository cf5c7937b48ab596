// The directory of one plane: keys, data, logs and kubeconfigs.
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hasCode } from '../../src/lib/errors.ts';
import { processExists } from '../../src/lib/fetch/lock.ts';
import { cgroupOf, removeCgroups } from './node/cgroups.ts';

export interface Files {
  readonly authority: string;
  readonly authorityKey: string;
  readonly server: string;
  readonly serverKey: string;
  readonly accountKey: string;
  readonly accountPublicKey: string;
  /** The address of the API server. */
  readonly url: string;
  /** The pid of the process that removes the directory in the end. */
  readonly supervisor: string;
  readonly data: string;
  readonly logs: string;
  readonly auditPolicy: string;
  /** What ServiceAccounts asked of the API server and what came of it, one JSON object a line. */
  readonly audit: string;
  readonly administrator: string;
  readonly controllerManager: string;
}

export function filesOf(directory: string): Files {
  const key = (name: string): string => join(directory, 'keys', name);
  return {
    authority: key('authority.crt'),
    authorityKey: key('authority.key'),
    server: key('server.crt'),
    serverKey: key('server.key'),
    accountKey: key('service-accounts.key'),
    accountPublicKey: key('service-accounts.pub'),
    url: join(directory, 'url'),
    supervisor: join(directory, 'supervisor.pid'),
    data: join(directory, 'etcd'),
    logs: join(directory, 'logs'),
    auditPolicy: join(directory, 'audit-policy.yaml'),
    audit: join(directory, 'logs', 'audit.log'),
    administrator: join(directory, 'admin.kubeconfig'),
    controllerManager: join(directory, 'controller-manager.kubeconfig'),
  };
}

/** Makes the directory, which must be new, empty or left over from a plane whose machine went down. */
export async function prepareDirectory(given?: string): Promise<string> {
  const directory = given === undefined ? await mkdtemp(join(tmpdir(), 'dataprocessing-plane-')) : resolve(given);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0) await removeLeftover(directory);
  await mkdir(join(directory, 'keys'), { recursive: true, mode: 0o700 });
  await mkdir(join(directory, 'logs'));
  return directory;
}

/** The directory is removed when the plane stops, so files of anybody else must not be in it. */
async function removeLeftover(directory: string): Promise<void> {
  const pid = await readPid(filesOf(directory).supervisor);
  if (pid === undefined) throw new Error(`cannot use ${directory} for a plane: it is not empty`);
  if (processExists(pid))
    throw new Error(`cannot use ${directory} for a plane: another one runs in it (process ${pid})`);
  await removeCgroups(cgroupOf(directory));
  await rm(directory, { recursive: true });
}

async function readPid(path: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(path, 'utf8'), 10);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
