// Turns the answer of a LIST into a snapshot, in slices, and reports which rows differ from the previous snapshot.
import { hash } from 'node:crypto';
import { turn } from '../../../lib/timing/slices.ts';
import { spellingsOf, withoutToken } from '../http/answer.ts';
import type { Sink } from '../http/exchange.ts';
import { Unreadable } from '../json/cursor.ts';
import { parsePiece } from '../json/members.ts';
import { type Piece, Splitter } from '../json/row-splitter.ts';
import { fullText, isFull, mostOf, mostUnreadable, tooLargeText } from '../limits.ts';
import { describeRow, type Interface, readInSteps } from './list-row.ts';
import type { KeptRow, Moment, Snapshot, UnreadableRow } from './list-view.ts';

/** What differs between two LISTs: rows that came, went or changed, by their old names and their new ones. */
export interface Changed {
  readonly ids: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

export interface ListResult {
  readonly snapshot: Snapshot;
  readonly changed: Changed;
}

export interface ListSource extends Interface {
  /** The previous LIST of the same route. */
  readonly previous: Snapshot | undefined;
}

/**
 * Bytes read in one go, which take a few ms. A row counts as at least `rowBytes`, because small rows take time, too, and each step
 * over a new one counts as so much for each of its values.
 */
const sliceBytes = 32_768;
const rowBytes = 1_024;
const valueBytes = 16;

const furtherPages: UnreadableRow = { problem: 'there are further pages of it' };

function beyond(count: number): UnreadableRow {
  return { problem: `and ${count} more of them` };
}

/** Some services cut long lists into pages. `markers.next` shows that there is another one. */
function hasNextPage(markers: unknown): boolean {
  const next: unknown = typeof markers === 'object' && markers !== null ? Reflect.get(markers, 'next') : undefined;
  return next !== undefined && next !== null;
}

/**
 * Reads the answer of a LIST as it arrives. A row that its schema refuses is kept apart and affects no other row. An answer that is
 * not JSON or has no array of rows is refused: it is never an empty list.
 */
export class ListReading {
  readonly #source: ListSource;
  readonly #splitter: Splitter;
  /** Of the token that was sent. */
  #spellings: readonly string[] = [];
  readonly #rows = new Map<string, KeptRow>();
  /** The previous rows by the digests of their bytes: equal bytes need not be parsed again. */
  readonly #known: ReadonlyMap<string, KeptRow>;
  readonly #unreadable: UnreadableRow[] = [];
  readonly #ids = new Set<string>();
  readonly #names = new Set<string>();
  #refused = 0;
  /** Rows of which nothing is kept. */
  #beyond = 0;
  #more = false;
  /** In this slice. */
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(source: ListSource) {
    this.#source = source;
    this.#splitter = new Splitter(source.route);
    this.#known = new Map([...(source.previous?.rows.values() ?? [])].map((row) => [row.digest, row]));
  }

  /** A reader for an answer to this token, which must not be read where the service echoes it. Of several attempts, one is answered. */
  sink(token: string | undefined): Sink {
    this.#spellings = spellingsOf(token);
    return (chunk) => this.take(chunk);
  }

  /** The next bytes; undefined: the end. Never rejects: `finish` reports what is wrong with them. */
  async take(chunk: Buffer | undefined): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      for (const piece of this.#splitter.split(chunk)) {
        for (const bytes of this.#read(piece)) if (this.#isSpent(bytes)) await turn();
      }
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** After the last bytes of an answer to the request sent at `sent`. Throws Unreadable. */
  async finish(sent: Moment): Promise<ListResult> {
    await this.take(undefined);
    if (this.#failure !== undefined) throw this.#failure.error;
    const unreadable = [
      ...this.#unreadable,
      ...(this.#more ? [furtherPages] : []),
      ...(this.#beyond > 0 ? [beyond(this.#beyond)] : []),
    ];
    const complete = unreadable.length === 0;
    for (const [id, row] of this.#source.previous?.rows ?? []) if (!this.#rows.has(id)) this.#note(row);
    return {
      snapshot: { rows: this.#rows, sent, unreadable, complete },
      changed: { ids: this.#ids, names: this.#names },
    };
  }

  /** Whether it is time to yield to the event loop. */
  #isSpent(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes < sliceBytes) return false;
    this.#bytes = 0;
    return true;
  }

  /** In steps, each of which counts for some bytes. */
  *#read({ row, key, bytes, values, tooLarge }: Piece): Generator<number, void> {
    // Part of a list is not a list: what is missing from it could be anything.
    if (row && isFull(this.#rows.size, this.#refused)) throw new Unreadable(fullText);
    if (row) {
      const safe = withoutToken(bytes, this.#spellings);
      if (tooLarge === undefined) yield* this.#add(safe, valueBytes * values);
      else this.#doubt(describeRow(parsePiece(safe), `it is ${tooLargeText(tooLarge, mostOf(this.#source.route))}`));
    } else {
      const value = parsePiece(bytes);
      if (key === 'markers') this.#more = tooLarge !== undefined || hasNextPage(value);
    }
    yield Math.max(bytes.byteLength, rowBytes);
  }

  #doubt(row: UnreadableRow): void {
    this.#refused += 1;
    if (this.#unreadable.length < mostUnreadable) this.#unreadable.push(row);
    else this.#beyond += 1;
  }

  *#add(bytes: Buffer, step: number): Generator<number, void> {
    const digest = hash('sha256', bytes, 'binary');
    const known = this.#known.get(digest);
    const read = known === undefined ? yield* readInSteps(this.#source, { bytes, digest, step }) : { row: known };
    if ('row' in read) this.#keep(read.row);
    else this.#doubt(read.unreadable);
  }

  #keep(read: KeptRow): void {
    const before = this.#source.previous?.rows.get(read.id);
    if (before !== undefined && before.text === read.text) {
      // The same row in other bytes, perhaps; from now on these identify it.
      const { digest, fleeting } = read;
      this.#rows.set(before.id, read === before ? before : { ...before, digest, fleeting });
      return;
    }
    this.#rows.set(read.id, read);
    this.#note(read, before);
  }

  #note(...versions: readonly (KeptRow | undefined)[]): void {
    for (const row of versions) {
      if (row !== undefined) this.#ids.add(row.id);
      if (row?.name !== undefined) this.#names.add(row.name);
    }
  }
}
