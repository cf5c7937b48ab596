// The three things of the outside world that every folder may ask for: time, chance and a log. Types only.

/** Time comes in through here, so that tests can own it. */
export interface Clock {
  /** Wall-clock time in ms since 1970: for people and for the ledger, never for measuring a duration. */
  wall(): number;
  /** Milliseconds on a clock that never jumps: for durations and for the order of requests. */
  monotonic(): number;
  /** Calls `callback` once, `ms` milliseconds from now; the answer cancels it. A pending timer does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

/** The fixed vocabulary of log fields, so that a log can be searched by it. Never a secret. */
export interface LogFields {
  readonly kind?: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly generation?: number | undefined;
  readonly externalId?: string | undefined;
  readonly action?: string;
  readonly outcome?: string;
  readonly durationMs?: number;
  readonly err?: unknown;
}

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
