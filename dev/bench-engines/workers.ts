// Eight workers more, beside eight processes that are started by hand with the same command on the same cluster.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { javaProcesses } from './java-processes.ts';
import { type Setting, secondsOf } from './setting.ts';

const more = 8;
const patienceMs = 300_000;

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The command of a worker of the cluster that runs. */
function commandOf(folder: string): Command {
  const worker = javaProcesses(folder).find(({ name }) => name === 'Worker');
  if (worker === undefined) throw new Error('the cluster has no worker');
  const [file = '', ...args] = wordsOf(`/proc/${worker.pid}/cmdline`);
  const lines = wordsOf(`/proc/${worker.pid}/environ`);
  return { file, args, env: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) };
}

const wordsOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\0').slice(0, -1);

/** The same at another address, with a folder of its own. */
function another({ file, args, env }: Command, index: number, folder: string): ChildProcess {
  const address = `127.250.0.${index + 1}`;
  const own = args[args.indexOf('--host') + 1] ?? '';
  const work = join(folder, `by-hand-${index}`);
  mkdirSync(work);
  const changed = args.map((word, at) => (args[at - 1] === '--work-dir' ? work : word === own ? address : word));
  return spawn(file, changed, { env: { ...env, SPARK_LOCAL_IP: address, SPARK_LOG_DIR: work }, stdio: 'ignore' });
}

/** Resolves when the master has so many workers. */
async function untilAlive(page: string, count: number): Promise<void> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const { aliveworkers } = (await (await fetch(new URL('/json/', page))).json()) as { readonly aliveworkers: number };
    if (aliveworkers === count) return;
    if (performance.now() > end) throw new Error(`the master has ${aliveworkers} workers instead of ${count}`);
    await pause(50);
  }
}

/** In seconds, from the request, or the start of the processes, until the master has all of them. */
export async function compareWorkers({ subject, spark, machines, print }: Setting) {
  print(`${more} more workers, and as many by hand.`);
  const id = await subject.createCluster('bench-workers', spark.version, 1);
  const { info } = await subject.untilActive(id);
  const page = info.Spark['Web UI'] as string;
  await untilAlive(page, 1);
  const alive = await secondsOf(async () => {
    await subject.scale(id, 1 + more);
    await untilAlive(page, 1 + more);
  });
  await subject.untilActive(id);
  await subject.scale(id, 1);
  await subject.until(`/clusters/${id}`, ({ cluster }) => cluster.status !== 'Active');
  await subject.untilActive(id);
  await untilAlive(page, 1);
  const command = commandOf(join(machines, id));
  const processes: ChildProcess[] = [];
  try {
    const byHand = await secondsOf(async () => {
      for (let index = 0; index < more; index += 1) processes.push(another(command, index, dirname(machines)));
      await untilAlive(page, 1 + more);
    });
    return { more, alive, byHand };
  } finally {
    for (const process of processes) process.kill('SIGKILL');
    await subject.removeCluster(id);
  }
}
