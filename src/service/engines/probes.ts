// Asks the processes of a machine whether they can be used.
import { parseAnswer } from '../../lib/bounded.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Clock } from '../../lib/ports.ts';
import { sleep, within } from '../../lib/wait.ts';
import type { Probe } from './engine.ts';

const pollMs = 200;
const answerMs = 2000;
const meanwhileMs = 1000;

/** One GET. See `systemGet`. */
export type Get = (url: string, signal: AbortSignal) => Promise<{ readonly ok: boolean; readonly text: string }>;

export interface Asking {
  readonly clock: Clock;
  readonly get: Get;
}

/** What does not hold, or undefined. Never rejects. */
export async function ask(probe: Probe, { clock, get }: Asking): Promise<string | undefined> {
  const { url, wanted } = probe;
  const controller = new AbortController();
  try {
    const late = `no answer within ${answerMs / 1000} s`;
    const { ok, text } = await within({ clock, ms: answerMs, late }, () => get(url, controller.signal));
    if (!ok) return `${url} answers with an error`;
    return probe.holds(parseAnswer(text)) ? undefined : `it does not hold at ${url} that ${wanted}`;
  } catch (cause) {
    controller.abort();
    return `${url} does not answer: ${messageOf(cause)}`;
  }
}

interface Waiting extends Asking {
  readonly signal: AbortSignal;
  /** Why it is pointless to wait any longer, if it is. */
  readonly hopeless?: () => string | undefined;
  /** Called once a second, from the first second on. */
  readonly meanwhile?: (() => void) | undefined;
}

/** What the description of a cluster says while a process on a machine is drained. */
export const describeDrain = ({ wanted }: Probe, machine: string, limitMs: number): string =>
  `draining ${machine}: waiting until ${wanted}, for ${limitMs / 1000} s at most`;

/** Why a drain fails that took too long. */
export const describeLateDrain = (process: string, machine: string, limitMs: number): string =>
  `${process} on ${machine} has not been drained within ${limitMs / 1000} s`;

/** Resolves when the probe holds. */
export async function waitFor(probe: Probe, waiting: Waiting): Promise<void> {
  const { clock, signal, hopeless, meanwhile } = waiting;
  for (let polls = 1; ; polls += 1) {
    const problem = await ask(probe, waiting);
    if (problem === undefined) return;
    signal.throwIfAborted();
    const why = hopeless?.();
    if (why !== undefined) throw new Error(why);
    if (polls % (meanwhileMs / pollMs) === 0) meanwhile?.();
    await sleep(clock, pollMs, signal);
  }
}
