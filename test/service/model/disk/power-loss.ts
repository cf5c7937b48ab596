// A disk that loses power: only what was synchronized is certain to stay. All files are in one folder.
import type { FileCalls } from '../../../../src/service/model/disk/atomic-files.ts';

interface Inode {
  text: string;
  durable: string;
}

type Names = ReadonlyMap<string, Inode>;

/** What a reader finds: the texts by name. */
export type Found = Readonly<Record<string, string>>;

interface Failure {
  readonly call: number;
  readonly code: string;
}

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

export class FragileDisk {
  readonly #folder: string;
  #names: Names = new Map();
  /** The states of the folder since it was last synchronized: each of them can be what stays. */
  #states: Names[] = [this.#names];
  readonly #opened = new Map<number, Inode | 'folder'>();
  #calls = 0;
  /** The number of the call that fails, with the code. */
  readonly #failing: Failure | undefined;
  readonly #onCall: (disk: FragileDisk) => void;

  constructor(folder: string, onCall: (disk: FragileDisk) => void = () => {}, failing?: Failure) {
    this.#folder = folder;
    this.#onCall = onCall;
    this.#failing = failing;
  }

  get calls(): number {
    return this.#calls;
  }

  /** What each possible power loss at this moment leaves. */
  afterPowerLoss(): readonly Found[] {
    return this.#states.flatMap((names) => {
      const all = [...names];
      // Of a file that was not synchronized, nothing, a part or all can be on the disk.
      const texts = (inode: Inode) => [inode.durable, inode.text.slice(0, 1), inode.text];
      return [0, 1, 2].map((choice) =>
        Object.fromEntries(
          all.map(([name, inode]) => [name, inode.durable === inode.text ? inode.text : (texts(inode)[choice] ?? '')]),
        ),
      );
    });
  }

  /** What a reader finds now. */
  found(): Found {
    return Object.fromEntries([...this.#names].map(([name, { text }]) => [name, text]));
  }

  get fs(): FileCalls {
    const calls = {
      existsSync: (path: string) => this.#names.has(path),
      mkdirSync: () => undefined,
      openSync: (path: string, flags: string) => this.#open(path, flags),
      writeFileSync: (file: number, text: string) => void (this.#inode(file).text = text),
      fsyncSync: (file: number) => this.#sync(file),
      closeSync: (file: number) => void this.#opened.delete(file),
      linkSync: (from: string, to: string) => this.#link(from, to),
      renameSync: (from: string, to: string) => this.#rename(from, to),
      rmSync: (path: string) => this.#change((names) => names.delete(path)),
    };
    return Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [
        name,
        (...args: readonly never[]) => {
          this.#calls += 1;
          if (this.#failing?.call === this.#calls) throw errorOf(this.#failing.code);
          const result = (call as (...given: readonly never[]) => unknown)(...args);
          this.#onCall(this);
          return result;
        },
      ]),
    ) as unknown as FileCalls;
  }

  #open(path: string, flags: string): number {
    const number = this.#calls;
    if (path === this.#folder) {
      this.#opened.set(number, 'folder');
      return number;
    }
    const inode = this.#names.get(path) ?? { text: '', durable: '' };
    if (flags === 'wx' && this.#names.has(path)) throw errorOf('EEXIST');
    if (flags === 'w') inode.text = '';
    if (!this.#names.has(path)) this.#change((names) => names.set(path, inode));
    this.#opened.set(number, inode);
    return number;
  }

  #inode(file: number): Inode {
    const inode = this.#opened.get(file);
    if (inode === undefined || inode === 'folder') throw errorOf('EBADF');
    return inode;
  }

  #sync(file: number): void {
    const inode = this.#opened.get(file);
    if (inode === 'folder') this.#states = [this.#names];
    else if (inode !== undefined) inode.durable = inode.text;
  }

  #link(from: string, to: string): void {
    const inode = this.#names.get(from);
    if (inode === undefined) throw errorOf('ENOENT');
    if (this.#names.has(to)) throw errorOf('EEXIST');
    this.#change((names) => names.set(to, inode));
  }

  #rename(from: string, to: string): void {
    const inode = this.#names.get(from);
    if (inode === undefined) throw errorOf('ENOENT');
    this.#change((names) => names.set(to, inode).delete(from));
  }

  #change(work: (names: Map<string, Inode>) => unknown): void {
    const names = new Map(this.#names);
    work(names);
    this.#names = names;
    this.#states.push(names);
  }
}
