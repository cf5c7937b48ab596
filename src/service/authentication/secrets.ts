// Secrets are compared by their digests: how long that takes tells nothing of what is right, nor of its length.
import { createHash, timingSafeEqual } from 'node:crypto';

/** What a secret is known by. */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other));
