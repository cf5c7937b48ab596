// Ends what downloads too much, before it fills the disk.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../lib/ports.ts';

const lookMs = 1000;

export async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => stat(join(parentPath, name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}

interface Bounds {
  /** Where it writes. They need not be there yet. */
  readonly folders: readonly string[];
  /** What may be added to them. */
  readonly bytes: number;
  readonly clock: Clock;
  readonly tooLarge: () => Error;
}

/** Calls `work`, whose signal is aborted once it has written too much below the folders. Then it rejects with `tooLarge`. */
export async function whileSmall(
  { folders, bytes, clock, tooLarge }: Bounds,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  // Files come and go meanwhile.
  const sizes = () => Promise.all(folders.map((folder) => bytesBelow(folder).catch(() => 0)));
  const before = await sizes();
  const look = async (): Promise<void> => {
    const added = (await sizes()).reduce((sum, size, index) => sum + Math.max(0, size - (before[index] ?? 0)), 0);
    if (isOver) return;
    if (added > bytes) over.abort(tooLarge());
    else cancel = clock.after(lookMs, () => void look());
  };
  let isOver = false;
  let cancel = clock.after(lookMs, () => void look());
  try {
    await work(over.signal);
  } catch (cause) {
    throw over.signal.aborted ? (over.signal.reason as Error) : cause;
  } finally {
    isOver = true;
    cancel();
  }
}
