// Serves the output of runs: all of it, a part, its last lines, or as it grows.
import { turn } from '../../../lib/timing/slices.ts';
import { sleep, within } from '../../../lib/timing/wait.ts';
import type { LogPart, LogRange } from '../../backends/job-engine.ts';
import { find } from '../../model/checks/owners.ts';
import { need } from '../../model/checks/request-checks.ts';
import type { JobExecutionRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { isOver } from '../../model/stages/execution-stages.ts';
import type { Answer, Call } from '../endpoints/endpoint.ts';
import type { Service } from '../service.ts';

/** How much is read at a time. */
const partBytes = 64 * 1024;
/** The last lines are looked for in as much of the end. */
const tailBytes = 1024 ** 2;
/** No more of them, because output can be newlines only. */
export const mostTailLines = 20_000;
const newline = 0x0a;
const pollMs = 300;
const readMs = 10_000;

/** Undefined as long as there is no output. */
type Read = (range: LogRange) => Promise<LogPart | undefined>;

interface Wanted {
  readonly offset: number | undefined;
  readonly limit: number | undefined;
  readonly tailLines: number | undefined;
  readonly follow: boolean;
}

const refuse = (why: string) => Refusal.by('badLogRange', `cannot show logs: ${why}`);

function readQuery(query: Call['query']): Wanted {
  const number = (name: string) => {
    const value = query[name];
    if (value === undefined) return undefined;
    if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
    throw refuse(`${name} is no whole number`);
  };
  const [offset, limit, tailLines] = [number('offset'), number('limit'), number('tailLines')];
  if (tailLines !== undefined && offset !== undefined) throw refuse('give either tailLines or offset');
  const { follow = 'false' } = query;
  if (follow !== 'true' && follow !== 'false') throw refuse('follow is neither true nor false');
  if (follow === 'true' && limit !== undefined) throw refuse('give either follow or limit');
  return { offset, limit, tailLines, follow: follow === 'true' };
}

export function showLogs(service: Service, call: Call): Answer {
  const execution = need(service.store, 'jobExecutions', call);
  const wanted = readQuery(call.query);
  return { status: 200, text: '', later: (gone) => answer(service, { ...call, execution, gone }, wanted) };
}

interface LogRequest {
  readonly tenant: string;
  readonly id: string;
  readonly execution: JobExecutionRecord;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
}

async function answer(service: Service, at: LogRequest, wanted: Wanted): Promise<Answer> {
  const { store, clock, engine } = service;
  const { tenant, id, execution, gone } = at;
  const cluster = find(store, 'clusters', { tenant, id: execution.cluster_id ?? '' })?.record;
  const read: Read = (range) =>
    within({ clock, ms: readMs, late: `the engine does not show the output of ${id}` }, () =>
      engine.logs({ tenant, execution, cluster, signal: gone }, range),
    );
  const total = (await read({ from: 0, limit: 0 }))?.total;
  const isEnded = () => {
    const record = find(store, 'jobExecutions', { tenant, id })?.record;
    return record === undefined || isOver(record);
  };
  if (total === undefined && (isEnded() || !wanted.follow))
    throw Refusal.by('noLogs', `cannot find the output of job execution ${id}`);
  const { tailLines, limit, offset = 0 } = wanted;
  const from = tailLines === undefined ? offset : await placeOfLines(read, total ?? 0, tailLines);
  const type = 'text/plain; charset=utf-8';
  if (wanted.follow) return { status: 200, text: '', type, stream: follow(service, read, { from, isEnded, gone }) };
  const to = Math.min(total ?? 0, from + (limit ?? Number.POSITIVE_INFINITY));
  return { status: 200, text: '', type, stream: parts(read, from, to), headers: { 'x-log-bytes': String(total) } };
}

/** The place where the last lines begin, in the last MiB. */
async function placeOfLines(read: Read, total: number, wanted: number): Promise<number> {
  const lines = Math.min(wanted, mostTailLines);
  if (lines === 0) return total;
  for (let bytes = partBytes; ; bytes *= 2) {
    const from = Math.max(total - bytes, 0);
    const text = Buffer.from((await read({ from, limit: total - from }))?.text ?? '');
    const begin = beginOfLines(text, lines);
    if (begin !== undefined) return total - (text.length - begin);
    if (from === 0) return 0;
    if (bytes >= tailBytes) return total - text.length + text.indexOf(newline) + 1;
    // What was read may have been there at once, and others wait.
    await turn();
  }
}

/** Where the last lines of the text begin. Undefined if it does not have as many. */
function beginOfLines(text: Buffer, lines: number): number | undefined {
  let found = 0;
  // The end of the last line begins no other one.
  for (let index = text.length - 2; index >= 0; index -= 1) {
    if (text[index] === newline) found += 1;
    if (found === lines) return index + 1;
  }
  return undefined;
}

async function* parts(read: Read, from: number, to: number): AsyncGenerator<string> {
  for (let next = from; next < to; ) {
    const part = await read({ from: next, limit: Math.min(partBytes, to - next) });
    if (part === undefined || part.next <= next) return;
    yield part.text;
    next = part.next;
  }
}

interface Followed extends Pick<LogRequest, 'gone'> {
  readonly from: number;
  readonly isEnded: () => boolean;
}

/** Ends with the run, and soon after its client has gone. */
async function* follow({ clock }: Service, read: Read, { from, isEnded, gone }: Followed): AsyncGenerator<string> {
  for (let next = from; !gone.aborted; ) {
    // Whether it has ended is looked up first, so that nothing that was written before its end is missed.
    const ended = isEnded();
    const part = await read({ from: next, limit: partBytes });
    if (part !== undefined && part.text !== '') {
      yield part.text;
      next = part.next;
    } else if (ended) return;
    else await sleep(clock, pollMs, gone);
  }
}
