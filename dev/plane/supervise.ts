// The program that owns the processes of one plane, and ends them when its parent ends.
//
// It is started with the directory of the plane as its only argument, in a process group of its own, and takes orders
// through its channel. The channel closes however its parent ends, SIGKILL included; then it kills what it started,
// removes the directory and ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import process, { argv, exit } from 'node:process';
import { hasCode } from '../../src/lib/errors.ts';
import { awakeClock } from '../../src/lib/system.ts';
import { stopMachines } from '../../src/service/backends/processes/stop-and-clean.ts';
import { cgroupOf, removeCgroups } from './node/cgroups.ts';
import { childOf } from './node/children.ts';

export interface Start {
  readonly order: 'start';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The command ends with its only child, and only the child is told to end: `unshare` and `nsenter` are like this. */
  readonly wraps?: boolean;
  /** In addition to ours. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Path of the file that both outputs are appended to. */
  readonly log: string;
}

export type Order = Start | { readonly order: 'kill'; readonly name: string };

export type Report =
  | { readonly report: 'started'; readonly name: string; readonly pid: number }
  | { readonly report: 'failed'; readonly name: string; readonly why: string }
  | { readonly report: 'ended'; readonly name: string; readonly pid: number; readonly how: string };

const [, , directory = ''] = argv;
if (directory === '') throw new Error('cannot supervise: the directory of the plane is missing');

interface Running {
  readonly child: ChildProcess;
  readonly wraps: boolean;
}

const children = new Map<string, Running>();

function start(order: Start): void {
  const log = openSync(order.log, 'a');
  const env = { ...process.env, ...order.environment };
  const child = spawn(order.command, order.args, { stdio: ['ignore', log, log], cwd: directory, env });
  closeSync(log);
  const { pid } = child;
  child.once('error', (error) => report({ report: 'failed', name: order.name, why: error.message }));
  if (pid === undefined) return;
  children.set(order.name, { child, wraps: order.wraps ?? false });
  child.once('exit', (code, signal) => {
    children.delete(order.name);
    report({ report: 'ended', name: order.name, pid, how: signal ?? `code ${code}` });
  });
  report({ report: 'started', name: order.name, pid });
}

/** Nothing of a plane outlives it, so there is nothing to close in good order. */
function kill({ child, wraps }: Running): void {
  const inner = wraps && child.pid !== undefined ? childOf(child.pid) : undefined;
  if (inner === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(inner, 'SIGKILL');
    // A wrapper stops with its child, as when somebody stops a kubelet, and would not notice the end of it.
    child.kill('SIGCONT');
  } catch (error) {
    // It ended meanwhile, and so does its wrapper.
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function killAndWait(running: Running): Promise<void> {
  const ended = once(running.child, 'exit');
  kill(running);
  await ended;
}

function report(message: Report): void {
  if (process.connected) process.send?.(message);
}

async function end(): Promise<void> {
  // Stopped in reverse order, because each needs the ones before it.
  for (const running of [...children.values()].reverse()) await killAndWait(running);
  // The machines of real clusters outlive a service that is killed.
  await stopMachines(join(directory, 'machines'), { clock: awakeClock, signal: new AbortController().signal });
  // If this fails, the parent tries again and reports why.
  await removeCgroups(cgroupOf(directory)).catch(() => undefined);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  exit(0);
}

function obey(order: Order): void {
  if (order.order === 'start') start(order);
  else {
    const running = children.get(order.name);
    if (running !== undefined) kill(running);
  }
}

process.on('message', obey);
process.once('disconnect', () => void end());
process.once('SIGTERM', () => void end());
