// When a program counts as ended by the kernel for lack of memory.
import { expect, test } from 'vitest';
import { OomWatch, oomCountOf, oomFileOf } from '../../../../../src/service/backends/processes/jobs/out-of-memory.ts';
import { ManualClock } from '../../../../support/clock.ts';

test.each([
  ['0::/user.slice/session-1.scope\n', '/sys/fs/cgroup/user.slice/session-1.scope/memory.events'],
  ['0::/\n', '/sys/fs/cgroup//memory.events'],
  ['0::/odd:name\n', '/sys/fs/cgroup/odd:name/memory.events'],
  ['4:cpu,cpuacct:/a\n3:memory:/docker/b\n0::/c\n', '/sys/fs/cgroup/memory/docker/b/memory.oom_control'],
  ['5:hugetlb,memory:/b\n', '/sys/fs/cgroup/memory/b/memory.oom_control'],
  ['', undefined],
])('the file with the count of %j is %s', (groups, file) => {
  expect(oomFileOf(groups)).toBe(file);
});

test('of a process that is not there, nothing is known', () => {
  expect(oomCountOf(2 ** 30)()).toBeUndefined();
});

function watch(first: number | undefined) {
  const clock = new ManualClock();
  const state = { count: first };
  const watched = new OomWatch(() => state.count, clock);
  const pass = async (ms: number, count: number | undefined) => {
    state.count = count;
    await clock.advance(ms);
    watched.look();
  };
  return { state, watched, pass };
}

test('only what the kernel counts in the last seconds before the end is of this program', async () => {
  const { state, watched, pass } = watch(1);
  expect(watched.hasRisen).toBe(false);
  state.count = 2;
  expect(watched.hasRisen).toBe(true);
  await pass(1000, 2);
  // It may have been counted just before it was looked at.
  expect(watched.hasRisen).toBe(true);
  await pass(500, 2);
  expect(watched.hasRisen).toBe(true);
  await pass(600, 2);
  expect(watched.hasRisen).toBe(false);
});

test('a count that is not known has not risen', async () => {
  const { state, watched, pass } = watch(undefined);
  state.count = 5;
  expect(watched.hasRisen).toBe(false);
  await pass(1000, 5);
  await pass(1000, undefined);
  expect(watched.hasRisen).toBe(false);
});
