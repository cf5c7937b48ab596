// What a test has made on the target: the only rows that it is shown in lists, and what is deleted after it.
import type { Json, Peer } from '../../peer.ts';
import { cannotTry, type Target } from '../target.ts';
import type { Addressed } from '../visit/address.ts';
import { testImages } from '../visit/translation.ts';
import { record } from './journal.ts';
import { collectionOf, removeRow } from './rows.ts';

const order = Object.values(collectionOf);
const jobs = order.filter((each) => /^(job|data)/.test(each));

export class Traces {
  readonly #peer: Peer;
  readonly #target: Target;
  /** Paths of rows, by collection. */
  readonly #paths = new Map<string, Set<string>>();

  constructor(peer: Peer, target: Target) {
    this.#peer = peer;
    this.#target = target;
  }

  #add(collection: string, path: string): void {
    record(this.#target, path);
    this.#paths.set(collection, (this.#paths.get(collection) ?? new Set()).add(path));
  }

  /** To be called before a write: an image that somebody else registered is not touched. */
  async approach(method: string, { home, segments }: Addressed): Promise<void> {
    const [collection, id] = segments;
    if (method === 'GET' || collection !== 'images' || id === undefined) return;
    const path = `${home}/images/${id}`;
    if (this.#paths.get('images')?.has(path)) return;
    const { status, body } = await this.#peer.get(path);
    const isForTests = testImages.some((image) => image === id) || this.#target.spareImages.includes(id);
    if (status === 404 && isForTests)
      cannotTry('it needs images that tests may register and tag: two times --spare-image');
    if (status === 404) return;
    // Late releases do not show what is not registered.
    const { username, tags } = body?.image ?? {};
    if (username || tags?.length > 0) cannotTry(`it would change image ${id}, which is registered or has tags already`);
    this.#add('images', path);
  }

  /** To be called with every answer to a write. */
  note({ home }: Addressed, body: Json): void {
    for (const [key, row] of Object.entries<Json>(body ?? {})) {
      const collection = collectionOf[key];
      if (collection === undefined || typeof row?.id !== 'string') continue;
      const version = jobs.includes(collection) ? home.replace(/^\/v1\.0/, '/v1.1') : home;
      if (collection !== 'images') this.#add(collection, `${version}/${collection}/${row.id}`);
    }
  }

  /** A list without the rows of others; anything else as it is. */
  own({ segments }: Addressed, body: Json): Json {
    const [collection = '', ...more] = segments;
    if (more.length > 0 || !order.includes(collection)) return body;
    const ids = new Set([...(this.#paths.get(collection) ?? [])].map((path) => path.split('/').at(-1)));
    const lists = Object.entries<Json>(body ?? {}).filter(([, rows]) => Array.isArray(rows));
    const own = lists.map(([key, rows]) => [key, rows.filter((row: Json) => ids.has(row?.id))]);
    return own.length === 0 ? body : { ...body, ...Object.fromEntries(own) };
  }

  /** Deletes everything, and waits until it is gone. Throws what cannot be deleted. */
  async remove(): Promise<void> {
    for (const collection of order)
      for (const path of [...(this.#paths.get(collection) ?? [])].toReversed())
        await removeRow(this.#peer, collection, path);
  }
}
