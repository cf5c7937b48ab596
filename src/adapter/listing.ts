// Turns the answer of a LIST into a snapshot, in slices, and tells which rows differ from those of the snapshot before.
import { hash } from 'node:crypto';
import { Packer } from '../packing.ts';
import { turn } from '../slices.ts';
import { type Dialect, fromWire } from '../wire/dialect.ts';
import type { Collection } from '../wire/rows.ts';
import { check } from '../wire/rows.ts';
import { spellingsOf, withoutSecrets, withoutToken } from './reading.ts';
import { type Piece, parsePiece, Splitter } from './rows.ts';
import type { Sink } from './sink.ts';
import type { KeptRow, Moment, Snapshot, UnreadableRow } from './view.ts';

/** What differs between two LISTs: rows that came, went or are not the same, under their old names and their new ones. */
export interface Changed {
  readonly ids: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

export interface Listing {
  readonly snapshot: Snapshot;
  readonly changed: Changed;
}

export interface Source {
  readonly route: Collection;
  readonly dialect: Dialect;
  /** The LIST before this one, of the same route. */
  readonly previous: Snapshot | undefined;
}

/** Read in one go: a few ms. A row counts as at least `rowBytes`, because small rows take their time, too. */
const sliceBytes = 32_768;
const rowBytes = 1_024;

const textOf = (row: unknown, key: string): string | undefined => {
  const value: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, key) : undefined;
  return typeof value === 'string' ? value : undefined;
};

function describeRow(row: unknown, problem: string): UnreadableRow {
  const id = textOf(row, 'id');
  const name = textOf(row, 'name');
  return { problem, ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
}

/** The same text for the same value, in whatever order its keys stand. */
function stableText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

const packer = new Packer();

type Read = { readonly row: KeptRow } | { readonly unreadable: UnreadableRow };

function readRow({ route, dialect }: Source, bytes: Buffer, digest: string): Read {
  const json = parsePiece(bytes);
  const checked = check(route.answer, fromWire(dialect, json), route.single);
  if (!checked.fits) return { unreadable: describeRow(json, checked.problem) };
  const { id, name } = checked.value;
  if (id === '') return { unreadable: describeRow(json, 'its id is empty') };
  return { row: { id, name, packed: packer.pack(stableText(withoutSecrets(checked.value)), route.single), digest } };
}

const furtherPages: UnreadableRow = { problem: 'there are further pages of it' };

/** Some services cut long lists into pages, and say so with `markers.next`. */
function hasNextPage(markers: unknown): boolean {
  const next: unknown = typeof markers === 'object' && markers !== null ? Reflect.get(markers, 'next') : undefined;
  return next !== undefined && next !== null;
}

/**
 * Reads the answer of a LIST as it comes. A row that its schema refuses is kept apart and loses no other row. The answer is refused
 * when it is no JSON or has no array of rows: that is never an empty list.
 */
export class ListReading {
  readonly #source: Source;
  readonly #splitter: Splitter;
  /** Of the token that was sent. */
  #spellings: readonly string[] = [];
  readonly #rows = new Map<string, KeptRow>();
  /** The rows before by the digests of their bytes, as soon as these differ: equal bytes need no second parse. */
  readonly #known = new Map<string, KeptRow>();
  readonly #unreadable: UnreadableRow[] = [];
  readonly #ids = new Set<string>();
  readonly #names = new Set<string>();
  /** The rows before, as long as these are the same in the same order: an idle service answers so, and then nothing is built anew. */
  #before: Iterator<KeptRow> | undefined;
  #same = 0;
  #more = false;
  /** In this slice. */
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(source: Source) {
    this.#source = source;
    this.#splitter = new Splitter(source.route.plural);
    this.#before = source.previous?.rows.values();
  }

  /** What reads an answer to this token, which must not be read wherever the service echoes it. Of several attempts one is answered. */
  sink(token: string | undefined): Sink {
    this.#spellings = spellingsOf(token);
    return (chunk) => this.take(chunk);
  }

  /** The next bytes; undefined: there are no more. Never rejects: what is wrong with them is for `finish` to tell. */
  async take(chunk: Buffer | undefined): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      for (const piece of this.#splitter.split(chunk)) {
        this.#read(piece);
        this.#bytes += Math.max(piece.bytes.byteLength, rowBytes);
        if (this.#bytes < sliceBytes) continue;
        this.#bytes = 0;
        await turn();
      }
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** After the last bytes of an answer to what was sent at `sent`. Throws Unreadable. */
  async finish(sent: Moment): Promise<Listing> {
    await this.take(undefined);
    if (this.#failure !== undefined) throw this.#failure.error;
    const unreadable = this.#more ? [...this.#unreadable, furtherPages] : this.#unreadable;
    const complete = unreadable.length === 0;
    return {
      snapshot: { rows: this.#table(), sent, unreadable, complete },
      changed: { ids: this.#ids, names: this.#names },
    };
  }

  #read({ row, key, bytes }: Piece): void {
    if (row) this.#add(withoutToken(bytes, this.#spellings));
    else if (key === 'markers') this.#more = hasNextPage(parsePiece(bytes));
    else parsePiece(bytes);
  }

  #add(bytes: Buffer): void {
    const digest = hash('sha256', bytes, 'binary');
    if (this.#before?.next().value?.digest === digest) {
      this.#same += 1;
      return;
    }
    this.#diverge();
    const known = this.#known.get(digest);
    const read = known === undefined ? readRow(this.#source, bytes, digest) : { row: known };
    if ('row' in read) this.#keep(read.row);
    else this.#unreadable.push(read.unreadable);
  }

  #table(): Snapshot['rows'] {
    const { previous } = this.#source;
    if (previous !== undefined && this.#before?.next().done === true) return previous.rows;
    this.#diverge();
    for (const [id, row] of previous?.rows ?? []) if (!this.#rows.has(id)) this.#note(row);
    return this.#rows;
  }

  /** From here on the rows are others than before. */
  #diverge(): void {
    if (this.#before === undefined) return;
    this.#before = undefined;
    for (const row of this.#source.previous?.rows.values() ?? []) {
      if (this.#rows.size < this.#same) this.#rows.set(row.id, row);
      this.#known.set(row.digest, row);
    }
  }

  #keep(read: KeptRow): void {
    const before = this.#source.previous?.rows.get(read.id);
    if (before !== undefined && before.packed.same(read.packed)) {
      // In other bytes, perhaps, and known by these from now on.
      this.#rows.set(before.id, read === before ? before : { ...before, digest: read.digest });
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
