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
