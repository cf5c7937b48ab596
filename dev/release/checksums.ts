// The digests of all files of a release, as `sha256sum --check SHA256SUMS` reads them.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileDigest } from '../../src/lib/fetch/file-digest.ts';

const list = 'SHA256SUMS';

/** Writes the list and returns its lines. */
export async function writeChecksums(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name !== list).toSorted();
  const lines = await Promise.all(names.map(async (name) => `${await fileDigest(join(folder, name))}  ${name}`));
  await writeFile(join(folder, list), `${lines.join('\n')}\n`);
  return lines;
}
