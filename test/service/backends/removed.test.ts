// What was removed is remembered as long as it can matter, and not for the life of the service.
import { expect, test } from 'vitest';
import { RunFolders } from '../../../src/service/backends/processes/jobs/run-folders.ts';
import { leastRemembered, Removed } from '../../../src/service/backends/removed.ts';

const ids = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test.each([1, leastRemembered - 1, leastRemembered, leastRemembered + 1])(
  'the latest identifiers are known after %d others, and old ones take no memory',
  (count) => {
    const removed = new Removed();
    for (const id of ids(count, 'other')) removed.add(id);
    const latest = ids(leastRemembered, 'latest');
    for (const id of latest) removed.add(id);
    expect(latest.every((id) => removed.has(id))).toBe(true);
    for (const id of ids(2 * leastRemembered, 'later')) removed.add(id);
    expect([...latest, ...ids(count, 'other')].some((id) => removed.has(id))).toBe(false);
  },
);

test('what was not removed is not known', () => {
  const removed = new Removed();
  removed.add('one');
  expect([removed.has('one'), removed.has('other')]).toEqual([true, false]);
});

test('a removed run must not start, and is not remembered for the life of the service', () => {
  const runs = new RunFolders('/nowhere/runs');
  runs.remove('first');
  expect(runs.decision('first')).toBe('killed');
  for (const id of ids(2 * leastRemembered, 'later')) runs.remove(id);
  expect(runs.decision('first')).toBeUndefined();
});
