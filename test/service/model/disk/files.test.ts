// Small files that decide something: what a full disk and a power loss leave of them, at each call of the system.
import { describe, expect, test } from 'vitest';
import { makeFolder, writeOnce, writeSafely } from '../../../../src/service/model/disk/atomic-files.ts';
import { type Found, FragileDisk } from './power-loss.ts';

const folder = '/runs/1';
const file = `${folder}/decision`;

/** Everything that a power loss after any call of `write` can leave. */
function outcomes(write: (disk: FragileDisk) => void, before: (disk: FragileDisk) => void = () => {}) {
  const found: Found[] = [];
  let isWatched = false;
  const disk = new FragileDisk(folder, (at) => void (isWatched && found.push(...at.afterPowerLoss())));
  before(disk);
  isWatched = true;
  write(disk);
  return { found, after: disk.afterPowerLoss() };
}

const full = () => {
  throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
};
const textsOf = (found: readonly Found[]) => new Set(found.map((each) => each[file]));

describe('a power loss', () => {
  test('leaves a decision whole, or none', () => {
    const { found, after } = outcomes(({ fs }) => expect(writeOnce(file, 'started', fs)).toBe(true));
    expect(textsOf(found)).toEqual(new Set(['started', undefined]));
    expect(textsOf(after)).toEqual(new Set(['started']));
  });

  test('does not take away the decision of somebody else that was relied on', () => {
    const linked = ({ fs }: FragileDisk) => {
      const opened = fs.openSync(`${file}.new`, 'w');
      fs.writeFileSync(opened, 'killed');
      fs.fsyncSync(opened);
      fs.linkSync(`${file}.new`, file);
    };
    const { after } = outcomes(({ fs }) => expect(writeOnce(file, 'started', fs)).toBe(false), linked);
    expect(textsOf(after)).toEqual(new Set(['killed']));
  });

  test('leaves a file that is replaced as it was, or as it is to be', () => {
    const earlier = ({ fs }: FragileDisk) => writeSafely(file, 'position 1', undefined, fs);
    const { found, after } = outcomes(({ fs }) => writeSafely(file, 'position 2', undefined, fs), earlier);
    expect(textsOf(found)).toEqual(new Set(['position 1', 'position 2']));
    expect(textsOf(after)).toEqual(new Set(['position 2']));
  });
});

test('a full disk does not keep what somebody else has made from counting', () => {
  const disk = new FragileDisk(folder);
  expect(writeOnce(file, 'started', disk.fs)).toBe(true);
  expect(writeOnce(file, 'killed', { ...disk.fs, writeFileSync: full })).toBe(false);
});

test('a full disk does not change a file that shares its content with an unfinished one', () => {
  const disk = new FragileDisk(folder);
  writeSafely(file, 'first', undefined, disk.fs);
  disk.fs.linkSync(file, `${file}.new`);
  expect(() => writeSafely(file, 'second', undefined, { ...disk.fs, writeFileSync: full })).toThrow('ENOSPC');
  expect(disk.found()[file]).toBe('first');
});

test('a power loss does not take away a folder that was made, nor those that it is in', () => {
  const { fs } = new FragileDisk(folder);
  const opened: unknown[] = [];
  const synced: unknown[] = [];
  makeFolder('/data/runs/1', {
    ...fs,
    mkdirSync: (() => '/data/runs') as never,
    openSync: (path) => opened.push(path) - 1,
    fsyncSync: (number) => void synced.push(opened[number]),
    closeSync: () => undefined,
  });
  expect(synced).toEqual(['/data/runs', '/data']);
});

describe.each([
  ['once', (disk: FragileDisk) => void writeOnce(file, 'text', disk.fs)],
  ['safely', (disk: FragileDisk) => writeSafely(file, 'text', undefined, disk.fs)],
])('a full disk at any call of a file that is written %s', (_name, write) => {
  const calls = (() => {
    const disk = new FragileDisk(folder);
    write(disk);
    return disk.calls;
  })();

  test.each(Array.from({ length: calls }, (_, index) => index + 1))('call %d: is whole or absent', (call) => {
    const disk = new FragileDisk(folder, undefined, { call, code: 'ENOSPC' });
    let failed: unknown;
    try {
      write(disk);
    } catch (error) {
      failed = error;
    }
    const found = disk.found();
    expect(['text', undefined]).toContain(found[file]);
    if (found[file] === undefined) expect(found).toEqual({});
    expect(failed).toMatchObject({ code: 'ENOSPC' });
  });
});
