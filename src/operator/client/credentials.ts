// Where the token of a request comes from; it can be exchanged in place, so that a new one needs no restart.
import type { Clock } from '../../lib/ports.ts';

export interface ServiceCredentials {
  /** The token to send; undefined: none is needed. Rejects when none can be had. */
  token(signal?: AbortSignal): Promise<string | undefined>;
  /** The service answered 401 to this token: do not give it out again where another can be had. True: another one is worth a try. */
  rejected(token: string): boolean;
}

/** For services that ask for no token. */
export function noCredentials(): ServiceCredentials {
  return { token: async () => undefined, rejected: () => false };
}

/** A token that somebody else renews. White space around it, such as the line end of a file, is no part of it. */
export function fixedToken(token: string): ServiceCredentials {
  const trimmed = token.trim();
  return { token: async () => trimmed, rejected: () => false };
}

/** Hands on to the credentials that it holds at the moment. */
export class ExchangeableCredentials implements ServiceCredentials {
  #current: ServiceCredentials;

  constructor(initial: ServiceCredentials) {
    this.#current = initial;
  }

  /** Requests that begin from now on use `next`; those under way keep their token. */
  replace(next: ServiceCredentials): void {
    this.#current = next;
  }

  token(signal?: AbortSignal): Promise<string | undefined> {
    return this.#current.token(signal);
  }

  rejected(token: string): boolean {
    return this.#current.rejected(token);
  }
}

interface TokenSource {
  readonly credentials: ServiceCredentials;
  readonly clock: Clock;
}

/** The token. Credentials bound their own requests; the time limit here, in ms, is for those that do not. */
export function tokenWithin(
  ms: number,
  { credentials, clock }: TokenSource,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error('no token in time')));
    credentials.token(signal).finally(cancel).then(resolve, reject);
  });
}
