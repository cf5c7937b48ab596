// Which errors mean that there is no room. PURE.
import { hasCode } from '../../../lib/errors.ts';

/** SQLITE_FULL */
const sqliteFull = 13;

/** Whether the error, or one that caused it, says that the disk or the user's part of it is full. */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFull = 'errcode' in error && error.errcode === sqliteFull;
  return isFull || hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT') || isNoSpace(error.cause);
}

/** What programs print about it. pip prints the number, too. */
const printed = { ENOSPC: /\[Errno 28\]|No space left on device/i, EDQUOT: /\[Errno 122\]|Disk quota exceeded/i };

/** The code of the system if a program has ended because it met a full disk, by what it has printed. */
export const fullCodeIn = (output: string): string | undefined =>
  Object.entries(printed).find(([, form]) => form.test(output))?.[0];
