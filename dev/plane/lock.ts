// A lock file between processes, which is released when its holder dies.
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_EVERY_MS = 2_000;
const LOST_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 250;

interface Holder {
  readonly text: string;
  readonly pid: number;
  readonly beat: number;
}

/** Called while another process holds the lock, about four times a second. */
export type Waiting = (holderPid: number, waitedMs: number) => void;

/**
 * Runs `work` while no other process runs its own under the same `path`.
 *
 * A holder that died gives up its lock: its pid is gone, or (another container, a pid used again) its file has not been
 * touched for 20 s. Taking over is not atomic: in the worst case two processes run, so `work` must end in a rename.
 */
export async function withLock<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  const text = `${process.pid} ${randomUUID()}`;
  await acquire(path, text, waiting);
  const beat = setInterval(() => void touch(path), BEAT_EVERY_MS);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await readHolder(path))?.text === text) await rm(path, { force: true });
  }
}

async function acquire(path: string, text: string, waiting: Waiting): Promise<void> {
  const begun = performance.now();
  let seen: Holder | undefined;
  let seenAt = begun;
  while (!(await create(path, text))) {
    const holder = await readHolder(path);
    const now = performance.now();
    if (holder?.text !== seen?.text || holder?.beat !== seen?.beat) [seen, seenAt] = [holder, now];
    if (holder === undefined) continue;
    if (!isAlive(holder.pid) || now - seenAt > LOST_AFTER_MS) {
      await rm(path, { force: true });
      continue;
    }
    waiting(holder.pid, now - begun);
    await sleep(LOOK_EVERY_MS);
  }
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new Error(`cannot lock ${path}: ${String(error)}`, { cause: error });
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    // The file is empty for the moment between its creation and its first write.
    return { text, pid: Number.parseInt(text, 10) || process.pid, beat: (await stat(path)).mtimeMs };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  // Another process may have taken the lock while this one was suspended.
  await utimes(path, now, now).catch(() => undefined);
}

/** Whether a process with this pid exists, be it ours or not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Whether `error` is a system error with this code, such as ENOENT. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
