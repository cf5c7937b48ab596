// Lets V8 return memory to the system while the process is idle.
import { Script } from 'node:vm';
import type { Clock } from '../../lib/ports.ts';

/** V8 measures the allocation rate over 5 s. */
const everyMs = 1_000;

/**
 * V8 compacts its heap and releases reserved pages only while JavaScript and its C++ heap allocate slowly. This process allocates
 * nothing in the C++ heap for hours, and V8 13.6 (Node 24) then treats the unknown rate as a high one. A compiled script is such an
 * allocation, and one per second is a low rate. With 1000 clusters at rest, the process takes 105 MiB instead of 127. It continues until the process ends.
 */
export function keepHeapSmall(clock: Pick<Clock, 'after'>): void {
  void new Script('');
  clock.after(everyMs, () => keepHeapSmall(clock));
}
