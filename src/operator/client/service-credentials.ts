// The source of the token of each request.
import type { Clock } from '../../lib/ports.ts';

export interface ServiceCredentials {
  /** Undefined if the service needs no token. Rejects if no token can be obtained. */
  token(signal?: AbortSignal): Promise<string | undefined>;
  /** Reports a 401 for this token. Returns whether a repetition with another token may succeed. */
  rejected(token: string): boolean;
}

/** For services without authentication. */
export function noCredentials(): ServiceCredentials {
  return { token: async () => undefined, rejected: () => false };
}

/** A token from a Secret. Surrounding white space, such as a newline, is removed. */
export function fixedToken(token: string): ServiceCredentials {
  const trimmed = token.trim();
  return { token: async () => trimmed, rejected: () => false };
}

/** Credentials that can be replaced while the service is in use. */
export class ExchangeableCredentials implements ServiceCredentials {
  #current: ServiceCredentials;

  constructor(initial: ServiceCredentials) {
    this.#current = initial;
  }

  /** New requests use `next`; requests in flight keep their token. */
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

/** Rejects after `ms`, in case the credentials have no time limit of their own. */
export function tokenWithin(
  ms: number,
  { credentials, clock }: { readonly credentials: ServiceCredentials; readonly clock: Clock },
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error('obtaining a token timed out')));
    credentials.token(signal).finally(cancel).then(resolve, reject);
  });
}
