// The data file gives the room of deleted rows back to a full volume in small steps, between which everything else goes on.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Log } from '../../../../src/lib/ports.ts';
import type { Volume } from '../../../../src/service/model/disk/volume.ts';
import { sparePages, stepPages } from '../../../../src/service/model/store/shrinking.ts';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';
import { ManualClock } from '../../../support/clock.ts';
import { findVolumeProblem, smallVolume } from '../../support/small-volume.ts';

const problem = findVolumeProblem();
if (problem !== undefined) console.warn(`The tests of a full volume are skipped: ${problem}`);

const [mib, page] = [1024 ** 2, 4096];
/** A page that tells of hundreds of others where they belong goes with the last of them. */
const mapPages = 1;

/** A store with `deleted` binaries, and then `live` others, on a volume without any other room than the reserve. */
function open(size: string, deleted: number, live: number, bytes = mib) {
  const small = smallVolume(size);
  const warned: string[] = [];
  const note = () => undefined;
  const log: Log = { debug: note, info: note, warn: (_fields, message) => void warned.push(message), error: note };
  const file = join(small.folder, 'data.db');
  let store = openSqliteStore(file, { log });
  let isOpen = true;
  const close = () => {
    if (isOpen) store.close();
    isOpen = false;
  };
  onTestFinished(close);
  const binary = (id: string) => ({ id, name: id, datasize: bytes, created_at: '2026-01-01T00:00:00' }) as never;
  const put = (id: string) => store.put('jobBinaryInternals', 't', binary(id), Buffer.alloc(bytes, id.slice(-1)));
  const remove = (id: string) => store.remove('jobBinaryInternals', 't', id);
  for (let n = 0; n < deleted; n += 1) put(`old-${n}`);
  for (let n = 0; n < live; n += 1) put(`live-${n}`);
  // Nothing is left in the log.
  store.close();
  store = openSqliteStore(file, { log });
  const volume = store.volume as Volume;
  small.fill();
  volume.refresh();
  const removeOld = () => Array.from({ length: deleted }, (_, n) => `old-${n}`).forEach(remove);
  return { ...small, store, volume, warned, close, put, remove, removeOld, sizeOf: () => statSync(file).size };
}

/** The size of the file after each turn of the event loop, until it stays the same. */
async function watched(sizeOf: () => number, inTurn: (turn: number) => void = () => {}): Promise<readonly number[]> {
  const sizes = [sizeOf()];
  for (let still = 0; still < 10; still = sizes.at(-1) === sizes.at(-2) ? still + 1 : 0) {
    inTurn(sizes.length);
    await setImmediate();
    sizes.push(sizeOf());
  }
  return sizes;
}

const largestDrop = (sizes: readonly number[]) =>
  Math.max(...sizes.map((size, index) => ((sizes[index - 1] ?? size) - size) / page));

test.skipIf(problem !== undefined)(
  'on a full volume, free pages before more live ones than the reserve could take are given back in small steps',
  async () => {
    const { store, volume, free, put, removeOld, remove, sizeOf, warned } = open('64m', 20, 20);
    expect(() => put('new')).toThrow('the volume of the service is full');
    const before = sizeOf();
    removeOld();
    expect(sizeOf()).toBe(before);
    // Meanwhile, deletions go on.
    const sizes = await watched(sizeOf, (turn) => turn % 4 === 0 && turn <= 20 && remove(`live-${turn / 4}`));
    expect(largestDrop(sizes)).toBeGreaterThanOrEqual(stepPages);
    expect(largestDrop(sizes)).toBeLessThanOrEqual(stepPages + mapPages);
    expect(sizes.at(-1)).toBeLessThan(15.5 * mib);
    expect([volume.isFull, free() > 20 * mib, warned]).toEqual([false, true, []]);
    put('new');
    expect(store.bytes('t', 'live-19')).toEqual(new Uint8Array(Buffer.alloc(mib, '9')));
  },
);

test.skipIf(problem !== undefined)(
  'a small reserve is enough for any number of deletions and for smaller steps',
  async () => {
    const { volume, removeOld, sizeOf, warned } = open('8m', 24, 16, mib / 16);
    removeOld();
    const sizes = await watched(sizeOf);
    expect(largestDrop(sizes)).toBeLessThanOrEqual(stepPages + mapPages);
    expect(sizes.at(-1)).toBeLessThan(1.2 * mib);
    expect([volume.isFull, warned]).toEqual([false, []]);
  },
);

test.skipIf(problem !== undefined)('what is free is given back when the volume is looked at, too', async () => {
  const { volume, empty, fill, removeOld, sizeOf } = open('64m', 10, 5);
  empty();
  volume.refresh();
  const clock = new ManualClock();
  onTestFinished(volume.watch(clock));
  removeOld();
  // With room on the volume, it takes one step, because new rows can have the free pages.
  const sizes = await watched(sizeOf);
  expect((sizes[0] ?? 0) - (sizes.at(-1) ?? 0)).toBe(stepPages * page);
  fill();
  volume.refresh();
  expect((await watched(sizeOf)).at(-1)).toBeLessThan(5.5 * mib);
  expect(volume.isFull).toBe(false);
});

test.skipIf(problem !== undefined)('with room on the volume, some free pages are left for new rows', async () => {
  const { volume, empty, removeOld, sizeOf } = open('64m', sparePages / 256 - 1, 1);
  empty();
  volume.refresh();
  removeOld();
  const sizes = await watched(sizeOf);
  expect(sizes.at(-1)).toBe(sizes[0]);
});

test.skipIf(problem !== undefined)('a step that fails is told once, tried again, and ends at close', async () => {
  const { volume, removeOld, sizeOf, warned, close } = open('64m', 5, 5);
  const insist = volume.insist.bind(volume);
  removeOld();
  volume.insist = () => {
    throw new Error('disk I/O error');
  };
  for (let look = 0; look < 3; look += 1) {
    volume.refresh();
    await watched(() => 0);
  }
  expect(warned).toEqual(['cannot make the data file smaller; trying again']);
  volume.insist = insist;
  volume.refresh();
  await setImmediate();
  await setImmediate();
  const before = sizeOf();
  close();
  expect((await watched(sizeOf)).at(-1)).toBeLessThanOrEqual(before);
  expect(sizeOf()).toBeGreaterThan(5.5 * mib);
  expect(warned).toHaveLength(1);
});
