// The issued tokens.
import type { Clock } from '../../src/lib/ports.ts';
import { digestOf } from '../../src/lib/secrets.ts';
import { drawSecret } from '../../src/lib/system.ts';
import type { IdentifiedUser } from './login.ts';

export interface Token extends IdentifiedUser {
  /** The secret that the client sends. */
  readonly id: string;
  /** The id of the token in logs. */
  readonly auditId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** The maximum number of tokens of a user. The oldest ones are revoked. */
const maxPerUser = 1000;

const keyOf = (id: string): string => digestOf(id).toString('base64');

export class Tokens {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  /** By the digest of the secret, ordered by expiry, because all tokens live equally long. */
  readonly #tokens = new Map<string, Token>();
  readonly #byUser = new Map<string, Set<Token>>();

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
  }

  issue(identified: IdentifiedUser): Token {
    this.#forgetExpired();
    const issuedAt = this.#clock.wall();
    const [id, auditId] = [drawSecret(96), drawSecret(16)];
    const token = { ...identified, id: `gAAAAA${id}`, auditId, issuedAt, expiresAt: issuedAt + this.#lifetimeMs };
    this.#keep(token);
    return token;
  }

  /** Undefined if the token was never issued, has expired or was revoked. */
  find(id: string | undefined): Token | undefined {
    const token = this.#tokens.get(keyOf(id ?? ''));
    return token !== undefined && token.expiresAt > this.#clock.wall() ? token : undefined;
  }

  revoke(token: Token): void {
    this.#tokens.delete(keyOf(token.id));
    const own = this.#byUser.get(token.user.id);
    own?.delete(token);
    if (own?.size === 0) this.#byUser.delete(token.user.id);
  }

  #keep(token: Token): void {
    const own = this.#byUser.get(token.user.id) ?? new Set();
    const [oldest] = own;
    if (own.size >= maxPerUser && oldest !== undefined) this.revoke(oldest);
    this.#byUser.set(token.user.id, own.add(token));
    this.#tokens.set(keyOf(token.id), token);
  }

  #forgetExpired(): void {
    for (const token of this.#tokens.values()) {
      if (token.expiresAt > this.#clock.wall()) return;
      this.revoke(token);
    }
  }
}
