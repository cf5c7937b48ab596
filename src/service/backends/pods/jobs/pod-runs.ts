// What the service keeps of runs in pods: their files until they start, their tokens, and how far their output was copied.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSameSecret } from '../../../../lib/secrets.ts';
import { readOrMake, syncFolder, unfinishedEnd, writeSafely } from '../../../model/disk/atomic-files.ts';
import { ParsedFiles } from '../../../model/disk/parsed-files.ts';
import { insistWithout } from '../../../model/disk/volume.ts';
import { type OpenFiles, RunFiles } from '../../runs/run-files.ts';
import { type Decision, givePermit } from '../../runs/start-permit.ts';
import { Contents } from './contents.ts';
import type { LogPosition } from './log-reader.ts';

/** A file that a pod needs, by its path in the folder of the run. */
export interface RunFile {
  readonly path: string;
  readonly bytes: number;
  /** The address of the pod takes the place of `placeholder` in it. */
  readonly isTemplate: boolean;
  /** When absent, because an earlier release has made the list: `anyAddress`. */
  readonly placeholder?: string;
}

interface RunTemplates {
  readonly templates: ReadonlySet<string>;
  readonly placeholder: string;
}

/** Stands for the address of the pod of a run that is not prepared. */
export const anyAddress = 'address-of-the-run';

/** Undefined if the file is missing, or empty, as a full disk or a power loss could leave those of earlier releases. */
function readText(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text === '' ? undefined : text;
}

