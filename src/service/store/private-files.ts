// Files that hold secrets: made for their owner alone, and told about where others may open them, too.
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import type { Log } from '../../lib/ports.ts';
import { readTold } from '../command-line/settings-file.ts';

const ownerOnly = 0o600;
const others = 0o077;

/** Makes an empty file unless there is one. Whatever the umask, nobody but the owner may open it. */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', ownerOnly));
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
  }
}

/** A warning that names the file and the remedy. A file that is not there is no problem. */
export function warnIfShared(what: string, file: string, log: Log): void {
  if (!existsSync(file)) return;
  const mode = statSync(file).mode & 0o777;
  if ((mode & others) === 0) return;
  log.warn(
    { action: 'check-file', name: file },
    `${what} ${file} holds secrets, and its mode ${mode.toString(8)} lets others open it; run chmod 600 ${file}`,
  );
}

/** As `readTold` does, with a warning where others may open the file. */
export function readPrivate<Result>(
  at: { readonly what: string; readonly file: string; readonly log: Log },
  read: (text: string) => Result,
): Result {
  warnIfShared(at.what, at.file, at.log);
  return readTold(at.what, at.file, read);
}
