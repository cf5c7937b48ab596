// How many requests a service gets: more while it answers as fast as usual and refuses none, half as many otherwise. It reads no clock.
import { type Ceiling, checkLimits, type Limits } from '../limits.ts';
import { AnswerTimes } from './answer-times.ts';

/** Requests a second, at first, and at most where no ceiling is set. */
const startRate = 20;
const highestRate = 500;
/** Requests in flight where no ceiling is set: at the highest rate. */
const mostInFlight = 64;
/** Requests that may be sent at once after a pause: as many as in this part of a second. */
const burstSeconds = 0.2;
/** Whatever a service answers, it is asked so often: that is how it is known that it has recovered. */
const lowestRate = 1;
/** The rate changes at most this often, in ms. */
const stepMs = 1_000;
/** In a step, where no limit of the service is known. */
const growth = 1.5;
/** The same near the rate at which the service refused or became slow, as a part of that rate. */
const carefulGrowth = 0.01;
/** That rate is forgotten once so many times as much went well. */
const proven = 1.5;
/** The part of the rate, and of the places in flight, that was used in a step where more are needed. */
const fullPart = 0.8;
const busyPart = 0.5;
/** The smoothed part of slow answers that means that the service became slow, and the one up to which the rate grows. */
const mostlySlow = 0.6;
const hardlySlow = 0.2;
/** Slow answers that come at once count like one. In ms. */
const blipMs = 250;
/** Answers that tell whether fewer requests helped: whether the times fell below this part. */
const tellingAnswers = 16;
const helpedPart = 0.75;
/** If so many decreases in a row did not help, the load is not the cause. */
const mostTries = 3;

export interface Answer {
  /** Such as method and path template: each kind has its own usual time. From a closed list. */
  readonly of: string;
  /** Monotonic ms. */
  readonly sentAt: number;
  readonly outcome: 'good' | 'refused' | 'failed';
}

export type LoweredBy = 'refused' | 'slow';

interface Top extends Limits {
  /** From this rate on, so many requests may be in flight. */
  readonly broadRate: number;
}

/** Throws a RangeError for limits that would block all requests. */
function topOf({ requestsPerSecond = highestRate, burst, maxInFlight }: Ceiling): Top {
  const wide = maxInFlight === undefined ? highestRate : startRate;
  const limits = {
    requestsPerSecond,
    burst: burst ?? Math.max(1, requestsPerSecond * burstSeconds),
    maxInFlight: maxInFlight ?? mostInFlight,
  };
  return { ...checkLimits(limits), broadRate: Math.min(wide, requestsPerSecond) };
}

/**
 * Additive increase, multiplicative decrease. Guarantees: never more than the ceiling, nor less than one request a second; the rate falls
 * at most once a second, and never because of a request that was sent before it fell last.
 */
export class Pace {
  readonly #times = new AnswerTimes();
  #top: Top;
  #rate: number;
  /** The rate at which the service last refused or became slow. */
  #wall: number | undefined;
  #hasGrown = true;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #step: { readonly since: number; sent: number; busyMs: number; isMissed?: true };
  #slowness = 0;
  #ratio = 1;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Whether fewer requests make the service faster: asked of those that were sent once what had waited was done. */
  #trial: { readonly ratio: number; readonly from: number; answers: number } | undefined;
  #tries = 0;

  constructor(ceiling: Ceiling, now: number) {
    this.#top = topOf(ceiling);
    this.#rate = Math.min(startRate, this.#top.requestsPerSecond);
    this.#step = { since: now, sent: 0, busyMs: 0 };
  }

