// Why a call is aborted, and a limit on the time of a call that does not notice.
import type { Clock } from '../../../lib/ports.ts';
import { CannotLook, Queued } from '../disk/transient.ts';

/**
 * `superseded`: another operation takes over, which undoes what was begun if it has to. `closing`: the service ends; nothing may be undone, because the
 * next life of the service finds what was begun. `deadline`: the call took too long.
 */
export type InterruptionReason = 'superseded' | 'closing' | 'deadline';

/** The reason of every aborted signal that a provisioner or an engine gets. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly reason: InterruptionReason;

  constructor(reason: InterruptionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** How long an aborted call may go on before nobody waits for it any more. */
export const graceMs = 10_000;

/** Whether the call has come to its deadline. */
export function isLate({ reason }: AbortSignal): boolean {
  return reason instanceof Interruption && reason.reason === 'deadline';
}

export interface CallLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** For messages. */
  readonly name: string;
  /** When absent, the call may take any time. */
  readonly deadlineMs: number | undefined;
  /** Called when the call goes on although it was aborted. */
  readonly reportIgnored: (problem: string) => void;
}

/**
 * Settles as the call does. Its signal is aborted together with `signal` and at the deadline. Rejects with an interruption if the call fails after a
 * deadline: with that of the call, which can say what it waited for, or with its own one; and with `CannotLook` or `Queued` if the call does. It also rejects if the call goes on for `graceMs` after an abort. What such
 * a call leads to later is ignored.
 */
export async function callWithin<T>(limits: CallLimits, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, signal, name, deadlineMs, reportIgnored } = limits;
  const controller = new AbortController();
  const ignored = Promise.withResolvers<never>();
  const cancels: (() => void)[] = [];
  const abort = (reason: unknown) => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    const giveUp = () => {
      reportIgnored(`${name} goes on although it was aborted ${graceMs / 1000} s ago`);
      ignored.reject(reason);
    };
    cancels.push(clock.after(graceMs, giveUp));
  };
  const forward = () => abort(signal.reason);
  signal.addEventListener('abort', forward);
  if (deadlineMs !== undefined) {
    const late = new Interruption('deadline', `${name} took longer than ${deadlineMs / 1000} s`);
    cancels.push(clock.after(deadlineMs, () => abort(late)));
  }
  try {
    if (signal.aborted) forward();
    return await Promise.race([call(controller.signal), ignored.promise]);
  } catch (cause) {
    const isLate = controller.signal.aborted && !signal.aborted;
    const isSaid = [Interruption, CannotLook, Queued].some((kind) => cause instanceof kind);
    throw isLate && !isSaid ? controller.signal.reason : cause;
  } finally {
    signal.removeEventListener('abort', forward);
    for (const cancel of cancels) cancel();
  }
}
