// The processes of one machine.
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../lib/ports.ts';
import { type EngineNode, type EngineProcess, volumesOf } from '../engines/engine.ts';
import { endAll, machineMark, processesOf } from './leftovers.ts';
import { type Asking, ask, waitFor } from './probes.ts';
import { isAlive, readRecord, startProcess } from './process-record.ts';

/** How long a process may take to end after SIGTERM. */
const graceMs = 10_000;
const tailBytes = 8000;

interface At {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
type AskingAt = At & Asking;

const recordOf = (node: EngineNode, { name }: EngineProcess): string => join(node.folder, `${name}.process`);
const logOf = (node: EngineNode, { name }: EngineProcess): string => join(node.folder, `${name}.log`);

export function isRunning(node: EngineNode, process: EngineProcess): boolean {
  const record = readRecord(recordOf(node, process));
  return record !== undefined && isAlive(record);
}

/** Why the process has ended, or undefined if it runs. */
export const findEnd = (node: EngineNode, process: EngineProcess): string | undefined =>
  isRunning(node, process)
    ? undefined
    : `${process.name} on ${node.machine.instance_name} has ended: ${lastLine(logOf(node, process))}`;

/** Writes the files of the process and starts it, unless it runs, and waits until it answers. */
export async function ensureProcess(
  node: EngineNode,
  nodes: readonly EngineNode[],
  process: EngineProcess,
  { clock, signal, get }: AskingAt,
): Promise<void> {
  for (const volume of volumesOf(node)) mkdirSync(volume, { recursive: true, mode: 0o700 });
  for (const [path, text] of Object.entries(process.files?.(node, nodes) ?? {})) {
    const file = join(node.folder, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  }
  const command = process.command(node, nodes);
  const env = { ...command.env, [machineMark]: node.machine.instance_id };
  const [record, log] = [recordOf(node, process), logOf(node, process)];
  await startProcess({ ...command, env }, { clock, signal, record, log, folder: node.folder });
  const ended = () => findEnd(node, process);
  await waitFor(process.ready(node), { clock, signal, get, hopeless: ended });
  // Somebody else can answer at its address.
  const problem = ended();
  if (problem !== undefined) throw new Error(problem);
}

/** Ends all processes of the machine, also those that its processes have started. */
export const endMachine = (machine: string, { clock, signal }: At): Promise<void> =>
  endAll(() => processesOf(machine), { clock, signal, graceMs });

/** What is wrong with the process, or undefined. */
export const findProblem = async (
  node: EngineNode,
  process: EngineProcess,
  asking: Asking,
): Promise<string | undefined> =>
  isRunning(node, process) ? await ask(process.ready(node), asking) : `${process.name} does not run`;

/** The last line that a process has written and that is no place in a program: it mostly says why the process ended. */
function lastLine(log: string): string {
  if (!existsSync(log)) return 'it has written nothing';
  const file = openSync(log, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer
      .toString('utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
    return lines.at(-1)?.slice(0, 300) ?? `it has written nothing to ${log}`;
  } finally {
    closeSync(file);
  }
}
