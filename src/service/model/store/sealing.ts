// Encrypts and authenticates what is stored, with AES-256-GCM and the key of a file.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Log } from '../../../lib/ports.ts';
import { readPrivate } from './private-files.ts';

/** `place` identifies the sealed item. Sealed bytes that are moved to another place cannot be opened there. */
export interface Seal {
  close(place: string, bytes: Uint8Array): Uint8Array;
  /** Throws if the bytes were sealed with another key or for another place, or have changed since. */
  open(place: string, sealed: Uint8Array): Uint8Array;
}

const [algorithm, keyBytes, nonceBytes, tagBytes] = ['aes-256-gcm', 32, 12, 16] as const;

/** The key in a file: 32 bytes in base64. Messages quote nothing of it. Throws `cannot read key file FILE: ...`. */
const readKey = (file: string, log: Log): KeyObject =>
  readPrivate({ what: 'key file', file, log }, (text) => {
    const key = Buffer.from(text, 'base64');
    if (key.length !== keyBytes || key.toString('base64') !== text.trim())
      throw new Error(`it does not hold ${keyBytes} bytes in base64; make one with openssl rand -base64 ${keyBytes}`);
    return createSecretKey(key);
  });

function createSeal(key: KeyObject, createNonce: (count: number) => Uint8Array): Seal {
  return {
    close(place, bytes) {
      const nonce = createNonce(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
      const sealed = [cipher.update(bytes), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    open(place, sealed) {
      const [nonce, rest] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes)];
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
      decipher.setAuthTag(rest.subarray(0, tagBytes));
      return Buffer.concat([decipher.update(rest.subarray(tagBytes)), decipher.final()]);
    },
  };
}

/** The seal with the key in a file. `createNonce` must be cryptographically random, never seeded: if a nonce repeats, sealed bytes can be forged. */
export const readSeal = (file: string, log: Log, createNonce: (count: number) => Uint8Array): Seal =>
  createSeal(readKey(file, log), createNonce);
