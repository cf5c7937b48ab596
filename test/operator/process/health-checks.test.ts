// Each health check in trouble and well.
import { describe, expect, test } from 'vitest';
import {
  cachesSynced,
  leaseWorks,
  notDraining,
  passesEnd,
  watchesWork,
} from '../../../src/operator/process/health-checks.ts';

describe('passes', () => {
  const limit = { ms: 600_000 };
  const check = (longest: { readonly key: string; readonly ms: number } | undefined) =>
    passesEnd(
      () => ({ longest }),
      () => limit.ms,
    ).trouble();

  test('are well while none hangs', () => {
    expect([check(undefined), check({ key: 'Cluster/team/etl', ms: 600_000 })]).toEqual([undefined, undefined]);
  });

  test('are in trouble when one lasts too long, and say which', () => {
    expect(check({ key: 'Cluster/team/etl', ms: 601_000 })).toBe(
      'the reconciliation of Cluster/team/etl has taken 601 s, longer than 600 s',
    );
  });

  test('may last longer once more patience is asked for', () => {
    limit.ms = 700_000;
    expect(check({ key: 'Cluster/team/etl', ms: 601_000 })).toBeUndefined();
  });
});

test('caches are well once every kind has been listed, and name those that have not', () => {
  const synced = new Set(['Cluster']);
  const check = cachesSynced((kind) => synced.has(kind), ['Cluster', 'Image', 'Connection']);
  expect(check.trouble()).toBe('the first list has not arrived of: Image, Connection');
  for (const kind of ['Image', 'Connection']) synced.add(kind);
  expect(check.trouble()).toBeUndefined();
});

test.each([
  [[], undefined],
  [[60_000], undefined],
  [[3_000, 60_001, 5_000], 'the API server has not been watched for 60 s: cause 60001'],
])('watches that fail for %s ms: %s', (times, expected) => {
  const failing = times.map((ms) => ({ ms, why: `cause ${ms}` }));
  expect(watchesWork(() => failing, 60_000).trouble()).toBe(expected);
});

test.each([
  ['was never seen', { seen: false, trouble: undefined }, 'the lease has not been read yet'],
  [
    'cannot be read',
    { seen: false, trouble: { ms: 1, why: 'forbidden' } },
    'the lease has not been read yet: forbidden',
  ],
  ['works', { seen: true, trouble: undefined }, undefined],
  ['fails for a moment', { seen: true, trouble: { ms: 60_000, why: 'timeout' } }, undefined],
  [
    'fails for long',
    { seen: true, trouble: { ms: 61_000, why: 'timeout' } },
    'the lease has not been reached for 61 s: timeout',
  ],
] as const)('a lease that %s', (_name, sight, expected) => {
  expect(leaseWorks(() => sight, 60_000).trouble()).toBe(expected);
});

test.each([
  ['starting', undefined],
  ['running', undefined],
  ['draining', 'the process is draining'],
  ['stopped', 'the process is stopped'],
] as const)('a process that is %s: %s', (state, expected) => {
  expect(notDraining(() => state).trouble()).toBe(expected);
});
