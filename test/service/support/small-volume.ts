// A small volume of its own, which can be filled. Only root can mount one.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

function mountSmall(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'volume-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (cause) {
    rmdirSync(folder);
    throw cause;
  }
  return folder;
}

function unmount(folder: string): void {
  // What still has a file open must not keep the test from ending.
  execFileSync('umount', ['--lazy', folder]);
  rmdirSync(folder);
}

/** Why there can be no such volume here. Undefined if there can. */
export function findVolumeProblem(): string | undefined {
  try {
    unmount(mountSmall('1m'));
    return undefined;
  } catch (error) {
    return `cannot mount a tmpfs: ${error instanceof Error ? error.message.trim() : String(error)}`;
  }
}

/** `size` as mount takes it, and what else mount takes after it. It goes with the test. */
export function smallVolume(size: string) {
  const folder = mountSmall(size);
  onTestFinished(() => unmount(folder));
  const filler = join(folder, 'filler');
  return {
    folder,
    /** Takes all space that is left, but for `leave` bytes. */
    fill: (leave = 0): void => {
      const { bavail, bsize } = statfsSync(folder);
      const file = openSync(filler, 'a');
      const block = Buffer.alloc(bsize);
      try {
        for (let left = bavail * bsize - leave; left > 0; left -= bsize) writeSync(file, block);
      } finally {
        closeSync(file);
      }
    },
    /** Makes as many empty files as there can be. */
    fillFiles: (): void => {
      mkdirSync(`${filler}-files`, { recursive: true });
      for (let left = statfsSync(folder).ffree; left > 0; left -= 1)
        writeFileSync(join(`${filler}-files`, `${performance.now()}-${left}`), '');
    },
    empty: () => {
      for (const path of [filler, `${filler}-files`]) rmSync(path, { recursive: true, force: true });
    },
    free: (): number => {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    },
  };
}
