// The process of a run. It is started at most once, whoever dies meanwhile, and its exit code is recorded.
import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '../../../../lib/ports.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import type { Command } from '../../../engines/engine.ts';
import { isThere } from '../../../model/disk/atomic-files.ts';
import { outputWriter } from '../../runs/output.ts';
import type { RunPaths } from '../../runs/run-files.ts';
import { decisionIn } from '../../runs/start-permit.ts';
import { endProcessesOfRun } from '../clusters/leftovers.ts';
import { isAlive, type ProcessRecord, readRecord, recordItself, startRecorded } from '../clusters/process-record.ts';
import { runMark } from '../clusters/sight.ts';
import { runGraceMs } from '../grace-periods.ts';

/** How long the output of a program may take to be written after its end. */
const drainMs = 2000;
/** How long a process may take to record itself. */
const recordMs = 5000;
const pollMs = 50;

/** Variables of the shell carry those of the program to it, so that these have no effect on anything else. */
const carried = (index: number): string => `${runMark}_${index}`;

/**
 * Makes room for its exit code, because a disk can be full by the end, records its process, unless there is a record, and runs the program, then writes its exit
 * code. The output goes through another process, which bounds it. The program gets as many variables as are carried, and the shell has none of them.
 * Arguments: the file of the exit code, the command of that process, and the command of the program.
 */
const scriptFor = (variables: number): string => {
  const names = Array.from({ length: variables }, (_, index) => carried(index));
  const own =
    names.length === 0 ? '' : `export ${names.map((name) => `"$${name}"`).join(' ')}; unset ${names.join(' ')};`;
  return `
code=$1 node=$2 writer=$3 output=$4 bytes=$5 low=$6; shift 6
printf '\\n\\n\\n\\n' > "$code.$$" || exit 75
${recordItself}
{ (${own} exec "$@") 2>&1; echo $? 1<> "$code.$$" && mv "$code.$$" "$code"; } | exec "$node" --max-old-space-size=16 -e "$writer" "$output" "$bytes" "$low"
`;
};

export interface RunAt {
  readonly id: string;
  readonly paths: RunPaths;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How a run stands, as far as its files tell. */
export type RunState =
  | { readonly is: 'absent' | 'barred' | 'lost' }
  | { readonly is: 'running'; readonly record: ProcessRecord }
  | { readonly is: 'over'; readonly code: number };

export function readState({ decision, exitCode }: RunPaths): RunState {
  // Whether it is there is looked up last: a process that ends meanwhile has written its exit code before.
  const known = readRecord(decision);
  const alive = known !== undefined && isAlive(known);
  const [code] = isThere(exitCode) ? (/^\d+(?=\n)/.exec(readFileSync(exitCode, 'utf8')) ?? []) : [];
  if (code !== undefined) return { is: 'over', code: Number(code) };
  if (known !== undefined) return alive ? { is: 'running', record: known } : { is: 'lost' };
  const decided = decisionIn(decision);
  if (decided === undefined) return { is: 'absent' };
  return { is: decided === 'killed' ? 'barred' : 'lost' };
}

/** A record that is being written. Undefined if none comes. */
async function settledRecord({ paths, clock, signal }: RunAt): Promise<ProcessRecord | undefined> {
  const isUnwritten = () => statSync(paths.decision, { throwIfNoEntry: false })?.size === 0;
  for (let waited = 0; isUnwritten() && waited < recordMs; waited += pollMs) {
    await sleep(clock, pollMs, signal);
    signal.throwIfAborted();
  }
  return readRecord(paths.decision);
}

/**
 * Starts the program, unless somebody has decided, or there is none. Resolves to the recorded process. Rejects if the run is barred. `limits`: how much of the
 * output is kept, and with how much less free space none is, in bytes.
 */
export async function startRun(
  at: RunAt,
  program: Command | undefined,
  limits: readonly [kept: number, low: number],
): Promise<ProcessRecord> {
  const { id, paths, clock, signal } = at;
  if (program !== undefined && !isThere(paths.decision)) {
    const file = paths.exitCode;
    const writing = [process.execPath, outputWriter, paths.output, ...limits.map(String)];
    const args = [...writing, program.file, ...program.args];
    const variables = Object.entries(program.env).map(([name, value]) => `${name}=${value}`);
    const env = { ...Object.fromEntries(variables.map((each, index) => [carried(index), each])), [runMark]: id };
    const options = { clock, signal, record: paths.decision, log: paths.log, folder: paths.work };
    return await startRecorded(scriptFor(variables.length), { file, args, env }, options);
  }
  const record = await settledRecord(at);
  if (record !== undefined) return record;
  throw new Error(
    readState(paths).is === 'barred' ? 'it was killed before it started' : 'its process ended before it was recorded',
  );
}

/** Ends all processes of a run that is barred, or was started. */
export async function endRun(at: RunAt): Promise<void> {
  const { id, clock, signal } = at;
  const record = await settledRecord(at);
  await endProcessesOfRun(id, record, { clock, signal, graceMs: runGraceMs });
}

/** Ends what a program that has ended has left behind. */
export async function endLeftovers(at: RunAt): Promise<void> {
  const { id, paths, clock, signal } = at;
  const record = readRecord(paths.decision);
  const isWriting = () => record !== undefined && isAlive(record);
  for (let waited = 0; isWriting() && waited < drainMs; waited += pollMs) {
    await sleep(clock, pollMs, signal);
    signal.throwIfAborted();
  }
  await endProcessesOfRun(id, record, { clock, signal, graceMs: runGraceMs });
}
