// Secrets are compared by their digests, so that the time reveals neither the secret nor its length.
import { createHash, timingSafeEqual } from 'node:crypto';

/** The digest that stands for a secret. */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** An empty text is no secret: it is the same as none, also as another empty one. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(digestOf(one), digestOf(other)) && one !== '';
