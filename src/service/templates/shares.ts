// Shares of the cloud's file systems that are mounted on nodes. Which there are nobody here knows: any identifier is one.
import type { Share } from '../../wire/node-group-template.ts';
import { invalidData } from '../http/refusal.ts';

/** Each has a place of its own in the file system of a node. */
export function checkShares(shares: readonly Share[] = []): void {
  const paths = shares.flatMap(({ path }) => path ?? []);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw invalidData(`cannot mount shares: two have the path ${twice}`);
  const wrong = paths.find((path) => !path.startsWith('/') || path.includes('\0'));
  if (wrong !== undefined) throw invalidData(`cannot mount shares: ${JSON.stringify(wrong)} is no absolute path`);
}
