// The tokens that are out: who holds each of them, until when, and which ones are called back.
import type { Clock, Random } from '../../ports.ts';
import { createId } from '../identifiers.ts';
import type { Identified } from './login.ts';

export interface Token extends Identified {
  /** What the holder sends. */
  readonly id: string;
  /** What logs may say of it. */
  readonly auditId: string;
  /** Wall-clock ms. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export class Tokens {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lifetimeMs: number;
  /** In the order of their ends: all live equally long. */
  readonly #tokens = new Map<string, Token>();

  constructor(clock: Clock, random: Random, lifetimeMs: number) {
    this.#clock = clock;
    this.#random = random;
    this.#lifetimeMs = lifetimeMs;
  }

  issue(identified: Identified): Token {
    this.#forgetExpired();
    const issuedAt = this.#clock.wall();
    const [id, auditId] = [this.#text(6), this.#text(1)];
    const token = { ...identified, id: `gAAAAA${id}`, auditId, issuedAt, expiresAt: issuedAt + this.#lifetimeMs };
    this.#tokens.set(token.id, token);
    return token;
  }

  /** Undefined: never issued, expired, or called back. */
  find(id: string | undefined): Token | undefined {
    const token = this.#tokens.get(id ?? '');
    return token !== undefined && token.expiresAt > this.#clock.wall() ? token : undefined;
  }

  revoke({ id }: Token): void {
    this.#tokens.delete(id);
  }

  #forgetExpired(): void {
    for (const { id, expiresAt } of this.#tokens.values()) {
      if (expiresAt > this.#clock.wall()) return;
      this.#tokens.delete(id);
    }
  }

  /** `blocks` of 22 characters that any header can carry. */
  #text(blocks: number): string {
    const block = () => Buffer.from(createId(this.#random).replaceAll('-', ''), 'hex').toString('base64url');
    return Array.from({ length: blocks }, block).join('');
  }
}
