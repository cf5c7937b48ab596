// Starts the supervisor of a plane, and communicates with it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../src/lib/errors.ts';
import { filesOf } from './directory.ts';
import { cgroupOf, removeCgroups } from './node/cgroups.ts';
import type { Order, Report, Start } from './supervise.ts';

/** Killing three processes and removing some 100 MB takes a fraction of a second, unless the disk is busy. */
const CLOSE_LIMIT_MS = 20_000;

export interface Supervisor {
  /** Pids of the processes that run, by name. */
  readonly running: ReadonlyMap<string, number>;
  /** How processes ended, by name, as in `code 1` or `SIGKILL`; starting one of that name again forgets it. */
  readonly ended: ReadonlyMap<string, string>;
  start(process: Omit<Start, 'order'>): Promise<number>;
  /** Kills the process and waits for its end; nothing happens when it does not run. */
  kill(name: string): Promise<void>;
  /** Kills everything and removes the directory of the plane. */
  close(): Promise<void>;
}

/** `onEnd` is called for each process that ends unexpectedly. */
export async function startSupervisor(
  directory: string,
  onEnd: (name: string, how: string) => void,
): Promise<Supervisor> {
  const child = fork(join(import.meta.dirname, 'supervise.ts'), [directory], {
    // A process group of its own: Ctrl-C in a terminal reaches us alone, and we decide what ends when.
    detached: true,
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  await writeFile(filesOf(directory).supervisor, String(child.pid));
  // A script that does not stop its plane ends nevertheless, and its plane with it.
  child.unref();
  child.channel?.unref();

  return supervising(child, directory, onEnd);
}

/** Keeps account of what the child reports, and gives it orders. */
function supervising(child: ChildProcess, directory: string, onEnd: (name: string, how: string) => void): Supervisor {
  const running = new Map<string, number>();
  const ended = new Map<string, string>();
  const killed = new Set<string>();
  child.on('message', (report: Report) => {
    if (report.report === 'started') running.set(report.name, report.pid);
    if (report.report !== 'ended') return;
    running.delete(report.name);
    ended.set(report.name, report.how);
    if (!killed.delete(report.name)) onEnd(report.name, report.how);
  });
  child.once('exit', () => {
    killGroup(child);
    endAll(running, ended);
  });

  return {
    running,
    ended,
    async start(order) {
      ended.delete(order.name);
      const report = await ask(child, { order: 'start', ...order }, ['started', 'failed']);
      if (report.report === 'started') return report.pid;
      throw new Error(`cannot start ${order.name}: ${report.report === 'failed' ? report.why : report.how}`);
    },
    async kill(name) {
      if (!running.has(name)) return;
      killed.add(name);
      await ask(child, { order: 'kill', name }, ['ended']);
    },
    async close() {
      for (const name of running.keys()) killed.add(name);
      await close(child);
      // Both are done already, unless the supervisor was killed.
      await removeCgroups(cgroupOf(directory));
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Nobody is left to report it. Whoever waits for one of them must not wait in vain. */
function endAll(running: Map<string, number>, ended: Map<string, string>): void {
  for (const name of running.keys()) ended.set(name, 'the supervisor');
  running.clear();
}

/** Sends an order and waits for one of the reports that answer it. */
async function ask(child: ChildProcess, order: Order, answers: readonly Report['report'][]): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const hear = (report: Report): void => {
    if (report.name === order.name && answers.includes(report.report)) resolve(report);
  };
  const lost = (): void => reject(new Error(`cannot ${order.order} ${order.name}: the supervisor has ended`));
  if (!child.connected) lost();
  child.on('message', hear).once('disconnect', lost);
  keepAlive(child, 1);
  try {
    if (child.connected) child.send(order);
    return await promise;
  } finally {
    keepAlive(child, -1);
    child.off('message', hear).off('disconnect', lost);
  }
}

/** How many orders to a supervisor have no answer yet. */
const unanswered = new WeakMap<ChildProcess, number>();

/** The channel keeps this process alive until every order has its answer. */
function keepAlive(child: ChildProcess, change: 1 | -1): void {
  const count = (unanswered.get(child) ?? 0) + change;
  unanswered.set(child, count);
  if (count > 0) child.channel?.ref();
  else child.channel?.unref();
}

async function close(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.ref();
  // The supervisor treats this like our death, so there is one way to end and each use tries it.
  if (child.connected) child.disconnect();
  const limit = new AbortController();
  const late = sleep(CLOSE_LIMIT_MS, 'late' as const, { signal: limit.signal }).catch(() => 'in time' as const);
  if ((await Promise.race([exit, late])) === 'late') {
    killGroup(child);
    await exit;
  }
  limit.abort();
}

/** Kills the rest of the process group, in case only the supervisor was killed. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
