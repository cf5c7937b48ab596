// The start permit of a run and its tombstone: one file, which is made at most once. Whoever makes it first decides whether the program of the run starts,
// in all lives of the service. A process makes it itself, with its record; the service makes it for a pod that asks.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isThere, makeFolder, writeOnce } from '../../model/disk/atomic-files.ts';
import { insistWithout, type Room } from '../../model/disk/volume.ts';

/** `started`: the program may have been started. `killed`: it must not be any more. */
export type Decision = 'started' | 'killed';

/** The header with what the runner of a pod has drawn for itself. Absent: a runner of an earlier release, which gets its permit once. */
export const runnerHeader = 'x-runner';

const tombstone: Decision = 'killed';

/**
 * Undefined as long as nobody has decided. A file without a text, which earlier releases could leave on a full disk, counts as started: whoever made it may
 * have started the program. Throws if the file cannot be read.
 */
export function decisionIn(file: string): Decision | undefined {
  if (!isThere(file)) return undefined;
  return readFileSync(file, 'utf8') === tombstone ? 'killed' : 'started';
}

/** Writes the tombstone, unless somebody has decided. On a full volume without a reserve, `unneeded` is removed first. Returns what was decided, by whomever. */
export function writeTombstone(file: string, room: Room, unneeded: readonly string[]): Decision {
  const isOurs = insistWithout(room, unneeded, () => {
    makeFolder(dirname(file));
    return writeOnce(file, tombstone);
  });
  return isOurs ? 'killed' : (decisionIn(file) ?? 'started');
}

/**
 * Gives the permit to one runner, which gets it again, because the answer can be lost. `runner`: what it has drawn for itself. Empty: it gets the permit once.
 * Returns whether it has the permit, and since when. Throws if that cannot be recorded; the permit can then be asked for again.
 */
export function givePermit(file: string, runner: string, room: Room): 'now' | 'before' | undefined {
  const permit = runner === '' ? 'started' : `started ${runner}`;
  if (room.insist(() => writeOnce(file, permit))) return 'now';
  return runner !== '' && isThere(file) && readFileSync(file, 'utf8') === permit ? 'before' : undefined;
}