  /**
   * What is allowed now. Where the user set no number of places in flight, they follow the root of the rate: a service that is slow from
   * the start needs some.
   */
  get limits(): Limits {
    const { requestsPerSecond, burst, maxInFlight, broadRate } = this.#top;
    const breadth = Math.sqrt(Math.min(1, this.#rate / broadRate));
    return {
      requestsPerSecond: this.#rate,
      burst: Math.max(1, (burst * this.#rate) / requestsPerSecond),
      maxInFlight: Math.max(1, Math.floor(maxInFlight * breadth)),
    };
  }

  /** What was learned stays, as far as it fits. */
  configure(ceiling: Ceiling): void {
    this.#top = topOf(ceiling);
    const learned = this.#wall === undefined ? Math.max(this.#rate, startRate) : this.#rate;
    this.#rate = Math.min(learned, this.#top.requestsPerSecond);
  }

  sent(): void {
    this.#step.sent += 1;
  }

  /** Somebody got no permit: so many requests are needed, although fewer may be sent, such as two reads a second and no write. */
  missed(): void {
    this.#step.isMissed = true;
  }

  /** At monotonic `now`. Returns why the rate fell, if it did. */
  answered({ of, sentAt, outcome }: Answer, now: number): LoweredBy | undefined {
    const ms = now - sentAt;
    this.#step.busyMs += ms;
    if (sentAt < this.#loweredAt) return undefined;
    if (outcome === 'refused') return this.#lower(now) ? outcome : undefined;
    const isTrial = this.#trial !== undefined;
    if (outcome === 'good') this.#note(this.#times.note(of, ms, now), { sentAt, now });
    // Others may fail at once.
    else if (!isTrial && this.#times.isSlow(of, ms)) this.#smooth(1, now);
    if (isTrial) return undefined;
    if (this.#slowness > mostlySlow) return this.#doubt(ms, now);
    if (outcome === 'good') this.#grow(now);
    return undefined;
  }

  #note({ ratio, slowness }: ReturnType<AnswerTimes['note']>, { sentAt, now }: { sentAt: number; now: number }): void {
    const trial = this.#trial;
    if (trial === undefined) this.#smooth(slowness, now);
    this.#ratio += (ratio - this.#ratio) / 8;
    if (trial === undefined || sentAt < trial.from) return;
    trial.answers += 1;
    if (trial.answers === 1) this.#times.restart();
    if (trial.answers < tellingAnswers) return;
    this.#trial = undefined;
    const hasHelped = this.#ratio < helpedPart * trial.ratio;
    if (!hasHelped && this.#tries < mostTries) return;
    this.#tries = 0;
    if (hasHelped) return;
    this.#times.accept();
    this.#wall = undefined;
  }

  #smooth(slowness: number, now: number): void {
    const weight = Math.min(1 / 4, (now - this.#answeredAt) / blipMs);
    this.#slowness += (slowness - this.#slowness) * weight;
    this.#answeredAt = now;
  }

  #doubt(ms: number, now: number): LoweredBy | undefined {
    const fell = this.#lower(now);
    if (!fell && this.#rate > lowestRate) return undefined;
    this.#slowness = 0;
    this.#tries += 1;
    this.#trial = { ratio: this.#ratio, from: now + 2 * ms, answers: 0 };
    return fell ? 'slow' : undefined;
  }

  /** A second time without any growth in between, the wall stays: up to there the service was well. */
  #lower(now: number): boolean {
    if (now - this.#loweredAt < stepMs || this.#rate <= lowestRate) return false;
    if (this.#hasGrown) this.#wall = this.#rate;
    this.#hasGrown = false;
    this.#rate = Math.max(lowestRate, this.#rate / 2);
    this.#loweredAt = now;
    this.#slowness = 0;
    this.#step = { since: now, sent: 0, busyMs: 0 };
    return true;
  }

  #grow(now: number): void {
    const { since, sent, busyMs, isMissed = false } = this.#step;
    const ms = now - since;
    if (ms < stepMs) return;
    this.#step = { since: now, sent: 0, busyMs: 0 };
    const { requestsPerSecond, maxInFlight } = this.limits;
    const isFull = sent * 1_000 >= fullPart * requestsPerSecond * ms;
    const isBusy = maxInFlight < this.#top.maxInFlight && busyMs >= busyPart * maxInFlight * ms;
    if (!(isFull || isBusy || isMissed) || this.#slowness > hardlySlow) return;
    const wall = this.#wall;
    const next = wall === undefined || this.#rate < wall / 2 ? this.#rate * growth : this.#rate + carefulGrowth * wall;
    if (wall !== undefined && next > proven * wall) this.#wall = undefined;
    this.#hasGrown = true;
    this.#rate = Math.min(next, this.#top.requestsPerSecond);
  }
}
