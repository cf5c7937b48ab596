// Where runs are that are processes of this computer. Only the run needs the folder of its program.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { slicesOf } from '../../../../lib/timing/slices.ts';
import { isThere } from '../../../model/disk/atomic-files.ts';
import { Removed } from '../../removed.ts';
import { type OpenFiles, RunFiles } from '../../runs/run-files.ts';
import type { Decision } from '../../runs/start-permit.ts';

export class RunFolders extends RunFiles {
  /** A submission that has not ended must not start them. */
  readonly #removed = new Removed();

  /** `process` is the record of the first process of a run, or its tombstone. `cluster` is the identifier of its cluster. */
  constructor(root: string, options?: OpenFiles) {
    super(root, { decision: 'process', where: 'cluster' }, options);
  }

  override decision(run: string): Decision | undefined {
    return this.#removed.has(run) ? 'killed' : super.decision(run);
  }

  /** The runs that were made for the cluster. Those of earlier versions, which did not record it, are left out. */
  async on(cluster: string): Promise<readonly string[]> {
    const isOnCluster = (file: string) => existsSync(file) && readFileSync(file, 'utf8') === cluster;
    const found: string[] = [];
    for await (const slice of slicesOf(this.all()))
      found.push(...slice.filter((run) => isOnCluster(this.paths(run).where)));
    return found;
  }

  /** The programs that may run, or be about to, and the memory that each can take, in MiB. Those of earlier versions, which did not record it, are left out. */
  get memory(): ReadonlyMap<string, number> {
    const found = this.all().flatMap((run) => {
      const { memory, exitCode } = this.paths(run);
      const text = existsSync(memory) && !isThere(exitCode) ? readFileSync(memory, 'utf8') : '';
      return /^[1-9]\d{0,8}$/.test(text) ? [[run, Number(text)] as const] : [];
    });
    return new Map(found);
  }

  /** They are gone at once, so nobody counts them as kept. They are removed afterwards. */
  release(run: string): void {
    this.#drop(run).catch((err: unknown) => {
      // The next life of the service tries it again, and they go with the execution at the latest.
      this.log?.warn({ kind: 'JobExecution', externalId: run, err }, 'cannot remove the files of a run that is over');
    });
  }

  async #drop(run: string): Promise<void> {
    const there = this.neededToStart(run).filter((path) => existsSync(path));
    // All of them before the first one is waited for.
    const moved = there.map((path) => this.moveAway(path, `${run}-${basename(path)}`));
    for (const path of moved) await rm(path, { recursive: true, force: true });
  }

  /** The folder is gone at once. Its files are removed afterwards. Throws if that cannot be, and can then be called again. */
  remove(run: string): void {
    this.#removed.add(run);
    if (existsSync(this.takeAway(run))) void this.sweep();
  }

  /** Removes what an earlier life of the service has left: files that were on their way, and those that only the program needed. Rejects if it cannot. */
  async clean(): Promise<void> {
    const over: string[] = [];
    for (const run of this.all())
      if (this.#isOver(run)) over.push(run);
      else rmSync(this.paths(run).incoming, { force: true });
    for (const run of over) await this.#drop(run);
  }

  /** Whether its program has ended or never starts, and nothing of it is left. A run that was killed has no exit code. */
  #isOver(run: string): boolean {
    const { exitCode, ended } = this.paths(run);
    return isThere(exitCode) || isThere(ended) || this.decision(run) === 'killed';
  }

  /** Removes the files of all runs that were removed, also by an earlier life of the service. Never rejects. */
  async sweep(): Promise<void> {
    // A file that cannot be removed now is tried again later.
    await Promise.allSettled(this.gone.map((run) => rm(this.takenTo(run), { recursive: true, force: true })));
    if (existsSync(this.root) && readdirSync(this.root).length === 0) rmdirSync(this.root);
  }
}

/** An address of 127.78.0.0/16, so that the usual ports are free. Two runs at a time hardly ever share one, and then the later one takes other ports. */
export function addressOf(run: string): string {
  const [third = 0, fourth = 0] = createHash('sha256').update(run).digest();
  return `127.78.${third}.${(fourth % 254) + 1}`;
}
