// Finds files that would be lost with the data nodes that leave, in what `hdfs fsck` reports on all blocks.
import type { ReadLines } from '../engine.ts';

/** For example `0. BP-1-127.0.0.1-1:blk_1073741833_1009 len=4 Expected_repl=1  [DatanodeInfoWithStorage[127.0.0.1:9903,DS-1,DISK](DECOMMISSIONED)]`. */
const blockForm = /^\d+\. \S+:blk_/;
/** The name in a line such as `/a 4 bytes, replicated: replication=1, 1 block(s), OPENFORWRITE:  OK`. */
const nameIn = (line: string): string => line.slice(0, line.lastIndexOf(' bytes, ')).replace(/ \d+$/, '');
const isOpen = (line: string): boolean => line.includes(' block(s), OPENFORWRITE:');
/** Without it, the report has ended too early. */
const endForm = /^The filesystem under path '\/' is (HEALTHY|CORRUPT)$/;

/** How many files are named, and how much of each name, for messages. */
const [mostFiles, longestName] = [3, 120];

/** Files that have blocks without a replica that stays. */
class Unsaved {
  readonly #isLive: boolean;
  readonly #named: string[] = [];
  #file = '';
  #counted: string | undefined;
  #count = 0;
  #hasOpen = false;
  #last = '';

  constructor(isLive: boolean) {
    this.#isLive = isLive;
  }

  readonly read = (line: string): void => {
    if (line !== '') this.#last = line;
    if (line.startsWith('/')) this.#file = line;
    if (!blockForm.test(line) || !this.#isUnsaved(line) || this.#counted === this.#file) return;
    this.#counted = this.#file;
    this.#count += 1;
    this.#hasOpen ||= isOpen(this.#file);
    if (this.#named.length === mostFiles) return;
    const name = nameIn(this.#file).replaceAll(/\p{C}/gu, '?').slice(0, longestName);
    this.#named.push(isOpen(this.#file) ? `${name} (open)` : name);
  };

  /** The name node keeps what it knows of a block on a live node, and forgets most of it with a dead one. */
  #isUnsaved(line: string): boolean {
    return !line.includes('](LIVE)') && (!this.#isLive || line.includes('](DECOMMISSION'));
  }

  /** Undefined if there are none. Throws if the report has no end. */
  describe(): string | undefined {
    if (!endForm.test(this.#last))
      throw new Error(`the name node does not report on all blocks: ${this.#last.slice(0, 200)}`);
    if (this.#count === 0) return undefined;
    const more = this.#count - this.#named.length;
    const files = `no other machine has all blocks of ${this.#named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    if (!this.#isLive)
      return `its data node is dead, and ${files}: end its process or delete its pod if it hangs, so that it starts again, or delete these files`;
    // HDFS completes no block whose only data node is decommissioned, unless the lease is recovered.
    return this.#hasOpen
      ? `${files}: the programs that write what is open cannot close it now: end them, and run hdfs debug recoverLease -path FILE`
      : files;
  }
}

/**
 * What would be lost with the data nodes that leave, with the remedy, for messages. `isLive`: whether they are all live. Undefined if nothing would. Rejects
 * if that cannot be found out.
 */
export async function findUnsaved(
  page: string,
  { user, isLive }: { readonly user: string; readonly isLive: boolean },
  read: ReadLines,
): Promise<string | undefined> {
  const query = `ugi=${encodeURIComponent(user)}&path=/&files=1&blocks=1&openforwrite=1&replicadetails=1`;
  // A file that is renamed meanwhile can be missed once.
  for (let look = 1; look <= 2; look += 1) {
    const unsaved = new Unsaved(isLive);
    await read(`${page}/fsck?${query}`, unsaved.read);
    const found = unsaved.describe();
    if (found !== undefined) return found;
  }
  return undefined;
}
