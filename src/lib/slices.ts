// Work that is long in sum, a few ms at a time. No clock decides how long a slice is.

/** Lets the event loop have a turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Looked at in one go: each takes some 20 µs to be read. */
const sliceSize = 64;

/** All of them, some at a time, with turns of the event loop in between. What comes and goes meanwhile may be among them or not. */
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
