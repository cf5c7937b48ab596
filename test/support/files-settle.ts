// Waits until no request to the file system is under way, so that tests with a manual clock can use real files.
import { createHook } from 'node:async_hooks';
import { settle } from './clock.ts';

const underWay = new Set<number>();
const hook = createHook({
  init(id, type) {
    if (/^FSREQ|CLOSEREQ$/.test(type)) underWay.add(id);
  },
  before: (id) => void underWay.delete(id),
});

/** As `settle`, and also lets everything run that waits for a file. */
export async function settleFiles(): Promise<void> {
  await settle();
  while (underWay.size > 0) await settle();
}

/** Requests count until the returned function is called. */
export function watchFiles(): () => void {
  hook.enable();
  return () => {
    hook.disable();
    underWay.clear();
  };
}
