// How much is on the disk.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** In the folder of the program of a run: what is not of its job. The names of files of jobs begin with no dot. */
export const suppliesFolder = '.packages';

/** In bytes: what keeps most of a run, in three folders and a file, without other folders below these. What is not there counts as nothing. */
export const bytesOfRun = ({
  work,
  output,
  incoming,
}: Readonly<Record<'work' | 'output' | 'incoming', string>>): number =>
  bytesIn(work) + bytesIn(join(work, suppliesFolder)) + bytesIn(output) + bytesOf(incoming);

function bytesIn(folder: string): number {
  // Files and the folder can be removed meanwhile.
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return (isFolder ? readdirSync(folder) : []).reduce((sum, name) => sum + bytesOf(join(folder, name)), 0);
}

function bytesOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : 0;
}
