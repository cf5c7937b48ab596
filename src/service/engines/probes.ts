// Asks the processes of a machine whether they can be used.

import { messageOf } from '../../lib/errors.ts';
import { type OnLine, parseAnswer } from '../../lib/http/bounded.ts';
import type { Clock } from '../../lib/ports.ts';
import { sleep, within } from '../../lib/timing/wait.ts';
import { CannotLook } from '../model/disk/transient.ts';
import { isLate } from '../model/stages/interruption.ts';
import type { Probe, ReadText } from './engine.ts';

const pollMs = 200;
const answerMs = 2000;
/** For all lines of a long answer. */
const linesMs = 120_000;
const meanwhileMs = 1000;

/** One GET. See `systemGet`. */
export type Get = (
  url: string,
  signal: AbortSignal,
  onLine?: OnLine,
) => Promise<{ readonly ok: boolean; readonly text: string }>;

export interface ProbeInput {
  readonly clock: Clock;
  readonly get: Get;
}

/** What the text of an answer to a GET is parsed to. Rejects with the URL and the cause if there is no answer in time, or it is an error. */
async function read<T>(
  [url, ms]: readonly [url: string, ms: number],
  { clock, get }: ProbeInput,
  parse: (text: string) => T,
  onLine?: OnLine,
): Promise<T> {
  const controller = new AbortController();
  const late = `no answer within ${ms / 1000} s`;
  try {
    const { ok, text } = await within({ clock, ms, late }, () => get(url, controller.signal, onLine));
    if (ok) return parse(text);
  } catch (cause) {
    controller.abort();
    throw new Error(`${url} does not answer: ${messageOf(cause)}`, { cause });
  }
  throw new Error(`${url} answers with an error`);
}

/** Nothing is asked any more once the signal is aborted. */
export const reading =
  (input: ProbeInput, signal: AbortSignal): ReadText =>
  async (url) => {
    signal.throwIfAborted();
    return await read([url, answerMs], input, (text) => text);
  };

const doesNotHold = ({ url, wanted }: Probe): string => `it does not hold at ${url} that ${wanted}`;

/** What does not hold, or undefined. Never rejects. */
export async function ask(probe: Probe, input: ProbeInput): Promise<string | undefined> {
  const { url, holds, lacks } = probe;
  try {
    // Nothing of the answer is held any longer.
    const { isHolding, lacking } = await read([url, answerMs], input, (text) => {
      const answer = text === '' ? undefined : parseAnswer(text);
      return holds(answer) ? { isHolding: true, lacking: lacks?.(answer) } : { isHolding: false };
    });
    if (!isHolding) return doesNotHold(probe);
    return await lacking?.((from, onLine) => read([from, linesMs], input, () => undefined, onLine));
  } catch (cause) {
    return messageOf(cause);
  }
}

/** In ms. Through the API server, a process is asked more rarely the longer it has been waited for: the pause is a tenth of the wait, and at most this. */
const mostPauseMs = 10_000;

/** How long to wait between two questions of which the last one took `tookMs`. Long answers are not asked for most of the time. */
export const pauseAfter = ({ lacks }: Probe, leastMs: number, tookMs: number): number =>
  lacks === undefined ? leastMs : Math.max(leastMs, 4 * tookMs);

interface WaitInput extends ProbeInput {
  readonly signal: AbortSignal;
  /** Why it is pointless to wait any longer for what does not hold, if it is. */
  readonly hopeless?: (problem: string) => string | undefined;
  /** The questions go through the API server, so they become rarer. */
  readonly isPaced?: boolean;
  /** Called once a second, from the first second on. */
  readonly meanwhile?: (() => void | Promise<void>) | undefined;
}

interface DrainOf {
  readonly probe: Probe;
  readonly process: string;
  readonly machine: string;
  readonly limitMs: number;
}

/** What is said about a process that is drained, with what keeps it from its end. `report` gets the description of the cluster whenever that changes. */
export function describeDrain(
  { probe, process, machine, limitMs }: DrainOf,
  report: (reported: { readonly message: string }) => void,
) {
  const [limit, begin] = [`${limitMs / 1000} s`, `draining ${machine}: waiting until ${probe.wanted}`];
  const withDetail = (text: string, problem: string | undefined): string =>
    problem === undefined || problem === doesNotHold(probe) ? text : `${text}: ${problem}`;
  let last = '';
  return {
    waits(problem?: string): void {
      const message = withDetail(`${begin}, for ${limit} at most`, problem);
      if (message !== last) report({ message });
      last = message;
    },
    /** Why the drain fails that took too long. */
    late: (problem: string): string =>
      withDetail(`${process} on ${machine} has not been drained within ${limit}`, problem),
  };
}

/** Resolves when the probe holds. At a deadline, it rejects with `CannotLook` if that is how `get` rejects. */
export async function waitFor(probe: Probe, input: WaitInput): Promise<void> {
  const { clock, signal, hopeless, isPaced = false, meanwhile } = input;
  const from = clock.monotonic();
  const failures: unknown[] = [];
  const get: Get = (...request) =>
    input.get(...request).catch((cause: unknown) => {
      failures.push(cause);
      throw cause;
    });
  for (let polls = 1; ; polls += 1) {
    const began = clock.monotonic();
    failures.length = 0;
    const problem = await ask(probe, { clock, get });
    if (problem === undefined) return;
    const unseen = failures.find((cause) => cause instanceof CannotLook);
    if (isLate(signal) && unseen !== undefined) throw unseen;
    signal.throwIfAborted();
    const why = hopeless?.(problem);
    if (why !== undefined) throw new Error(why);
    if (polls % (meanwhileMs / pollMs) === 0) await meanwhile?.();
    const pacedMs = isPaced ? Math.min((clock.monotonic() - from) / 10, mostPauseMs) : 0;
    await sleep(clock, pauseAfter(probe, Math.max(pollMs, pacedMs), clock.monotonic() - began), signal);
  }
}
