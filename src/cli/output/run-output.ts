// Prints the output of one run.
import type { Clock } from '../../lib/ports.ts';
import type { OutputWish } from '../arguments/cli-flags.ts';
import { type LogSource, openSource } from '../logs/log-source.ts';
import type { Execution, Objects } from '../objects.ts';
import type { Reach } from '../reach.ts';
import { beginningOf } from '../service/service-refusal.ts';
import { withoutInfo } from './info-lines.ts';
import { visibleParts } from './visible.ts';

export interface Printer {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Resolves when there is room for more. */
  readonly print: (bytes: Uint8Array) => Promise<void>;
  /** A line on standard error. */
  readonly tell: (line: string) => void;
  /** Asks on the terminal, and resolves to the line that is typed; absent: nobody can be asked. */
  readonly ask?: (question: string) => Promise<string>;
  /** What is printed reaches a terminal, which obeys control characters. */
  readonly isTerminal: boolean;
  /** It shows colours, and its user has not refused them (NO_COLOR). */
  readonly isColoured: boolean;
}

const mostPages = 5;

/** The execution must have a run in the service. Rejects with what is wrong in one line. */
export async function printOutput(
  access: Reach,
  execution: Execution,
  { wish, printer }: { readonly wish: OutputWish; readonly printer: Printer },
): Promise<void> {
  const source = await openSource(access, execution);
  const query = { follow: wish.follow, tailLines: wish.tail };
  const { status, bytes } = await source.open(execution.status?.id ?? '', query, printer.signal);
  if (status === 404) {
    for await (const _ of bytes);
    throw new Error(await noOutput(access, source, execution));
  }
  if (status !== 200) throw new Error(`cannot read the output: ${status} ${JSON.stringify(await beginningOf(bytes))}`);
  const wanted = wish.hideInfo ? withoutInfo(bytes) : bytes;
  for await (const part of printer.isTerminal ? visibleParts(wanted) : wanted) await printer.print(part);
}

/** Says where to look instead. */
async function noOutput(
  { objects }: Reach,
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
