// Splits long work into slices of a few ms, so that the event loop is never blocked.

/** Yields to the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An item takes some 20 µs. */
const sliceSize = 64;

/** Yields to the event loop between slices. Items that are added or removed meanwhile may or may not be included. */
export async function* slicesOf<Item>(all: Iterable<Item>): AsyncGenerator<readonly Item[]> {
  let slice: Item[] = [];
  for (const one of all) {
    slice.push(one);
    if (slice.length < sliceSize) continue;
    yield slice;
    slice = [];
    await turn();
  }
  if (slice.length > 0) yield slice;
}
