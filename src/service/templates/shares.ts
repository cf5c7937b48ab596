// Shares of the cloud's file systems that are mounted on nodes. The service accepts any identifier, because it does not know which shares
// exist.
import type { Share } from '../../wire/node-group-template.ts';
import { invalidData } from '../http/refusal.ts';

/** Throws unless each share has a mount path of its own. */
export function checkShares(shares: readonly Share[] = []): void {
  const paths = shares.flatMap(({ path }) => path ?? []);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw invalidData(`cannot mount shares: two have the path ${twice}`);
  const wrong = paths.find((path) => !path.startsWith('/') || path.includes('\0'));
  if (wrong !== undefined) throw invalidData(`cannot mount shares: ${JSON.stringify(wrong)} is no absolute path`);
}
