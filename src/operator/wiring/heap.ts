// Lets V8 give memory back while little happens.
import { Script } from 'node:vm';
import type { Clock } from '../../lib/ports.ts';

/** V8 judges by the last 5 s. */
const everyMs = 1_000;

/**
 * V8 closes the gaps in its heap, and gives back the pages that it keeps in reserve, when memory is taken slowly: by JavaScript, and
 * by those parts of Node whose objects live in its heap for C++. Of the latter this process makes none for hours; V8 (13.6, in Node
 * 24) then knows no rate, takes that for a fast one, and keeps everything. A compiled script is such an object, and one a second is
 * slow. At 10,000 clusters it spares 30 of 195 MiB. Goes on until the process ends.
 */
export function takeMemorySlowly(clock: Pick<Clock, 'after'>): void {
  void new Script('');
  clock.after(everyMs, () => takeMemorySlowly(clock));
}
