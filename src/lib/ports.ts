// The ports that every folder may use: clock, random numbers and log. Types only.

export interface Clock {
  /** Unix time in ms, for timestamps only. Never subtract two of them: the clock may jump. */
  wall(): number;
  /** Milliseconds on a clock that never jumps, for durations and for the order of requests. */
  monotonic(): number;
  /** Calls `callback` once after `ms`. The returned function cancels it. A pending timer does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

/** The fixed set of log fields. They never contain a secret. */
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

/** What most parts of a program are given. Tests give them a clock that they set. */
export interface CommonPorts {
  readonly clock: Clock;
  readonly log: Log;
}
