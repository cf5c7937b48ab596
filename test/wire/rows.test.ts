// The check of answered values: they fit, or the places are named without what stands there.
import { expect, test } from 'vitest';
import { check, routes } from '../../src/wire/routes.ts';

const { answer } = routes.clusters;

test('a row that fits comes back as its schema has it', () => {
  expect(check(answer, { id: '1', name: 'a', status: null, unknown: 1 }, 'cluster')).toEqual({
    fits: true,
    value: { id: '1', name: 'a', status: 'undefined' },
  });
});

test('one that does not fit is described by its places', () => {
  const bad = { id: 'secret-value', name: 7, node_groups: [{ name: 'g', count: 'many' }] };
  const checked = check(answer, bad, 'cluster');
  if (checked.fits) throw new Error('it fits');
  expect(checked.problem).toContain('cluster.name: ');
  expect(checked.problem).toContain('cluster.node_groups.0.count: ');
  expect(checked.problem).not.toContain('many');
});

test('many problems are counted, not listed', () => {
  const checked = check(answer, { id: 1, name: 2, status: 3, plugin_name: 4, bigdata_version: 5 }, 'cluster');
  expect(checked).toMatchObject({ fits: false, problem: expect.stringMatching(/; and 2 more$/) });
});

test('of a list that may be long only the first wrong item is reported', () => {
  const checked = check(answer, { id: '1', name: 'a', node_groups: [{ name: 'b', count: 1 }, 7, 7] }, 'cluster');
  expect(checked).toMatchObject({ fits: false, problem: expect.stringMatching(/^cluster\.node_groups\.1: [^;]+$/) });
});

test.each([null, 'text', [], 7])('%j is no row', (value) => {
  expect(check(answer, value, 'cluster').fits).toBe(false);
});
