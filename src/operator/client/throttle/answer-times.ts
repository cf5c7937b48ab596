// How long a service takes to answer, compared with what is usual for requests of the same kind. It reads no clock.

/** Answers of one kind that are averaged. Half as many are needed to judge. */
const averaged = 16;
/** How slowly the usual time rises to a longer one that is not slow, in ms. */
const ageingMs = 10 * 60_000;
/** Answers are slow, or have become slower, that take longer than this many times the usual time, and this many ms. */
const slow = { times: 2, ms: 100 } as const;
const slower = { times: 1.5, ms: 20 } as const;

interface KindTimes {
  /** The average of the last answers, in ms. */
  recent: number;
  /** The answers in it. */
  count: number;
  /** The smallest averages, which age. In ms; undefined until it is known. */
  usual: number | undefined;
  at: number;
}

/** Times of averages: single slow answers, and those of two kinds of work behind one path, are usual. */
export class AnswerTimes {
  readonly #times = new Map<string, KindTimes>();

  /**
   * A good answer, at monotonic `now`. Returns the average of such answers as a multiple of the usual time, and how slow that is: from 0,
   * as usual, to 1, slow.
   */
  note(of: string, ms: number, now: number): { readonly ratio: number; readonly slowness: number } {
    const times = this.#times.get(of) ?? { recent: ms, count: 0, usual: undefined, at: now };
    this.#times.set(of, times);
    times.count += 1;
    times.recent += (ms - times.recent) / Math.min(times.count, averaged);
    if (times.count >= averaged / 2) learn(times, now);
    const { recent, usual = recent } = times;
    const slowness = exceeds(recent, usual, slow) ? 1 : exceeds(recent, usual, slower) ? 0.5 : 0;
    return { ratio: recent / Math.max(usual, 1), slowness };
  }

  /** An answer of this kind that takes so long is slow. */
  isSlow(of: string, ms: number): boolean {
    return exceeds(ms, this.#times.get(of)?.usual ?? ms, slow);
  }

  /** Averages begin anew, and are compared with the same usual times. */
  restart(): void {
    for (const times of this.#times.values()) times.count = 0;
  }

  /** What the service takes now is usual. */
  accept(): void {
    for (const times of this.#times.values()) times.usual = times.recent;
  }
}

function exceeds(ms: number, usual: number, { times, ms: more }: typeof slow | typeof slower): boolean {
  return ms > times * usual + more;
}

/** While answers are slow, nothing is learned from them. */
function learn(times: KindTimes, now: number): void {
  const { recent, usual = recent } = times;
  if (exceeds(recent, usual, slow)) return;
  const weight = recent < usual ? 1 / averaged : Math.min(1, (now - times.at) / ageingMs);
  times.usual = usual + (recent - usual) * weight;
  times.at = now;
}
