// Reads tokens from a file, which is not visible to other users of the machine, unlike a command line.
import type { Log } from '../../lib/ports.ts';
import { readPrivate } from '../store/private-files.ts';
import { type Grant, parseGrant } from './authentication.ts';

/** Messages quote nothing of a line, because it contains a secret. */
function parseTokens(text: string): readonly Grant[] {
  const lines = text.split('\n').map((line) => line.trim());
  const wrong = lines.findIndex((line) => line.startsWith('='));
  if (wrong >= 0) throw new Error(`line ${wrong + 1} has no token; write TOKEN or TOKEN=TENANT`);
  const grants = lines.filter((line) => line !== '').map(parseGrant);
  if (grants.length === 0) throw new Error('it has no token; write TOKEN or TOKEN=TENANT, a line each');
  return grants;
}

/** Throws `cannot read token file FILE: ...`. */
export const readTokens = (file: string, log: Log): readonly Grant[] =>
  readPrivate({ what: 'token file', file, log }, parseTokens);
