// The digest of a file, which is read piece by piece.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** In hexadecimal digits. Rejects if the file cannot be read. */
export async function fileDigest(file: string, algorithm: 'sha256' | 'sha512' = 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
