// The counts of NodeGroups in place of those of a Cluster.
import { describe, expect, test } from 'vitest';
import { isRecounted, nodesOf, ownersIn, withCounts } from '../../../../src/operator/kinds/cluster/counts.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { cluster } from '../../../../src/operator/kinds/cluster/schema.ts';
import type { OwnedCount } from '../../../../src/operator/reconcile/kind/kind.ts';
import { readResource } from '../../../../src/operator/reconcile/resource/facts.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import { clusterSpec, installation, ledgerOf, resourceOf } from '../../reconcile/support.ts';

const spec = cluster.spec.parse(clusterSpec);
const owned = new Map([
  ['worker', { name: 'workers', count: 7 }],
  ['missing', { name: 'lost', count: 3 }],
]);

test('each owner sets the count of its group, and nothing else', () => {
  const counted = withCounts(spec, owned);
  expect(counted.nodeGroups?.map(({ name, count }) => [name, count])).toEqual([
    ['master', 1],
    ['worker', 7],
  ]);
  expect([...ownersIn(counted)]).toEqual([['worker', { name: 'workers', count: 7 }]]);
  expect(spec.nodeGroups?.[1]?.count).toBe(2);
});

test('without owners, or without groups, the spec stays as it is', () => {
  expect(withCounts(spec, new Map())).toBe(spec);
  const bare = cluster.spec.parse({ clusterTemplateRef: { name: 'small' } });
  expect(withCounts(bare, owned)).toBe(bare);
});

describe('a count that its owner has changed is no drift', () => {
  const counted = withCounts(spec, owned);
  const groups = (desired: number) => ({ nodeGroups: [{ name: 'worker', desired, ready: 2 }] });
  test.each([
    ['another count', groups(2), true],
    ['the same count', groups(7), false],
    ['no nodes of the group', { nodeGroups: [] }, true],
    ['no groups yet', {}, false],
    ['no status', undefined, false],
    ['a mangled one', { nodeGroups: [null] }, true],
  ])('%s', (_, status, isNew) => {
    expect(isRecounted(counted, status)).toBe(isNew);
    expect(isRecounted(spec, status)).toBe(false);
  });
});

test('a pass works with the counts of the owners', () => {
  const status = { observedGeneration: 1, nodeGroups: [{ name: 'worker', desired: 2, ready: 2 }] };
  const facts = readResource(clusterKind, resourceOf({ status }), installation, owned);
  expect(facts.spec).toMatchObject({ ok: true, value: { nodeGroups: [{ count: 1 }, { count: 7 }] } });
  expect(facts.isRecounted).toBe(true);
});

describe('the status has what autoscaling found of a group', () => {
  const bounds = { minCount: 0, maxCount: 9, scaleDownAfterMs: 0 };
  const rowOf = (owner: Omit<OwnedCount, 'name'>, count: number) => {
    const counted = withCounts(spec, new Map([['worker', { name: 'workers', ...owner }]]));
    const remote: Cluster = { id: 'c-1', name: 'etl', status: 'Active', node_groups: [{ name: 'worker', count }] };
    const { nodeGroups } = clusterKind.report(remote, counted, ledgerOf(), 'etl') as {
      readonly nodeGroups: readonly { readonly name: string }[];
    };
    return nodeGroups.find(({ name }) => name === 'worker');
  };
  const ready = { name: 'worker', scaledBy: 'workers' };

  test.each<readonly [string, Omit<OwnedCount, 'name'>, number, object | undefined]>([
    [
      'a decision',
      { count: 5, bounds, decision: { reason: 'WithinRange', wanted: 5 } },
      2,
      { ...ready, desired: 5, ready: 2, autoscaling: { reason: 'WithinRange', wanted: 5 } },
    ],
    [
      'none yet',
      { count: 3, bounds },
      3,
      { ...ready, desired: 3, ready: 3, autoscaling: { reason: 'ClusterNotReady' } },
    ],
    [
      'that no node is left',
      { count: 0, bounds, decision: { reason: 'NoSignal' } },
      0,
      { ...ready, desired: 0, ready: 0, autoscaling: { reason: 'NoSignal' } },
    ],
    ['nothing, where it is not autoscaled', { count: 5 }, 5, { ...ready, desired: 5, ready: 5 }],
    ['no row, where it has no nodes and is not autoscaled', { count: 0 }, 0, undefined],
  ])('%s', (_, owner, count, row) => expect(rowOf(owner, count)).toEqual(row));
});

describe('the nodes of a Cluster', () => {
  const group = (name: string, desired: number, ready: number) => ({ name, desired, ready });
  const none = ledgerOf([]);
  const baseline = [
    { name: 'master', count: 1 },
    { name: 'worker', count: 4 },
  ];
  const templated = cluster.spec.parse({ clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo' });
  const target = { ...none, change: { target: { worker: 9 } } } as never;
  const autoscaled = (decision?: OwnedCount['decision']) =>
    withCounts(
      spec,
      new Map([
        [
          'worker',
          {
            name: 'w',
            count: 6,
            bounds: { minCount: 1, maxCount: 9, scaleDownAfterMs: 1 },
            ...(decision && { decision }),
          },
        ],
      ]),
    );

  test.each<readonly [string, Parameters<typeof nodesOf>, number]>([
    ['as the spec wants them', [spec, none, undefined], 3],
    ['of the template', [templated, { ...none, baseline }, undefined], 5],
    ['more than are wanted, until they are gone', [spec, none, { nodeGroups: [group('worker', 2, 5)] }], 6],
    ['of a group that is wanted no more', [spec, none, { nodeGroups: [group('old', 0, 2)] }], 5],
    ['that a scale under way asks for', [spec, target, { nodeGroups: [group('worker', 2, 2)] }], 10],
    ['of a spec that cannot be read', [undefined, none, { nodeGroups: [group('worker', 2, 1)] }], 2],
    ['of a status that is none', [spec, none, { nodeGroups: [null, 7, { name: 'worker', ready: 'x' }] }], 3],
    ['an autoscaled group begins with', [autoscaled(), none, undefined], 7],
    ['what became of an autoscaled group', [autoscaled(), none, { nodeGroups: [group('worker', 2, 2)] }], 3],
    [
      'that autoscaling decides on',
      [autoscaled({ reason: 'WithinRange', wanted: 6 }), none, { nodeGroups: [group('worker', 2, 2)] }],
      7,
    ],
  ])('%s', (_name, [of, ledger, status], expected) => {
    expect(nodesOf(of, ledger, status)).toBe(expected);
  });
});
