// Small files that decide something: after a full disk or a power loss each one is absent or whole, and never empty or cut.
import nodeFs from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../../lib/errors.ts';

/** The calls whose order decides what a power loss leaves. Tests replace them. */
export type FileCalls = Pick<
  typeof nodeFs,
  | 'existsSync'
  | 'mkdirSync'
  | 'openSync'
  | 'writeFileSync'
  | 'fsyncSync'
  | 'closeSync'
  | 'linkSync'
  | 'renameSync'
  | 'rmSync'
>;

/** Names of files that are being written end like this. */
export const unfinishedEnd = '.new';

/**
 * Makes the file at most once, whoever asks how often. It needs a file system with hard links. Returns whether it was this call that made the file. Throws
 * the error of the system if nobody has made it, for example ENOSPC, and can then be called again.
 */
export function writeOnce(file: string, text: string, fs: FileCalls = nodeFs): boolean {
  const unfinished = `${file}${unfinishedEnd}`;
  try {
    // On a full volume, what somebody else has made is as good as with room.
    if (fs.existsSync(file)) return false;
    writeWhole(unfinished, text, fs);
    fs.linkSync(unfinished, file);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return false;
  } finally {
    fs.rmSync(unfinished, { force: true });
    // Also a file of others must not be lost after somebody has relied on it.
    syncFolder(dirname(file), fs);
  }
}

/**
 * Makes the file, or replaces it. Only the user of the service can read it. `unfinished`: where it is written first, for files that several write at a time.
 * Throws the error of the system, for example ENOSPC, and then leaves the file as it was.
 */
export function writeSafely(
  file: string,
  text: string,
  unfinished = `${file}${unfinishedEnd}`,
  fs: FileCalls = nodeFs,
): void {
  makeFolder(dirname(file), fs);
  try {
    writeWhole(unfinished, text, fs);
    fs.renameSync(unfinished, file);
  } catch (error) {
    fs.rmSync(unfinished, { force: true });
    throw error;
  }
  syncFolder(dirname(file), fs);
}

/** The text of the file. An absent or empty one is first made with what `create` returns. Throws as `writeSafely` does. */
export function readOrMake(file: string, create: () => string): string {
  const kept = nodeFs.existsSync(file) ? nodeFs.readFileSync(file, 'utf8') : '';
  if (kept !== '') return kept;
  const made = create();
  writeSafely(file, made);
  return made;
}

/** Throws if that cannot be found out, which does not mean that it is gone. */
export const isThere = (path: string): boolean => nodeFs.statSync(path, { throwIfNoEntry: false }) !== undefined;

/** The names of the folders in a folder, but for those that are being removed. */
export function foldersIn(folder: string): readonly string[] {
  if (!nodeFs.existsSync(folder)) return [];
  const entries = nodeFs.readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

/** Makes the folder, for the user of the service only, and the ones that it is in. A power loss does not remove it. */
export function makeFolder(folder: string, fs: FileCalls = nodeFs): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made), fs);
    if (made === first) return;
  }
}

function writeWhole(file: string, text: string, fs: FileCalls): void {
  // One that a crash has left can be the same file as one that counts: to write to it would change both.
  fs.rmSync(file, { force: true });
  const opened = fs.openSync(file, 'wx', 0o600);
  try {
    fs.writeFileSync(opened, text);
    fs.fsyncSync(opened);
  } finally {
    fs.closeSync(opened);
  }
}

/** Makes what is in the file durable. Others go on meanwhile: it can be large. */
export async function syncFile(file: string): Promise<void> {
  const opened = await open(file);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** Makes the names in the folder durable. */
export function syncFolder(folder: string, fs: FileCalls = nodeFs): void {
  const opened = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(opened);
  } finally {
    fs.closeSync(opened);
  }
}
