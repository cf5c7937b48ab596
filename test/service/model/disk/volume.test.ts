// The reserve, on a real volume that is full.
import { existsSync, linkSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Log } from '../../../../src/lib/ports.ts';
import { Volume } from '../../../../src/service/model/disk/volume.ts';
import { ManualClock } from '../../../support/clock.ts';
import { findVolumeProblem, smallVolume } from '../../support/small-volume.ts';

const problem = findVolumeProblem();
if (problem !== undefined) console.warn(`The tests of a full volume are skipped: ${problem}`);

function open(size = '8m') {
  const small = smallVolume(size);
  const logged: string[] = [];
  const note = (_fields: unknown, message: string) => void logged.push(message);
  const log: Log = { debug() {}, info: note, warn: note, error: note };
  const reserve = join(small.folder, 'service.db-reserve');
  const volume = new Volume({ reserve, log });
  return { ...small, volume, reserve, logged, log };
}

test.skipIf(problem !== undefined)('with room, it keeps a part of itself, and refuses nothing', () => {
  const { volume, reserve } = open();
  expect(statSync(reserve)).toMatchObject({ size: 1024 ** 2 });
  expect(statSync(reserve).blocks * 512).toBeGreaterThanOrEqual(1024 ** 2);
  expect(volume.isFull).toBe(false);
  expect(volume.totalBytes).toBe(8 * 1024 ** 2);
});

test.skipIf(problem !== undefined)(
  'when it is full, what has to be written gets the reserve, and room brings it back',
  () => {
    const { folder, volume, reserve, fill, empty, logged } = open();
    const listened: boolean[] = [];
    volume.onChange((isFull) => listened.push(isFull));
    fill();
    expect(volume.isFull).toBe(true);
    const file = join(folder, 'tombstone');
    expect(() => writeFileSync(file, 'killed')).toThrow('ENOSPC');
    rmSync(file);
    volume.insist(() => writeFileSync(file, 'killed'));
    expect(statSync(file).size).toBe(6);
    // What is left of it is reserved again, so nobody else gets it.
    expect(statSync(reserve).size).toBeGreaterThan(1024 ** 2 - 64 * 1024);
    expect(volume.freeBytes).toBeLessThan(4096 * 2);
    expect(() => writeFileSync(join(folder, 'output'), Buffer.alloc(64 * 1024))).toThrow('ENOSPC');
    volume.refresh();
    expect([volume.isFull, listened]).toEqual([true, [true]]);
    empty();
    volume.refresh();
    expect([volume.isFull, listened]).toEqual([false, [true, false]]);
    expect(statSync(reserve).size).toBe(1024 ** 2);
    expect(logged).toEqual([`the volume of ${folder} is full`, `the volume of ${folder} has room again`]);
  },
);

test.skipIf(problem !== undefined)('what does not fit into the reserve either fails with what the system says', () => {
  const { folder, volume, fill } = open();
  fill();
  expect(() => volume.insist(() => writeFileSync(join(folder, 'large'), Buffer.alloc(2 * 1024 ** 2)))).toThrow(
    'ENOSPC',
  );
});

test.skipIf(problem !== undefined)('another failure does not cost the reserve', () => {
  const { volume, reserve, folder } = open();
  expect(() => volume.insist(() => writeFileSync(join(folder, 'no', 'file'), ''))).toThrow('ENOENT');
  expect(existsSync(reserve)).toBe(true);
});

test.skipIf(problem !== undefined)(
  'a volume that is full from the start is full, and reserves what there is, and what is made free',
  () => {
    const small = smallVolume('8m');
    const removed = join(small.folder, 'removed');
    writeFileSync(removed, Buffer.alloc(128 * 1024));
    small.fill(512 * 1024);
    const reserve = join(small.folder, 'reserve');
    const volume = new Volume({ reserve, log: { debug() {}, info() {}, warn() {}, error() {} } });
    expect([volume.isFull, statSync(reserve).size, volume.freeBytes]).toEqual([true, 512 * 1024, 0]);
    rmSync(removed);
    volume.refresh();
    expect([volume.isFull, statSync(reserve).size, volume.freeBytes]).toEqual([true, 640 * 1024, 0]);
  },
);

test.skipIf(problem !== undefined)(
  'a volume with little more room than the reserve has does not count as one with room',
  () => {
    const small = smallVolume('8m');
    small.fill(1024 ** 2 + 320 * 1024);
    const reserve = join(small.folder, 'reserve');
    const volume = new Volume({ reserve, log: { debug() {}, info() {}, warn() {}, error() {} } });
    expect([volume.isFull, statSync(reserve).size]).toEqual([true, 1024 ** 2 - 4096]);
    small.empty();
    volume.refresh();
    expect([volume.isFull, statSync(reserve).size]).toEqual([false, 1024 ** 2]);
  },
);

test.skipIf(problem !== undefined)(
  'a volume on which no more files can be made is full, and has some in reserve',
  () => {
    const { folder, volume, reserve, fillFiles, empty, logged } = open('8m,nr_inodes=200');
    expect([volume.isFull, volume.totalFiles]).toEqual([false, 200]);
    const file = join(folder, 'tombstone');
    onTestFinished(volume.watch(new ManualClock()));
    fillFiles();
    expect([volume.isFull, volume.freeFiles]).toEqual([true, 0]);
    expect(() => writeFileSync(file, 'killed')).toThrow('ENOSPC');
    volume.insist(() => {
      writeFileSync(file, 'killed');
      linkSync(file, `${file}-2`);
    });
    // What is left of it is reserved again.
    expect([existsSync(reserve), volume.freeFiles]).toEqual([true, 0]);
    expect(readdirSync(`${reserve}-files`).length).toBeGreaterThan(10);
    volume.refresh();
    expect(volume.isFull).toBe(true);
    empty();
    volume.refresh();
    expect([volume.isFull, readdirSync(`${reserve}-files`).length]).toEqual([false, 16]);
    expect(logged).toEqual([
      `the volume of ${folder} is full: no more files can be made`,
      `the volume of ${folder} has room again`,
    ]);
  },
);
