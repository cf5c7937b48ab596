// What was made of files is kept within a bound, and only as long as they do not change.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSafely } from '../../../../src/service/model/disk/atomic-files.ts';
import { ParsedFiles } from '../../../../src/service/model/disk/parsed-files.ts';
import { temporaryFolder } from '../../../plane/support.ts';

async function open(mostBytes: number) {
  const folder = await temporaryFolder();
  const parsed: string[] = [];
  const files = new ParsedFiles((file) => parsed.push(file), mostBytes);
  const path = (name: string) => join(folder, name);
  const write = (name: string, bytes: number) => writeSafely(path(name), 'x'.repeat(bytes));
  return { files, parsed, path, write, get: (name: string) => files.get(path(name)) };
}

test('a file that is replaced by one of the same length is parsed again, and one that is gone is not there', async () => {
  const { get, write, path } = await open(100);
  expect(get('a')).toBeUndefined();
  write('a', 10);
  expect([get('a'), get('a')]).toEqual([1, 1]);
  write('a', 10);
  expect([get('a'), get('a')]).toEqual([2, 2]);
  writeFileSync(path('a'), 'short');
  expect(get('a')).toBe(3);
  rmSync(path('a'));
  expect(get('a')).toBeUndefined();
});

test('those that were asked for longest ago are dropped first, and one that is too large is kept alone', async () => {
  const { get, write, parsed, path } = await open(100);
  for (const name of ['a', 'b', 'c']) write(name, 40);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'c', 'b']) get(name);
  expect(parsed).toEqual(['a', 'b', 'c', 'b'].map(path));
  write('large', 1_000);
  expect([get('large'), get('large'), parsed.length]).toEqual([5, 5, 5]);
  get('a');
  expect([get('large'), parsed.length]).toEqual([7, 7]);
});
