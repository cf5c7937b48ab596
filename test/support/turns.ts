// How often others have their turn while something goes on.

/** Counts the turns of the event loop that begin until `work` has ended. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ readonly turns: number; readonly answer: T }> {
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  const answer = await work().finally(() => {
    ended = true;
  });
  return { turns, answer };
}
