// What the service keeps of runs: a folder for each one, which outlives the service, and goes with its execution. Each backend adds files of its own.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../lib/ports.ts';
import { foldersIn, isThere, syncFolder, writeSafely } from '../../model/disk/atomic-files.ts';
import { bytesOfRun } from '../../model/disk/disk-usage.ts';
import { anyRoom, type Room } from '../../model/disk/volume.ts';
import type { BringOptions } from './binaries.ts';
import { type Decision, decisionIn, writeTombstone } from './start-permit.ts';

const names = {
  /** The files that the program needs. */
  work: 'work',
  /** The output of its program, in parts. */
  output: 'output',
  /** A file of the run that is on its way. */
  incoming: 'incoming',
  /** Of processes: the exit code of the program, once that has ended, and what goes wrong before it starts. */
  exitCode: 'exit-code',
  log: 'start.log',
  /** Of processes that have left no exit code: all of them were ended. */
  ended: 'ended',
  /** What the program can take, in MiB. */
  memory: 'memory',
  /** Of pods: what gets a pod its files and its permit, which files these are, and how far the output was copied. */
  token: 'token',
  files: 'files.json',
  position: 'position.json',
  /** Of pods: the run is not needed any more, but its objects may still be there. */
  forgotten: 'forgotten',
} as const;

/** Folders with this beginning are being removed. No identifier begins with it. */
const gone = '.gone-';

export type RunPaths = Readonly<Record<'folder' | 'decision' | 'where' | keyof typeof names, string>>;

/** `room`: the volume of the folder. When absent: nothing is known of it. */
export interface OpenFiles {
  readonly room?: Room;
  readonly log?: Log | undefined;
}

export abstract class RunFiles {
  /** Moves a complete file to its place in a run: see `bring`. */
  readonly keep?: BringOptions['keep'];
  readonly room: Room;
  protected readonly root: string;
  protected readonly log: Log | undefined;
  readonly #names: Readonly<Record<string, string>>;

  /** `own`: the names of the file with the permit or the tombstone, see start-permit.ts, and of the one by whose text the run is found again. */
  constructor(root: string, own: Pick<RunPaths, 'decision' | 'where'>, { room = anyRoom, log }: OpenFiles = {}) {
    this.root = root;
    this.room = room;
    this.log = log;
    this.#names = { ...names, ...own };
  }

  paths(run: string): RunPaths {
    const folder = join(this.root, run);
    const files = Object.entries(this.#names).map(([name, file]) => [name, join(folder, file)]);
    return { folder, ...Object.fromEntries(files) } as RunPaths;
  }

  /** All runs, without those that are being removed. */
  protected all(): readonly string[] {
    return foldersIn(this.root);
  }

  /** Makes the folder of the run, before anything else of it. */
  make(run: string, where: string): void {
    const paths = this.paths(run);
    writeSafely(paths.where, where);
    for (const folder of [paths.work, paths.output]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Takes the folder of the run away as a whole, so that it is found by its new name until its last file is removed, whatever happens meanwhile. Returns where
   * it is, or was.
   */
  protected takeAway(run: string): string {
    const { folder } = this.paths(run);
    const taken = existsSync(folder) ? this.moveAway(folder, run) : this.takenTo(run);
    // Also after an earlier call has failed here.
    if (existsSync(taken)) syncFolder(this.root);
    return taken;
  }

  /** Returns where it is now, to be removed. */
  protected moveAway(path: string, name: string): string {
    const taken = this.takenTo(name);
    rmSync(taken, { recursive: true, force: true });
    this.room.insist(() => renameSync(path, taken));
    return taken;
  }

  protected takenTo(run: string): string {
    return join(this.root, `${gone}${run}`);
  }

  /** The runs whose folders were taken away, but not yet removed, also by an earlier life of the service. */
  get gone(): readonly string[] {
    const left = existsSync(this.root) ? readdirSync(this.root) : [];
    return left.filter((name) => name.startsWith(gone)).map((name) => name.slice(gone.length));
  }

  decision(run: string): Decision | undefined {
    return decisionIn(this.paths(run).decision);
  }

  /** From now on, the run does not start unless it was started before. Returns what was decided, by whomever. */
  bar(run: string): Decision {
    const unneeded = this.decision(run) === undefined ? this.neededToStart(run) : [];
    return writeTombstone(this.paths(run).decision, this.room, unneeded);
  }

  /** The paths that only a run that waits for its start needs. */
  protected neededToStart(run: string): readonly string[] {
    const { work, incoming } = this.paths(run);
    return [work, incoming];
  }

  /** What the run takes on the disk, without folders that its program has made. A file that several runs wait with counts for each of them. */
  bytes(run: string): number {
    return bytesOfRun(this.paths(run));
  }

  /** Whether there is output of the run, or can be. */
  hasOutput(run: string): boolean {
    return isThere(this.paths(run).decision);
  }

  /** Drops files that were gathered in vain, unless a process can be about to start with them. Never throws. */
  discard(_run: string): void {}
  /** Removes what only the program needs, which has ended. Never throws. */
  abstract release(run: string): void;
}
