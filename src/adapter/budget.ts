// Send permits toward one service: a rate, a burst and a number of requests in flight, shared out in turn between users.

export interface Limits {
  readonly requestsPerSecond: number;
  /** Requests that may be sent at once after a quiet time. */
  readonly burst: number;
  readonly maxInFlight: number;
}

/** The right to send one request, now. */
export interface Permit {
  /** What was given to `take`: ends the request that is sent with this permit. */
  readonly signal: AbortSignal | undefined;
  /** Gives the place in flight back; further calls do nothing. */
  release(): void;
}

export interface Taking {
  /** Who asks: such as `Cluster/team-a/etl`, or `inventory`. */
  readonly user: string;
  /** Milliseconds; 0 = now or not at all. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Budget {
  /** Undefined: not within that time, or the signal came first. In the first case `onFree` names the user later, once. */
  take(taking: Taking): Promise<Permit | undefined>;
  /** Called for each user that went away empty-handed, when a permit would be there for it. */
  onFree(listener: (user: string) => void): void;
  /** No permits for so many ms from now: what a 429 asks for. A pause that lasts longer already stays. */
  pauseFor(ms: number): void;
  /** New settings count from now on; permits already out stay valid. */
  configure(limits: Limits): void;
  /** Lets all who wait go away empty-handed. */
  close(): void;
}