/** Undefined if the file is missing, empty, cut, or something else. */
function readJson<T>(file: string, isThat: (value: unknown) => boolean): T | undefined {
  try {
    const value: unknown = JSON.parse(readText(file) ?? 'null');
    return isThat(value) ? (value as T) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isPosition(value: unknown): boolean {
  const { time, lines, total } = (value ?? {}) as Partial<LogPosition>;
  return typeof time === 'string' && /^-?\d+$/.test(time) && Number.isInteger(lines) && Number.isInteger(total);
}

/** In UUID form. The runner loads this file, so it imports no schemas. */
const identifier = /^[\da-f]{8}(-?[\da-f]{4}){3}-?[\da-f]{12}$/i;
export const isIdentifier = (text: string): boolean => identifier.test(text);

/** The folders in which the files are, from the one to which their paths are relative. */
function foldersBetween(folder: string, paths: readonly string[]): ReadonlySet<string> {
  const found = new Set([folder]);
  for (const path of paths)
    for (let inner = dirname(path); inner !== '.'; inner = dirname(inner)) found.add(join(folder, inner));
  return found;
}

/** A pod asks for one file after the other. Of the lists of runs whose pods do so at the same time, so much is kept in memory: a few times as many bytes. */
const listBytes = 8 * 1024 ** 2;

export class PodRuns extends RunFiles {
  readonly contents: Contents;
  readonly #lists = new ParsedFiles((file) => readJson<readonly RunFile[]>(file, Array.isArray), listBytes);
  override readonly keep = (...file: Parameters<Contents['place']>): void => this.contents.place(...file);

  /** `namespace` is that of the objects of a run. */
  constructor(root: string, options?: OpenFiles) {
    super(root, { decision: 'decision', where: 'namespace' }, options);
    this.contents = new Contents(join(root, '.contents'));
  }

  /** Removes what an earlier life of the service has left: files that were on their way, and those of runs that nobody may start any more. */
  sweep(): void {
    for (const run of this.all()) {
      const { folder, incoming } = this.paths(run);
      const unfinished = readdirSync(folder).filter((name) => name.endsWith(unfinishedEnd));
      for (const file of [incoming, ...unfinished.map((name) => join(folder, name))]) rmSync(file, { force: true });
      if (this.decision(run) !== undefined) this.#dropFiles(run);
    }
    this.contents.collect();
  }

  /** The token stays, so that another pod of the run learns why it cannot start. */
  protected override neededToStart(run: string): readonly string[] {
    return [this.paths(run).files, ...super.neededToStart(run)];
  }

  /** Settles the race between the pod that wants to start and a kill. */
  override bar(run: string): Decision {
    const decided = super.bar(run);
    if (decided === 'killed') this.release(run);
    return decided;
  }

  /** Gives the start permit: see `givePermit`. The pod has all files by then, so they are dropped. */
  start(run: string, runner = ''): boolean {
    const { folder, decision } = this.paths(run);
    const given = existsSync(folder) ? givePermit(decision, runner, this.room) : undefined;
    if (given === 'now') this.release(run);
    return given !== undefined;
  }

  release(run: string): void {
    try {
      // Most runs that are released were released before. To look at all copies takes time.
      if (!this.neededToStart(run).some((path) => existsSync(path))) return;
      this.#dropFiles(run);
      this.#collect();
    } catch (err) {
      // The next life of the service removes them.
      this.log?.warn({ kind: 'JobExecution', externalId: run, err }, 'cannot remove the files of a run yet');
    }
  }

  override discard(run: string): void {
    this.release(run);
  }

  /** What has become free is for deletions first. */
  #collect(): void {
    this.contents.collect();
    if (this.room.isFull) this.room.refresh();
  }

  #dropFiles(run: string): void {
    for (const path of this.neededToStart(run)) rmSync(path, { recursive: true, force: true });
  }

  /** The token of the run: whoever has it gets its files and its permit. An empty file, which earlier releases could leave on a full disk, is none. */
  token(run: string, create: () => string): string {
    return readOrMake(this.paths(run).token, create);
  }

  /** Compares in constant time, and admits nobody without a token. Only identifiers become paths: `run` comes from whoever reaches the port. */
  admits(run: string, token: string): boolean {
    if (!isIdentifier(run)) return false;
    const { token: file } = this.paths(run);
    return existsSync(file) && isSameSecret(readFileSync(file, 'utf8'), token);
  }

  /**
   * Stands for the address of the pod in the files of the run. It has a random part, so no text of a user contains it. Once the files are published, it stays
   * the same, because a pod can be about to read them.
   */
  placeholder(run: string, random: () => string): string {
    const [template] = this.files(run)?.filter(({ isTemplate }) => isTemplate) ?? [];
    return template === undefined ? `${anyAddress}-${random()}` : (template.placeholder ?? anyAddress);
  }

  /** Records which files the pod gets, and those with its address in them. */
  publish(run: string, paths: readonly string[], { templates, placeholder }: RunTemplates): void {
    const { files, work } = this.paths(run);
    const list: readonly RunFile[] = paths.map((path) => ({
      path,
      bytes: statSync(join(work, path)).size,
      isTemplate: templates.has(path),
      placeholder,
    }));
    // What the list names is there after a power loss, too. Once for all files: it takes as long as the disk does.
    for (const folder of foldersBetween(work, paths)) syncFolder(folder);
    writeSafely(files, JSON.stringify(list));
  }

  /** Undefined as long as they are not complete. Earlier releases could leave an empty or cut list, which the next submission makes again. */
  files(run: string): readonly RunFile[] | undefined {
    return this.#lists.get(this.paths(run).files);
  }

  /** How far the log of the program was copied. Undefined if it was not, or if nobody knows any more. */
  logPosition(run: string): LogPosition | undefined {
    return readJson(this.paths(run).position, isPosition);
  }

  /** Whether there was a position, and a power loss has made it useless. */
  hasLostPosition(run: string): boolean {
    return existsSync(this.paths(run).position) && this.logPosition(run) === undefined;
  }

  /** Removes the output: it is copied again from the beginning. */
  async dropOutput(run: string): Promise<void> {
    const { output, position } = this.paths(run);
    // In this order, so that a crash does not leave an output of unknown length without its position.
    for (const path of [output, position]) await rm(path, { recursive: true, force: true });
  }

  /** A crash of the service leaves the earlier position, or this one. A power loss can leave neither. Rejects if the run was removed. */
  async keepLogPosition(run: string, position: LogPosition): Promise<void> {
    const { position: file } = this.paths(run);
    const unfinished = `${file}${unfinishedEnd}`;
    await writeFile(unfinished, JSON.stringify(position), { mode: 0o600 });
    await rename(unfinished, file);
  }

  /** Undefined if nothing was made of the run, or an earlier version has made it. */
  namespace(run: string): string | undefined {
    return readText(this.paths(run).where);
  }

  /** Where runs have begun, as far as something is kept of them. */
  namespacesOfStarted(): ReadonlySet<string> {
    const started = this.all().filter((run) => this.decision(run) === 'started');
    return new Set(started.flatMap((run) => this.namespace(run) ?? []));
  }

  /** The run is not needed any more, but its objects may still be there. */
  forget(run: string, namespace: string): void {
    const { forgotten, token, output, position } = this.paths(run);
    insistWithout(this.room, [token, output, position], () => writeSafely(forgotten, namespace));
  }

  /** Undefined if nobody knows it any more. Then what is left of the run is found by its labels, like that of a run without a record. */
  namespaceOfForgotten(run: string): string | undefined {
    return readText(this.paths(run).forgotten) ?? this.namespace(run);
  }

  /** Runs whose objects have to be removed. */
  get forgotten(): readonly string[] {
    return this.all().filter((run) => existsSync(this.paths(run).forgotten));
  }

  isForgotten(run: string): boolean {
    return existsSync(this.paths(run).forgotten);
  }

  override hasOutput(run: string): boolean {
    return !this.isForgotten(run) && this.decision(run) === 'started';
  }

  /** Throws if it cannot remove all, and can then be called again, also by another life of the service: see `gone`. */
  remove(run: string): void {
    rmSync(this.takeAway(run), { recursive: true, force: true });
    this.#collect();
  }
}
