// The tag of the names that an operator generates in a service: `<base>-<4 of the installation><8 of the uid>`, and 8 of the content where it has revisions.
import { createHash } from 'node:crypto';
import { memoize } from './memoize.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const markLength = 4;

/** The first `length` base32 letters (5 bits each) of the SHA-256 of the text. */
export function digest(text: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest();
  let [bits, value, out] = [0, 0, ''];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5 && out.length < length) {
      bits -= 5;
      out += alphabet[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return out;
}

/** The mark of an installation: the first letters of the tags that it generates. */
export const installationMark = memoize((installation: string) => digest(installation, markLength));

/** What a generated name has after its last hyphen, without the ending of a file. */
export function tagOf(name: string): string | undefined {
  const [, suffix] = /-([a-z2-7]+)(?:\.[a-z0-9]{1,4})?$/.exec(name) ?? [];
  return suffix !== undefined && (suffix.length === 12 || suffix.length === 20) ? suffix : undefined;
}

/** The mark of the installation that generated the name, as far as 20 bits tell; undefined: no operator has generated it. */
export function markOf(name: string): string | undefined {
  return tagOf(name)?.slice(0, markLength);
}

/** What the name begins with, before the tag. */
export function baseOf(name: string): string {
  return tagOf(name) === undefined ? name : name.slice(0, name.lastIndexOf('-'));
}

/** A name that the service accepts, at most `limit` characters: lower case, starting with a letter, without dots. */
export function baseName(name: string, limit: number): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '');
  const lettered = /^[a-z]/.test(plain) ? plain : `c${plain}`;
  return lettered.slice(0, limit).replace(/-+$/, '');
}

export const templateBaseLimit = 24;

/** The mark of the installation that made an object, from its name, or, where a user has fixed that, from the name of the template that it was started from. */
export function makerMark(name: string, template: string | undefined): string | undefined {
  const mark = markOf(name);
  if (mark !== undefined || template === undefined) return mark;
  // The private template of a fixed name begins with it. One that many objects are started from tells nothing of who started this one.
  return baseOf(template) === baseName(name, templateBaseLimit) ? markOf(template) : undefined;
}
