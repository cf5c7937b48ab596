// What a pass needs before it announces a write to the service: the lead, its turn where it starts a run, and a permit.
import type { Permit } from '../../client/throttle/budget.ts';
import type { Starts } from '../../client/throttle/starts.ts';
import { type Outcome, waiting } from '../outcome.ts';
import { keyText } from '../pass-ports.ts';
import type { PassState } from '../pass-state.ts';
import { usable } from './reads.ts';

/** How long a pass waits for each of them before it gives way to others. */
const waitMs = 100;
/** At a low rate, it waits for so many requests of the budget: what it has read, with requests that others wanted, counts for this pass only. */
const waitTurns = 3;

export class WritePermits {
  readonly #pass: PassState;
  readonly #isStart: boolean;
  #turn: Permit | undefined;
  #permit: Permit | undefined;

  /** `isStart`: what is sent starts a run. */
  constructor(pass: PassState, { isStart }: { readonly isStart: boolean }) {
    this.#pass = pass;
    this.#isStart = isStart;
  }

  get permit(): Permit | undefined {
    return this.#permit;
  }

  /** Undefined once it may write; else what ends the pass. What it has already stays. */
  async acquire(): Promise<Outcome | undefined> {
    const pass = this.#pass;
    if (!pass.ports.leadership.leading()) return { result: 'conflict' };
    if (pass.service.state !== 'usable') return { result: 'unpermitted' };
    const { starts, budget } = usable(pass);
    const withinMs = Math.max(waitMs, (waitTurns * 1_000) / budget.limits.requestsPerSecond);
    const wanted = { user: keyText(pass.facts.key), withinMs, signal: pass.context.signal };
    if (this.#isStart) {
      this.#turn ??= await starts.take(wanted);
      if (!this.#turn) return notYet(starts);
    }
    this.#permit ??= await budget.take(wanted);
    return this.#permit ? undefined : { result: 'unpermitted' };
  }

  /** Further calls do nothing. */
  release(): void {
    this.#permit?.release();
    this.#turn?.release();
  }
}

/** While others have their turn, nothing is said of it: it takes less than a second. */
function notYet({ pausedMs, pauseMs, doubts }: Pick<Starts, 'pausedMs' | 'pauseMs' | 'doubts'>): Outcome {
  if (pausedMs === 0) return { result: 'unpermitted' };
  return { ...waiting('time', 'Provisioning', doubtful(doubts, pauseMs / 60_000)), afterMs: pausedMs };
}

function doubtful(doubts: number, minutes: number): string {
  if (doubts === 1) return 'the service did not say whether it started another run; this one is started later';
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `the service did not say whether it started the last ${doubts} runs that it was asked for, although it may answer lists: no other one of its Connection is started until ${wait} after the last. Check why the service, or what is in front of it, does not answer these requests`;
}
