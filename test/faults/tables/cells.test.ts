// The tables of the grid fit together, and its selection leaves no pair out.
import { describe, expect, test } from 'vitest';
import { allPairs, type Cell, deedsAndFaults, grid, pairwise, writesAndDeeds } from './cells.ts';
import { families, familyOf, faults } from './faults.ts';
import { pointOf, points } from './points.ts';
import { workloads } from './workloads.ts';

const { cells, voids } = grid();

describe('the grid', () => {
  test('has each write with each fault in each workload, void with a reason or not', () => {
    expect(cells.length + voids.length).toBe(points.length * faults.length * workloads.length);
    expect(new Set([...cells, ...voids].map(({ id }) => id)).size).toBe(cells.length + voids.length);
    expect(voids.filter(({ reason }) => reason === '')).toEqual([]);
  });

  test('has a workload for each write', () => {
    const reached = new Set(cells.map(({ point }) => point));
    expect(points.filter((point) => !reached.has(point)).map(({ id }) => id)).toEqual([]);
  });

  test('has words for each family of faults', () => {
    expect([...new Set(faults.map(familyOf))].filter((family) => families[family] === undefined)).toEqual([]);
  });

  test('names in its workloads only writes that there are', () => {
    const known = points.map(({ id }) => id);
    expect(workloads.flatMap(({ passes }) => passes).filter((id) => !known.includes(id))).toEqual([]);
  });
});

type Pair = readonly [what: string, pair: (cell: Cell) => string];

const writesInWorkloads: Pair = [
  'every write in each of its workloads',
  ({ point, workload }) => `${point.id} ${workload.name}`,
];
const deedsWithFaults: Pair = [
  'everything that is done with each kind of fault',
  ({ point, fault: { id } }) => `${point.deed} ${id.split('-')[0]}`,
];
const faultsInWorkloads: Pair = [
  'each kind of fault in each workload',
  ({ fault: { id }, workload }) => `${id.split('-')[0]} ${workload.name}`,
];
const eachWrite: Pair = ['every write', ({ point }) => point.id];
const eachFault: Pair = ['every fault', ({ fault: { id } }) => id];

describe.each([
  ['for every run of the tests', deedsAndFaults, 160, [eachWrite, deedsWithFaults, eachFault]],
  ['for a real API server', writesAndDeeds, 255, [writesInWorkloads, deedsWithFaults, eachFault]],
  ['for simulated worlds', allPairs, 440, [writesInWorkloads, deedsWithFaults, faultsInWorkloads, eachFault]],
] as const)('the selection %s', (_name, pairsOf, most, has) => {
  const selection = pairwise(cells, pairsOf);
  const pairs = (of: readonly Cell[], pair: (cell: Cell) => string): number => new Set(of.map(pair)).size;

  test.each(has)('has %s', (_what, pair) => {
    expect(pairs(selection, pair)).toBe(pairs(cells, pair));
  });

  test('is small, and the same each time', () => {
    expect(selection.length).toBeLessThan(most);
    expect(pairwise(cells, pairsOf).map(({ id }) => id)).toEqual(selection.map(({ id }) => id));
  });
});

describe('a write', () => {
  const patch = { side: 'kubernetes', method: 'PATCH' } as const;
  const cluster = '/apis/dataprocessing.dev/v1alpha1/namespaces/team/clusters/etl';
  const held = (ledger: object) => ({
    metadata: {
      finalizers: ['dataprocessing.dev/external'],
      annotations: { 'dataprocessing.dev/ledger': JSON.stringify(ledger) },
    },
  });

  test.each([
    ['intend cluster', held({ claims: [{ attempts: { open: 1 } }] })],
    ['record cluster', held({ claims: [{ id: 'x' }] })],
    ['record cluster', held({ claims: [{ attempts: { open: 0 } }] })],
    ['record cluster', held({ claims: [{ id: 'x', attempts: { open: 1 } }] })],
    ['intend change of cluster', held({ claims: [{ id: 'x' }], change: {} })],
    ['release cluster', { metadata: { finalizers: [] } }],
    [undefined, { metadata: { labels: {} } }],
  ])('is %s by its body', (id, body) => {
    expect(pointOf({ ...patch, path: cluster, body })?.id).toBe(id);
  });

  test.each([
    ['PUT', `${cluster}/status`],
    ['DELETE', cluster.replace('clusters', 'connections')],
    ['POST', '/api/v1/namespaces/team/secrets'],
  ])('that nobody foresaw is none: %s %s', (method, path) => {
    expect(pointOf({ side: 'kubernetes', method, path, body: {} })).toBeUndefined();
  });
});
