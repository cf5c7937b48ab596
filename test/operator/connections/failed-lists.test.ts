// What a Connection is told of lists that cannot be read: not of one that was cut off by chance, and no longer than it lasts.
import { describe, expect, test } from 'vitest';
import type { RequestNote } from '../../../src/operator/client/http/request.ts';
import { noteList, type PoolEntry, unlistedOf } from '../../../src/operator/connections/pool-entry.ts';

const good: RequestNote = {
  method: 'GET',
  route: 'clusters',
  template: '/clusters',
  status: 200,
  category: undefined,
  ms: 1,
};
const bad: RequestNote = { ...good, category: 'malformed', why: 'it is garbage' };

/** What is told after these, and when there was something new to tell. */
function told(...notes: readonly RequestNote[]) {
  const entry = { failedLists: new Map() } as unknown as PoolEntry;
  const news = notes.map((note) => noteList(entry, note));
  return { news, unlisted: unlistedOf(entry) };
}

const clusters = [{ collection: 'clusters', why: 'it is garbage' }];

describe('a list that cannot be read', () => {
  test('is told once it fails again', () => {
    expect(told(bad)).toEqual({ news: [false], unlisted: [] });
    expect(told(bad, bad, bad)).toEqual({ news: [false, true, false], unlisted: clusters });
  });

  test('is told with another reason, and no more once it can be read', () => {
    const other = { ...bad, why: 'it has no end' };
    expect(told(bad, bad, other)).toEqual({
      news: [false, true, true],
      unlisted: [{ collection: 'clusters', why: 'it has no end' }],
    });
    expect(told(bad, bad, good)).toEqual({ news: [false, true, true], unlisted: [] });
    expect(told(bad, good, bad)).toEqual({ news: [false, false, false], unlisted: [] });
  });

  test.each<readonly [string, RequestNote]>([
    ['one object', { ...bad, template: '/clusters/{id}' }],
    ['a write', { ...bad, method: 'POST' }],
    ['what the Connection itself reads', { ...bad, route: 'plugins', template: '/plugins' }],
    ['a refused token', { ...bad, category: 'unauthorized' }],
  ])('is not %s', (_what, note) => {
    expect(told(note, note, note)).toEqual({ news: [false, false, false], unlisted: [] });
  });
});
