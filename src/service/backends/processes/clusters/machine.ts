// The processes of one machine.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../lib/ports.ts';
import { until } from '../../../../lib/timing/wait.ts';
import { type Command, type EngineNode, type EngineProcess, volumesOf } from '../../../engines/engine.ts';
import { type ProbeInput, waitFor } from '../../../engines/probes.ts';
import { writeSafely } from '../../../model/disk/atomic-files.ts';
import { machineGraceMs } from '../grace-periods.ts';
import { causeIn, causeOf, endOf } from './cause-of-end.ts';
import { endProcessesOf } from './leftovers.ts';
import { isAlive, type ProcessRecord, readRecord, signalProcess, startProcess, stopProcess } from './process-record.ts';
import { look, machineMark } from './sight.ts';

const toolMs = 100;

interface At {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
type ProbeInputAt = At & ProbeInput;

const recordOf = (node: EngineNode, { name }: EngineProcess): string => join(node.folder, `${name}.process`);
const logOf = (node: EngineNode, { name }: EngineProcess): string => join(node.folder, `${name}.log`);

function isRecorded(file: string): boolean {
  const record = readRecord(file);
  return record !== undefined && isAlive(record);
}

export const isRunning = (node: EngineNode, process: EngineProcess): boolean => isRecorded(recordOf(node, process));

/** A copy of the record of the process that was told to hand over its work. */
const drainedOf = (node: EngineNode, { name }: EngineProcess): string => join(node.folder, `${name}.drained`);

/** Tells the process with a signal to hand over its work, if it runs. It takes no more until it is started again. */
export function beginDrain(node: EngineNode, process: EngineProcess, signal: NodeJS.Signals): void {
  const file = recordOf(node, process);
  const record = readRecord(file);
  if (record === undefined) return;
  copyFileSync(file, drainedOf(node, process));
  signalProcess(record, signal);
}

/** The process that runs, if it was told to hand over its work. */
export function findDrained(node: EngineNode, process: EngineProcess): ProcessRecord | undefined {
  const [told, now] = [readRecord(drainedOf(node, process)), readRecord(recordOf(node, process))];
  return told !== undefined && told.pid === now?.pid && told.startedAt === now.startedAt ? now : undefined;
}

/** Sends a signal to what the process has started itself. */
export async function signalChildren(node: EngineNode, process: EngineProcess, signal: NodeJS.Signals): Promise<void> {
  const record = readRecord(recordOf(node, process));
  if (record === undefined) return;
  for (const child of (await look()).childrenOf(record)) signalProcess(child, signal);
}

/** Why the process has ended, or undefined if it runs. */
export const findEnd = (node: EngineNode, process: EngineProcess): string | undefined =>
  isRunning(node, process)
    ? undefined
    : `${process.name} on ${node.machine.instance_name} has ended: ${causeIn(logOf(node, process))}`;

/** The machines of a cluster, and those of them that are being drained. */
export interface Surroundings {
  readonly nodes: readonly EngineNode[];
  readonly leaving?: readonly EngineNode[];
}

/** Writes the files of the process, and returns what identifies their content. */
function writeFiles(node: EngineNode, { nodes, leaving = [] }: Surroundings, process: EngineProcess): string {
  for (const volume of volumesOf(node)) mkdirSync(volume, { recursive: true, mode: 0o700 });
  const files = Object.entries(process.files?.(node, nodes, leaving) ?? {});
  for (const [path, text] of files) {
    const file = join(node.folder, path);
    // The other processes of the machine write the same files.
    writeSafely(file, text, `${file}.${process.name}`);
  }
  return createHash('sha256').update(JSON.stringify(files)).digest('hex');
}

/**
 * Writes the files of the process and starts it, unless it runs, and waits until it answers. One that runs reads files that have changed, and is started again
 * if it was told to hand over its work and its machine stays.
 */
export async function ensureProcess(
  node: EngineNode,
  around: Surroundings,
  process: EngineProcess,
  { clock, signal, get }: ProbeInputAt,
): Promise<void> {
  const content = writeFiles(node, around, process);
  const { nodes, leaving = [] } = around;
  const stays = !leaving.some(({ machine }) => machine.instance_id === node.machine.instance_id);
  const drained = stays ? findDrained(node, process) : undefined;
  if (drained !== undefined) await stopProcess(drained, { clock, signal, graceMs: machineGraceMs });
  // A crash in between makes the process read its files once more.
  const read = join(node.folder, `${process.name}.read`);
  const isStale = isRunning(node, process) && !(existsSync(read) && readFileSync(read, 'utf8') === content);
  const command = process.command(node, nodes);
  const env = { ...command.env, [machineMark]: node.machine.instance_id };
  const [record, log] = [recordOf(node, process), logOf(node, process)];
  await startProcess({ ...command, env }, { clock, signal, record, log, folder: node.folder });
  const ended = () => findEnd(node, process);
  await waitFor(process.ready(node, nodes), { clock, signal, get, hopeless: ended });
  // Somebody else can answer at its address.
  const problem = ended();
  if (problem !== undefined) throw new Error(problem);
  if (process.reload === undefined) return;
  if (isStale) await runTool(node, `${process.name}-reload`, process.reload(node), { clock, signal });
  writeSafely(read, content);
}

/** Runs a program on the machine to its end. Rejects with what it wrote unless it succeeds. */
async function runTool(node: EngineNode, name: string, command: Command, { clock, signal }: At): Promise<void> {
  const [record, log] = [join(node.folder, `${name}.process`), join(node.folder, `${name}.log`)];
  const succeeded = `${name} has succeeded`;
  const script = `"$@" && echo '${succeeded}'`;
  const env = { ...command.env, [machineMark]: node.machine.instance_id };
  const args = ['-c', script, 'sh', command.file, ...command.args];
  const at = { clock, signal, record, log, folder: node.folder };
  // One that an earlier life of the service has started may have read older files.
  await until(() => !isRecorded(record), { clock, everyMs: toolMs, signal });
  await startProcess({ file: '/bin/sh', args, env }, at);
  await until(() => !isRecorded(record), { clock, everyMs: toolMs, signal });
  signal.throwIfAborted();
  const lines = endOf(log);
  if (lines.at(-1) !== succeeded)
    throw new Error(`${name} on ${node.machine.instance_name} has failed: ${causeOf(lines)}`);
}

/** Ends all processes of the machines, also those that these have started. */
export const endMachines = (machines: readonly string[], { clock, signal }: At): Promise<void> =>
  endProcessesOf(machines, { clock, signal, graceMs: machineGraceMs });
