// Identifiers that are derived from other values, so that they are always the same. PURE.
import { createHash } from 'node:crypto';

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In UUID form. */
export function derivedId(text: string): string {
  const digits = hashOf(text).toString('hex');
  const third = `4${digits.slice(13, 16)}`;
  return [digits.slice(0, 8), digits.slice(8, 12), third, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
