// What the service keeps of runs in pods: their files, who may start them, and their output. It outlives the service, and the pods.
import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeOnce, writeSafely } from '../processes/folders.ts';
import type { LogPosition } from './log-reader.ts';

/** A file that a pod needs, by its path in the folder of the run. */
export interface RunFile {
  readonly path: string;
  readonly bytes: number;
  /** The address of the pod stands in the text where it says `anyAddress`. */
  readonly isTemplate: boolean;
}

/** Stands for the address of the pod of a run. */
export const anyAddress = 'address-of-the-run';

/** Whoever decides first, decides. */
type Decision = 'started' | 'killed';

interface PodRunPaths {
  readonly folder: string;
  readonly decision: string;
  readonly token: string;
  readonly files: string;
  readonly work: string;
  /** In the form in which that of processes is kept. */
  readonly output: string;
  readonly position: string;
  readonly forgotten: string;
  readonly namespace: string;
}

/** In UUID form. The runner loads this file, so it imports no schemas. */
const identifier = /^[\da-f]{8}(-?[\da-f]{4}){3}-?[\da-f]{12}$/i;

export class PodRuns {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  paths(run: string): PodRunPaths {
    const folder = join(this.#root, run);
    const at = (name: string) => join(folder, name);
    return {
      folder,
      decision: at('decision'),
      token: at('token'),
      files: at('files.json'),
      work: at('work'),
      output: at('output'),
      position: at('position.json'),
      forgotten: at('forgotten'),
      namespace: at('namespace'),
    };
  }

  /** Whether the program may have been started, or must not be any more. */
  decision(run: string): Decision | undefined {
    const { decision } = this.paths(run);
    if (!existsSync(decision)) return undefined;
    return readFileSync(decision, 'utf8') === 'killed' ? 'killed' : 'started';
  }

  /** Settles the race between the pod that wants to start and a kill. Returns what was decided, by whomever. */
  decide(run: string, wanted: Decision): Decision {
    const { folder, decision } = this.paths(run);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return writeOnce(decision, wanted) ? wanted : (this.decision(run) ?? 'started');
  }

  /** Gives the start permit, at most once in all lives of the service. */
  start(run: string): boolean {
    const { folder, decision } = this.paths(run);
    return existsSync(folder) && writeOnce(decision, 'started');
  }

  /** The token of the run: whoever has it gets its files and its permit. */
  token(run: string, create: () => string): string {
    const { token } = this.paths(run);
    if (!existsSync(token)) writeSafely(token, create());
    return readFileSync(token, 'utf8');
  }

  /** Compares in constant time. Only identifiers become paths: `run` comes from whoever reaches the port. */
  admits(run: string, token: string): boolean {
    if (!identifier.test(run)) return false;
    const { token: file } = this.paths(run);
    if (!existsSync(file)) return false;
    const digest = (text: string) => createHash('sha256').update(text).digest();
    return timingSafeEqual(digest(readFileSync(file, 'utf8')), digest(token));
  }

  /** Writes a text that the pod gets with its own address in it. */
  write(run: string, path: string, text: string): void {
    const file = join(this.paths(run).work, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  }

  /** Records which files the pod gets. `templates`: those with its address in them. */
  publish(run: string, paths: readonly string[], templates: ReadonlySet<string>): void {
    const { files, work } = this.paths(run);
    const list: readonly RunFile[] = paths.map((path) => ({
      path,
      bytes: statSync(join(work, path)).size,
      isTemplate: templates.has(path),
    }));
    writeSafely(files, JSON.stringify(list));
  }

  /** Undefined as long as they are not complete. */
  files(run: string): readonly RunFile[] | undefined {
    const { files } = this.paths(run);
    return existsSync(files) ? (JSON.parse(readFileSync(files, 'utf8')) as readonly RunFile[]) : undefined;
  }

  /** How far the log of the program was copied. Undefined if it was not. */
  logPosition(run: string): LogPosition | undefined {
    const { position } = this.paths(run);
    return existsSync(position) ? (JSON.parse(readFileSync(position, 'utf8')) as LogPosition) : undefined;
  }

  /** A crash leaves the earlier position, or this one. Rejects if the run was removed. */
  async keepLogPosition(run: string, position: LogPosition): Promise<void> {
    const { position: file } = this.paths(run);
    await writeFile(`${file}.new`, JSON.stringify(position), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  /** Records where the objects of the run will be, before they are made. */
  place(run: string, namespace: string): void {
    writeSafely(this.paths(run).namespace, namespace);
  }

  /** Undefined if nothing was made of the run, or an earlier version has made it. */
  namespace(run: string): string | undefined {
    const { namespace } = this.paths(run);
    return existsSync(namespace) ? readFileSync(namespace, 'utf8') : undefined;
  }

  /** The run is not needed any more, but its objects may still be there. */
  forget(run: string, namespace: string): void {
    const { forgotten } = this.paths(run);
    writeSafely(forgotten, namespace);
  }

  namespaceOfForgotten(run: string): string {
    return readFileSync(this.paths(run).forgotten, 'utf8');
  }

  /** Runs whose objects have to be removed. */
  get forgotten(): readonly string[] {
    if (!existsSync(this.#root)) return [];
    return readdirSync(this.#root).filter((run) => existsSync(this.paths(run).forgotten));
  }

  isForgotten(run: string): boolean {
    return existsSync(this.paths(run).forgotten);
  }

  remove(run: string): void {
    rmSync(this.paths(run).folder, { recursive: true, force: true });
  }
}
