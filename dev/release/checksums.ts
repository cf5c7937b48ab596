// The digests of all files of a release, as `sha256sum --check SHA256SUMS` reads them.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const list = 'SHA256SUMS';

/** Writes the list and returns its lines. */
export async function writeChecksums(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name !== list).toSorted();
  const lines = await Promise.all(names.map(async (name) => `${await digestOf(join(folder, name))}  ${name}`));
  await writeFile(join(folder, list), `${lines.join('\n')}\n`);
  return lines;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
