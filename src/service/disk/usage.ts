// How much is on the disk.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of the files in the folder, without those in folders below. 0 if there is no such folder. */
export function bytesIn(folder: string): number {
  // Files and the folder can be removed meanwhile.
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  const sizes = (isFolder ? readdirSync(folder) : []).map((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() === true ? found.size : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
