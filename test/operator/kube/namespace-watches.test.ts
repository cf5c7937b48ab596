// Which namespaces may be read, told from the watches of each kind in each of them.
import { describe, expect, test } from 'vitest';
import type { SourceHealth } from '../../../src/kube/watch/source-record.ts';
import { accessOf, isSynced } from '../../../src/operator/kube/access.ts';

const source = (namespace: string | undefined, changes: Partial<SourceHealth> = {}): SourceHealth => ({
  kind: 'Cluster',
  namespace,
  synced: true,
  lastSyncAt: 0,
  watches: 1,
  relists: { expired: 0, fruitless: 0, absent: 0, schedule: 0 },
  failures: 0,
  failing: undefined,
  forbidden: false,
  ...changes,
});
const never = { synced: false, forbidden: true, failing: '403' };
const lost = { forbidden: true, failing: '403' };

describe('a namespace', () => {
  test.each<readonly [string, readonly SourceHealth[], object]>([
    ['is followed', [source('a'), source('a', { kind: 'Secret' })], { access: 'followed', forbidden: [] }],
    [
      'is lost with one of its kinds',
      [source('a'), source('a', { kind: 'Secret', ...lost })],
      { access: 'lost', forbidden: ['Secret'] },
    ],
    [
      'was never read as long as one of its kinds was not',
      [source('a', lost), source('a', { kind: 'Secret', ...never })],
      { access: 'unread', forbidden: ['Cluster', 'Secret'] },
    ],
    ['is followed while the API server cannot be reached', [source('a', { failing: 'reset' })], { access: 'followed' }],
  ])('%s', (_name, sources, expected) => {
    expect(accessOf([...sources, source('b')])).toEqual([
      expect.objectContaining({ namespace: 'a', ...expected }),
      { namespace: 'b', access: 'followed', forbidden: [] },
    ]);
  });

  test('is none where all are watched at once', () => {
    expect(accessOf([source(undefined, lost)])).toEqual([]);
  });
});

describe('the first lists are there', () => {
  test.each<readonly [string, readonly SourceHealth[], boolean]>([
    ['of all', [source('a'), source('b')], true],
    ['not while one is awaited', [source('a'), source('b', { synced: false })], false],
    ['of all that may be read', [source('a'), source('b', never)], true],
    ['not where nothing may be read', [source('a', never), source('b', never)], false],
    ['not where all namespaces are forbidden at once', [source(undefined, never)], false],
  ])('%s', (_name, sources, expected) => {
    expect(isSynced(sources)).toBe(expected);
  });
});
