// Services as they answer under load, on a clock that only the scene moves; and users who ask one through a budget for as long as there is work.

import { type Requests, send } from '../../../../src/operator/client/collection.ts';
import type { Client } from '../../../../src/operator/client/http/client.ts';
import type { OutgoingRequest } from '../../../../src/operator/client/http/request.ts';
import type { Ceiling, Limits } from '../../../../src/operator/client/limits.ts';
import { AdaptiveBudget } from '../../../../src/operator/client/throttle/adaptive-budget.ts';
import { Budget } from '../../../../src/operator/client/throttle/budget.ts';
import type { LoweredBy } from '../../../../src/operator/client/throttle/pace.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { ManualClock } from '../../../support/clock.ts';

/** The answer to a request that arrives at `now`: after how long, and whether it is a 429. In ms. */
export type Answering = (now: number) => { readonly ms: number; readonly refused?: boolean };

/** So many workers, each of which takes `eachMs`; refuses what would wait behind more than `backlog` others. */
export function queueing(workers: number, eachMs: number, backlog: number): Answering {
  const free = Array.from({ length: workers }, () => 0);
  return (now) => {
    const next = free.indexOf(Math.min(...free));
    const begin = Math.max(now, free[next] ?? 0);
    if ((begin - now) / (eachMs / workers) > backlog) return { ms: 5, refused: true };
    free[next] = begin + eachMs;
    return { ms: begin + eachMs - now };
  };
}

/** Answers `perSecond` requests, of which as many as in a second may come at once, and refuses the others. */
export function limited(perSecond: (now: number) => number): Answering {
  let [tokens, at] = [perSecond(0), 0];
  return (now) => {
    tokens = Math.min(30, tokens + ((now - at) / 1_000) * perSecond(now));
    at = now;
    if (tokens < 1) return { ms: 5, refused: true };
    tokens -= 1;
    return { ms: 50 };
  };
}

/** Takes 50 ms, and with more than 60 requests a second much longer. */
export function burdened(): Answering {
  let [load, at] = [0, 0];
  return (now) => {
    load = load * Math.exp((at - now) / 1_000) + 1;
    at = now;
    return { ms: 50 + 50 * (load / 60) ** 4 };
  };
}

export interface Scene {
  readonly answering: Answering;
  /** What is in effect all the time, in place of what the service can take. */
  readonly fixed?: Limits;
  readonly ceiling?: Ceiling;
  /** Requests that a wave consists of, and the time between waves. Without it there is always work. */
  readonly waves?: { readonly size: number; readonly everyMs: number };
}

const outgoing: OutgoingRequest = { method: 'GET', segments: ['clusters', '1'] };
const refusal = () => classify({ method: 'GET', path: '/' }, { phase: 'answered', status: 429, body: '' });
const users = 80;

export class ServiceScene {
  readonly clock = new ManualClock({ start: 0 });
  readonly lowered: LoweredBy[] = [];
  /** When each request was sent. */
  readonly sent: number[] = [];
  readonly times: number[] = [];
  refused = 0;
  mostInFlight = 0;
  readonly budget: Budget;
  readonly #requests: Requests;
  #inFlight = 0;
  #work: number;

  constructor({ answering, fixed, ceiling = {}, waves }: Scene) {
    const adaptive = new AdaptiveBudget(ceiling, this.clock, { onLowered: (cause) => this.lowered.push(cause) });
    this.budget = fixed ? new Budget(fixed, this.clock) : adaptive.permits;
    this.#requests = {
      client: { request: () => this.#answer(answering) } as unknown as Client,
      budget: this.budget,
      adaptive: fixed ? { sending: () => () => undefined } : adaptive,
      dialect: 'neutral',
      link: { timeoutMs: 30_000 },
    };
    this.#work = waves?.size ?? Number.POSITIVE_INFINITY;
    const next = ({ size, everyMs }: NonNullable<Scene['waves']>): void => {
      this.clock.after(everyMs, () => {
        this.#work += size;
        this.#start();
        next({ size, everyMs });
      });
    };
    if (waves) next(waves);
    this.#start();
  }

  get served(): number {
    return this.times.length - this.refused;
  }

  /** Requests sent in each of the seconds between. */
  perSecond(fromS: number, toS: number): readonly number[] {
    const counts = Array.from({ length: toS - fromS }, () => 0);
    for (const at of this.sent) {
      const second = Math.floor(at / 1_000) - fromS;
      if (counts[second] !== undefined) counts[second] += 1;
    }
    return counts;
  }

  #start(): void {
    for (let user = 0; user < Math.min(users, this.#work); user++) void this.#use(`user ${user}`);
  }

  async #use(user: string): Promise<void> {
    while (this.#work > 0) {
      this.#work -= 1;
      const permit = await this.budget.take({ user, withinMs: 1e9 });
      await send(this.#requests, outgoing, () => undefined).catch(() => undefined);
      permit?.release();
    }
  }

  async #answer(answering: Answering): Promise<undefined> {
    const now = this.clock.monotonic();
    this.sent.push(now);
    this.#inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
    const { ms, refused = false } = answering(now);
    await new Promise<void>((resolve) => void this.clock.after(ms, resolve));
    this.#inFlight -= 1;
    this.times.push(ms);
    if (!refused) return;
    this.refused += 1;
    throw refusal();
  }
}
