// The namespaces of a node: network, mounts and processes of its own, which vanish with their first process.
import { execFile } from 'node:child_process';
import { mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { filesOf } from '../directory.ts';
import type { Supervisor } from '../supervisor.ts';
import { childOf } from './children.ts';
import { nodeFilesOf } from './files.ts';

const run = promisify(execFile);

/** Lets `setpriv` run a program that the kernel kills when its parent ends, however that ends. */
export const WITH_PARENT: readonly string[] = ['--pdeathsig', 'KILL'];

const START_LIMIT_MS = 20_000;
const PAUSE_MS = 10;

/** Where programs of the distribution keep what the computer must not see: the node has empty folders there. */
const PRIVATE_FOLDERS = ['/run', '/var/lib', '/var/log'];

/**
 * What the kubelet demands of the kernel. It would set these for the whole computer, so it sees files in their place.
 *
 * They decide what the kernel does after it crashed or ran out of memory, which is nothing that a test depends on.
 */
const KERNEL_SETTINGS: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** A command line that runs another one in the namespaces of process `init`. It ends with its only child. */
export function enterNamespaces(init: number, line: readonly string[]): readonly string[] {
  return ['nsenter', '--target', String(init), '--net', '--mount', '--pid', '--', ...line];
}

/** Starts the first process of the namespaces and returns its pid. All others end with it, and it ends with the supervisor. */
export async function createNamespaces(directory: string, supervisor: Supervisor, pause: string): Promise<number> {
  refusePrivate(directory);
  const unshare = ['unshare', '--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child'];
  const pid = await supervisor.start({
    name: 'namespaces',
    command: 'setpriv',
    args: [...WITH_PARENT, ...unshare, pause],
    wraps: true,
    log: join(filesOf(directory).logs, 'namespaces.log'),
  });
  const init = await firstProcess(pid, pause, supervisor);
  await writeFile(nodeFilesOf(directory).init, String(init));
  await restrictMounts(directory, init);
  return init;
}

/** The process in which `unshare` runs the program, once all namespaces are complete. */
async function firstProcess(unshare: number, program: string, supervisor: Supervisor): Promise<number> {
  const end = performance.now() + START_LIMIT_MS;
  for (;;) {
    const child = childOf(unshare);
    if (child !== undefined && (await readlink(`/proc/${child}/exe`).catch(() => '')) === program) return child;
    const how = supervisor.ended.get('namespaces');
    if (how !== undefined) throw new Error(`cannot create the namespaces of the node: unshare ended with ${how}`);
    if (performance.now() > end) throw new Error('cannot create the namespaces of the node: unshare takes too long');
    await sleep(PAUSE_MS);
  }
}

function refusePrivate(directory: string): void {
  const folder = PRIVATE_FOLDERS.find((each) => !relative(each, directory).startsWith('..'));
  if (folder === undefined) return;
  throw new Error(`cannot use ${directory} for a node: it is below ${folder}, which the node has one of its own of`);
}

/** Leaves the directory of the plane as the only part of the computer's root that the node can write to. */
async function restrictMounts(directory: string, init: number): Promise<void> {
  const mount = async (...args: readonly string[]): Promise<void> => {
    const [command = '', ...rest] = enterNamespaces(init, ['mount', ...args]);
    await run(command, rest);
  };
  await mount('--bind', directory, directory);
  for (const [index, [setting, value]] of Object.entries(KERNEL_SETTINGS).entries()) {
    const file = join(nodeFilesOf(directory).kernel, String(index));
    await mkdir(nodeFilesOf(directory).kernel, { recursive: true });
    await writeFile(file, `${value}\n`);
    await mount('--bind', file, `/proc/sys/${setting}`);
  }
  await mount('-o', 'remount,bind,ro', '/');
  for (const folder of PRIVATE_FOLDERS) await mount('-t', 'tmpfs', 'tmpfs', folder);
}

/** Runs a command in the namespaces of the node of the plane in `directory`, and returns what it prints. */
export async function runInNode(directory: string, line: readonly string[]): Promise<string> {
  const files = nodeFilesOf(directory);
  const [command = '', ...args] = enterNamespaces(Number(await readFile(files.init, 'utf8')), line);
  const env = { ...process.env, TMPDIR: files.temporary };
  return (await run(command, args, { env, maxBuffer: 16 * 2 ** 20 })).stdout;
}
