// Files with secrets: created for their owner only, with a warning if others can open them.
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import type { Log } from '../../../lib/ports.ts';
import { readSettings } from '../../../lib/settings-file.ts';

const ownerOnly = 0o600;
const groupAndOthers = 0o077;
const others = 0o007;

/** Creates an empty file that only the owner can open, whatever the umask, unless it exists. */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', ownerOnly));
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
  }
}

/** Warns, with a remedy, if others can open the file. A missing file is no problem. */
export function warnIfShared(what: string, file: string, log: Log): void {
  if (!existsSync(file)) return;
  const { mode: bits, uid } = statSync(file);
  const mode = bits & 0o777;
  // A file of another user is read through its group, as in a volume of Kubernetes: its owner has chosen who is in that group.
  const forbidden = uid === process.getuid?.() ? groupAndOthers : others;
  if ((mode & forbidden) === 0) return;
  log.warn(
    { action: 'check-file', name: file },
    `${what} ${file} holds secrets, and its mode ${mode.toString(8)} lets others open it; run chmod 600 ${file}`,
  );
}

/** Like `readSettings`, with a warning if others can open the file. */
export function readPrivate<Result>(
  at: { readonly what: string; readonly file: string; readonly log: Log },
  read: (text: string) => Result,
): Result {
  warnIfShared(at.what, at.file, at.log);
  return readSettings(at.what, at.file, read);
}
