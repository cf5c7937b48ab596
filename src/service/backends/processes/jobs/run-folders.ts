// Where runs are: a folder for each one, which outlives the service and the cluster, and goes with its execution. Only the run needs the folder of its program.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSafely } from '../../../model/disk/atomic-files.ts';
import { bytesOfRun } from '../../../model/disk/disk-usage.ts';

/** The paths of one run. */
export interface RunPaths {
  readonly folder: string;
  /** Its first process, or a tombstone. Whoever makes this file first decides whether the run starts. */
  readonly record: string;
  /** The exit code of its program, once that has ended. */
  readonly exitCode: string;
  /** The output of its program, in parts. */
  readonly output: string;
  /** What goes wrong before the program starts. */
  readonly log: string;
  /** Where its program runs. */
  readonly work: string;
  /** The identifier of its cluster. */
  readonly cluster: string;
  /** A file of the run that is on its way. */
  readonly incoming: string;
}

/** Folders with this beginning are being removed. No identifier begins with it. */
const gone = '.gone-';

export class RunFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  paths(run: string): RunPaths {
    const folder = join(this.#root, run);
    const at = (name: string) => join(folder, name);
    return {
      folder,
      record: at('process'),
      exitCode: at('exit-code'),
      output: at('output'),
      log: at('start.log'),
      work: at('work'),
      cluster: at('cluster'),
      incoming: at('incoming'),
    };
  }

  make(run: string, cluster: string): RunPaths {
    const paths = this.paths(run);
    for (const folder of [paths.work, paths.output]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeSafely(paths.cluster, cluster);
    return paths;
  }

  /** The runs that were made for the cluster. Those of earlier versions, which did not record it, are left out. */
  on(cluster: string): readonly string[] {
    if (!existsSync(this.#root)) return [];
    const runs = readdirSync(this.#root).filter((name) => !name.startsWith(gone));
    const isOnCluster = (file: string) => existsSync(file) && readFileSync(file, 'utf8') === cluster;
    return runs.filter((run) => isOnCluster(this.paths(run).cluster));
  }

  /** Removes what only the program needs. It has ended. */
  async drop(run: string): Promise<void> {
    const { work, incoming } = this.paths(run);
    for (const path of [work, incoming]) await rm(path, { recursive: true, force: true });
  }

  /** What the run takes on the disk, without folders that its program has made. */
  bytes(run: string): number {
    return bytesOfRun(this.paths(run));
  }

  /** The folder is gone at once. Its files are removed afterwards. */
  remove(run: string): void {
    const { folder } = this.paths(run);
    if (!existsSync(folder)) return;
    renameSync(folder, join(this.#root, `${gone}${run}`));
    void this.sweep();
  }

  /** Removes what an earlier life of the service has left: files that were on their way, and those that only the program needed. Rejects if it cannot. */
  async clean(): Promise<void> {
    for (const run of existsSync(this.#root) ? readdirSync(this.#root) : []) {
      const { incoming, exitCode } = this.paths(run);
      if (existsSync(exitCode)) await this.drop(run);
      else rmSync(incoming, { force: true });
    }
  }

  /** Removes the files of all runs that were removed, also by an earlier life of the service. Never rejects. */
  async sweep(): Promise<void> {
    if (!existsSync(this.#root)) return;
    const left = readdirSync(this.#root).filter((name) => name.startsWith(gone));
    // A file that cannot be removed now is tried again later.
    await Promise.allSettled(left.map((name) => rm(join(this.#root, name), { recursive: true, force: true })));
    if (existsSync(this.#root) && readdirSync(this.#root).length === 0) rmdirSync(this.#root);
  }
}

/** An address of 127.78.0.0/16, so that the usual ports are free. Two runs at a time hardly ever share one, and then the later one takes other ports. */
export function addressOf(run: string): string {
  const [third = 0, fourth = 0] = createHash('sha256').update(run).digest();
  return `127.78.${third}.${(fourth % 254) + 1}`;
}
