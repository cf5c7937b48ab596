// One process at a time; the dead and the silent lose the lock.

import { existsSync } from 'node:fs';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withLock } from '../../../src/lib/fetch/lock.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { temporaryFolder } from '../../plane/support.ts';

const quiet = { clock: systemClock, onWait: (): void => undefined };

describe('withLock', () => {
  it('runs one after the other, and tells those who wait whom for', async () => {
    const path = join(await temporaryFolder(), 'lock');
    const holders = new Set<number>();
    let [inside, most] = [0, 0];
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inside -= 1;
    };
    await Promise.all(
      [1, 2, 3].map(async () => withLock(path, { ...quiet, onWait: (pid) => void holders.add(pid) }, work)),
    );
    expect(most).toBe(1);
    expect([...holders]).toEqual([process.pid]);
    expect(existsSync(path)).toBe(false);
  });

  it('takes the lock of a process that is gone', async () => {
    const path = join(await temporaryFolder(), 'lock');
    await writeFile(path, '999999999 1 1');
    expect(await withLock(path, quiet, async () => readFile(path, 'utf8'))).toMatch(new RegExp(`^${process.pid} `));
  });

  it('takes the lock of a process whose pid has another one now', async () => {
    const path = join(await temporaryFolder(), 'lock');
    await writeFile(path, `${process.pid} 12345 1`);
    expect(await withLock(path, quiet, async () => readFile(path, 'utf8'))).not.toContain(' 12345 ');
  });

  it('waits for a live holder that goes on touching the file', async () => {
    const path = join(await temporaryFolder(), 'lock');
    await writeFile(path, `${process.pid}`);
    let looks = 0;
    const waiting = async (): Promise<void> => {
      looks += 1;
      await (looks < 3 ? utimes(path, looks, looks) : writeFile(path, '999999999 1 1'));
    };
    await withLock(path, { ...quiet, onWait: () => void waiting() }, async () => undefined);
    expect(looks).toBe(3);
  });

  it('is given back when the work fails', async () => {
    const path = join(await temporaryFolder(), 'lock');
    await expect(withLock(path, quiet, async () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(existsSync(path)).toBe(false);
  });

  it('says what is wrong with a folder that is not there', async () => {
    await expect(withLock('/no/such/folder/lock', quiet, async () => 1)).rejects.toThrow(
      'cannot lock /no/such/folder/lock',
    );
  });
});
