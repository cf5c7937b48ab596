// A key of a ConfigMap or Secret whose bytes are a file: its bytes, and a digest that shows whether they changed. PURE.
import { createHash, createHmac } from 'node:crypto';
import type { FileDigest, RawResource } from './definition.ts';

const entryOf = (entries: Readonly<Record<string, string>> | undefined, key: string): string | undefined =>
  entries !== undefined && Object.hasOwn(entries, key) ? entries[key] : undefined;

/** Undefined: there is no such key, or only its digest is known. */
export const bytesOf = ({ kind, data, binaryData }: RawResource, key = ''): Buffer | undefined => {
  const value = entryOf(data, key);
  if (kind === 'ConfigMap' && value !== undefined) return Buffer.from(value, 'utf8');
  const coded = value ?? entryOf(binaryData, key);
  return coded === undefined ? undefined : Buffer.from(coded, 'base64');
};

/** Of bytes that everybody may know who may read the resource. */
export const plainDigest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/**
 * The digest of a key; undefined: there is no such key. Whoever may read a resource sees a hash that depends on it, and must not be able to
 * try what a Secret contains: so the digest of a Secret is keyed with its uid, as that of credentials is.
 */
export const fileDigest = (holder: RawResource, key: string): FileDigest | undefined => {
  const known = holder.files !== undefined && Object.hasOwn(holder.files, key) ? holder.files[key] : undefined;
  const bytes = known ? undefined : bytesOf(holder, key);
  if (bytes === undefined) return known;
  const { kind, metadata } = holder;
  const digest =
    kind === 'Secret' ? createHmac('sha256', metadata.uid).update(bytes).digest('hex') : plainDigest(bytes);
  return { digest, size: bytes.length };
};
