// Prints the output of a run.

import type { Clock } from '../lib/ports.ts';
import { sleep } from '../lib/wait.ts';
import { type LogAccess, type LogSource, openSource } from './log-source.ts';
import { type Execution, endOf, type Objects } from './objects.ts';
import { beginningOf } from './refusal.ts';
import { visibleParts } from './visible.ts';

export interface Printer {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Resolves when there is room for more. */
  readonly print: (bytes: Uint8Array) => Promise<void>;
  /** A line on standard error. */
  readonly tell: (line: string) => void;
  /** What is printed reaches a terminal, which obeys control characters. */
  readonly isTerminal: boolean;
}

export interface LogWish {
  readonly execution: string;
  readonly follow: boolean;
  readonly tail: number | undefined;
}

const pollMs = 1_000;
const mostPages = 5;

/** Rejects with what is wrong in one line. */
export async function printLogs(access: LogAccess, wish: LogWish, printer: Printer): Promise<void> {
  const execution = await startedRun(access, wish, printer);
  const source = await openSource(access, execution);
  const found = await printFrom(source, { id: execution.status?.id ?? '', wish, printer });
  if (!found) throw new Error(await noOutput(access, source, execution));
}

/** Says where to look instead. */
export async function noOutput(
  { objects }: LogAccess,
  { endpoint }: LogSource,
  { metadata, status, spec }: Execution,
): Promise<string> {
  const what = `the service at ${endpoint} has no output of ${metadata.name} (run ${status?.id}): it keeps none, or the run has not begun`;
  const { name = spec.clusterRef?.name, id } = status?.cluster ?? {};
  const pages = name === undefined ? [] : await pagesOf(objects, name);
  if (pages.length > 0) return `${what}. Look at the pages of Cluster ${name}: ${pages.join(', ')}`;
  const cluster = id ?? (name === undefined ? undefined : `of Cluster ${name}`);
  return `${what}. Look for its log in the service, at job execution ${status?.id}${cluster === undefined ? '' : `, or on the machines of its cluster ${cluster}`}`;
}

/** Of what runs on the cluster, if it is still there and may be read. */
async function pagesOf(objects: Objects, name: string): Promise<readonly string[]> {
  const found = await objects.get('Cluster', name).catch(() => undefined);
  const pages = (found?.status?.endpoints ?? []).filter(({ url }) => /^https?:/.test(url));
  return pages.slice(0, mostPages).map((one) => `${one.url} (${one.target} ${one.name})`);
}

/** The execution, once it has a run in the service. Without `follow`, it must have one already. */
async function startedRun(
  { objects }: LogAccess,
  { execution: name, follow }: LogWish,
  printer: Printer,
): Promise<Execution> {
  let told = '';
  for (;;) {
    const execution = await objects.get('JobExecution', name);
    if (execution.status?.id !== undefined) return execution;
    const { state = 'Pending', conditions = [] } = execution.status ?? {};
    const { message = '' } = conditions.find(({ type }) => type === 'Ready') ?? {};
    const line = `${name} has no run yet: it is ${state}${message === '' ? '' : `: ${message}`}`;
    if (!follow || endOf(execution)) throw new Error(line);
    if (line !== told) printer.tell(line);
    told = line;
    await sleep(printer.clock, pollMs, printer.signal);
    printer.signal.throwIfAborted();
  }
}

interface Printing {
  readonly id: string;
  readonly wish: Pick<LogWish, 'follow' | 'tail'>;
  readonly printer: Printer;
}

/** False if the service has no output of the run. */
export async function printFrom(source: LogSource, { id, wish, printer }: Printing): Promise<boolean> {
  const { status, bytes } = await source.open(id, { follow: wish.follow, tailLines: wish.tail }, printer.signal);
  if (status === 404) {
    for await (const _ of bytes);
    return false;
  }
  if (status !== 200) throw new Error(`cannot read the output: ${status} ${JSON.stringify(await beginningOf(bytes))}`);
  for await (const part of printer.isTerminal ? visibleParts(bytes) : bytes) await printer.print(part);
  return true;
}
