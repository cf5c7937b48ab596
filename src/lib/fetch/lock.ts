// A lock file between processes, which is released when its holder dies.
import { readFileSync } from 'node:fs';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hasCode } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { sleep } from '../timing/wait.ts';

const beatEveryMs = 2_000;
const lostAfterMs = 20_000;
const lookEveryMs = 250;

interface Holder {
  readonly text: string;
  readonly pid: number;
  /** Empty if the system does not report it. */
  readonly startedAt: string;
  readonly beat: number;
}

interface LockOptions {
  readonly clock: Clock;
  /** Called while another process holds the lock, about four times a second. */
  readonly onWait: (holderPid: number, waitedMs: number) => void;
}

/** Locks of one process, which are told apart by a number. */
let taken = 0;

/**
 * Runs `work` while no other process runs its own under the same `path`.
 *
 * A holder that died gives up its lock: no process has its pid and start time, or (another container) its file has not been
 * touched for 20 s. Taking over is not atomic: in the worst case two processes run, so `work` must end in a rename.
 */
export async function withLock<T>(path: string, waiting: LockOptions, work: () => Promise<T>): Promise<T> {
  taken += 1;
  const text = `${process.pid} ${startTimeOf(process.pid)} ${taken}`;
  await acquire(path, text, waiting);
  const { clock } = waiting;
  let cancel = (): void => undefined;
  const beat = (): void => {
    cancel = clock.after(beatEveryMs, () => {
      void touch(path, clock);
      beat();
    });
  };
  beat();
  try {
    return await work();
  } finally {
    cancel();
    if ((await readHolder(path))?.text === text) await rm(path, { force: true });
  }
}

async function acquire(path: string, text: string, { clock, onWait }: LockOptions): Promise<void> {
  const begun = clock.monotonic();
  let seen: Holder | undefined;
  let seenAt = begun;
  while (!(await create(path, text))) {
    const holder = await readHolder(path);
    const now = clock.monotonic();
    if (holder?.text !== seen?.text || holder?.beat !== seen?.beat) [seen, seenAt] = [holder, now];
    if (holder === undefined) continue;
    if (!isHolding(holder) || now - seenAt > lostAfterMs) {
      await rm(path, { force: true });
      continue;
    }
    onWait(holder.pid, now - begun);
    await sleep(clock, lookEveryMs, new AbortController().signal);
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
    const [pid = '', startedAt = ''] = text.split(' ');
    // The file is empty for the moment between its creation and its first write.
    return { text, pid: Number.parseInt(pid, 10) || process.pid, startedAt, beat: (await stat(path)).mtimeMs };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function touch(path: string, clock: Clock): Promise<void> {
  const now = clock.wall() / 1000;
  // Another process may have taken the lock while this one was suspended.
  await utimes(path, now, now).catch(() => undefined);
}

const isHolding = ({ pid, startedAt }: Holder): boolean =>
  processExists(pid) && (startedAt === '' || startTimeOf(pid) === startedAt);

/** Clock ticks since the computer started. Empty where there is no /proc, and for a process that has ended. */
function startTimeOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, can contain anything.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Whether a process with this pid exists, be it ours or not. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
