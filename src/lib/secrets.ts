// How secrets are compared, and which options are likely to hold some.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Secrets are compared by it, so that the time reveals neither the secret nor its length. */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** An empty text is no secret: it is the same as none, also as another empty one. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(digestOf(one), digestOf(other)) && one !== '';

/** The names of options with which engines and clouds take secrets. */
const secretName = /pass(word|wd|phrase)?\b|secret|token|credential|private.?key|access.?key|account.?key|\bauth\b/i;

export function looksSecret(name: string): boolean {
  return secretName.test(name);
}
