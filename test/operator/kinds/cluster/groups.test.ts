// Which groups a cluster wants: those of its template at creation, overlaid by its own; and what cannot be added.
import { describe, expect, test } from 'vitest';
import { type GroupDiff, madeFrom } from '../../../../src/operator/kinds/cluster/difference.ts';
import { wantedGroups } from '../../../../src/operator/kinds/cluster/groups.ts';
import type { Ledger } from '../../../../src/operator/reconcile/kind/kind.ts';
import { ledgerOf } from '../../reconcile/support.ts';
import { clusterSpecOf, fromTemplate, masterId, ownCluster } from '../support/mapping.ts';
import {
  addWorker,
  baseline,
  byTemplate,
  type Case,
  differs,
  made,
  ofTemplate,
  own,
  ownGroups,
  plain,
  request,
  two,
} from '../support/scaling.ts';

describe('wanted', () => {
  const wanted = (spec: object, of: Ledger['baseline'], from?: Ledger['madeFrom']) => {
    const result = wantedGroups(clusterSpecOf(spec), { baseline: of, madeFrom: from });
    return typeof result === 'string'
      ? result
      : [...result.values()].map(({ name, count, source }) => [name, count, source]);
  };
  test.each<readonly [string, object, Ledger['baseline'], unknown]>([
    [
      'the template as it was at creation',
      fromTemplate,
      baseline,
      [
        ['worker', 2, 'template'],
        ['master', 1, 'template'],
      ],
    ],
    [
      'a count of its own',
      { ...fromTemplate, nodeGroups: [plain('worker', 7)] },
      baseline,
      [
        ['worker', 7, 'template'],
        ['master', 1, 'template'],
      ],
    ],
    [
      'an added group',
      { ...fromTemplate, nodeGroups: [byTemplate('edge', 1)] },
      baseline,
      [
        ['worker', 2, 'template'],
        ['master', 1, 'template'],
        ['edge', 1, 'ref:worker'],
      ],
    ],
    ...[own('worker', 1), byTemplate('worker', 1), { name: 'worker', count: 1, nodeGroupTemplateID: masterId }].map(
      (entry) =>
        [
          'a group of the template with more than its count',
          { ...fromTemplate, nodeGroups: [entry] },
          baseline,
          expect.stringMatching(/^spec\.nodeGroups\[worker\]: group worker belongs to the template: only its count/),
        ] as const,
    ),
    [
      'groups alone',
      ownCluster,
      undefined,
      [
        ['master', 1, 'inline'],
        ['worker', 2, 'ref:worker'],
      ],
    ],
    [
      'by raw id',
      { ...ownCluster, nodeGroups: [{ name: 'a', count: 1, nodeGroupTemplateID: masterId }] },
      undefined,
      [['a', 1, `id:${masterId}`]],
    ],
    [
      'a count for nothing',
      { ...fromTemplate, nodeGroups: [plain('edge', 1)] },
      baseline,
      expect.stringMatching(/spec\.nodeGroups\[edge\]: the template has no group/),
    ],
    ['nothing', fromTemplate, undefined, []],
  ])('%s', (_name, spec, of, expected) => {
    expect(wanted(spec, of)).toEqual(expected);
  });

  test('a group that an earlier version made from the entry, and not from the template, stays what it is', () => {
    const spec = { ...fromTemplate, nodeGroups: [byTemplate('worker', 3)] };
    const groups = [
      ['worker', 3, 'ref:worker'],
      ['master', 1, 'template'],
    ];
    expect(wanted(spec, baseline, { worker: 'ref:worker' })).toEqual(groups);
    expect(wanted(spec, baseline, { worker: 'ref:other' })).toEqual(groups);
    expect(wanted(spec, baseline, { worker: 'template' })).toMatch(/belongs to the template/);
  });
});

describe('what cannot be added', () => {
  test.each<readonly [string, Case, unknown]>([
    [
      'an inline group, in neutral',
      { spec: ownGroups(own('master', 1), own('edge', 1)), have: { master: 1 } },
      'unfixable',
    ],
    [
      'not even an inline group that a failure has removed',
      { spec: two, ledger: made, have: { worker: 2 } },
      'unfixable',
    ],
    [
      'an inline group, in a dialect that takes it',
      { spec: ownGroups(own('master', 1), own('edge', 1)), have: { master: 1 }, dialect: 'sahara' },
      { add_node_groups: [{ name: 'edge', count: 1, flavor_id: '2', node_processes: ['a'] }] },
    ],
    [
      'a removed group of the template, by its template',
      { spec: fromTemplate, ledger: ofTemplate, have: { master: 1 } },
      { add_node_groups: [addWorker('worker', 2)] },
    ],
    [
      'a removed group of the template that had its own flavor',
      { spec: fromTemplate, ledger: ofTemplate, have: { worker: 2 } },
      'unfixable',
    ],
    [
      'an inline group that wants none',
      { spec: ownGroups(own('master', 1), own('edge', 0)), have: { master: 1 } },
      'none',
    ],
  ])('%s', (_name, of, expected) => {
    expect(request(of)).toEqual(expected);
  });

  test('is told with field and remedy', () => {
    expect(differs({ spec: ownGroups(own('master', 1), own('edge', 1)), have: { master: 1 } })).toMatchObject({
      message: expect.stringMatching(
        /^spec\.nodeGroups\[edge\]: .*remove the entry, and add one with a nodeGroupTemplateRef in its place: under another name at once, under this name in a second edit$/,
      ),
      drift: [{ path: 'spec.nodeGroups[edge].count', want: '1', have: '0', fixable: false }],
    });
    expect(differs({ spec: fromTemplate, ledger: ofTemplate, have: { worker: 1 } })).toMatchObject({
      message: expect.stringMatching(
        /^spec\.nodeGroups\[master\]: .*set count 0 in an entry of this name .* under another name with a nodeGroupTemplateRef/,
      ),
      drift: [
        { path: 'spec.nodeGroups[worker].count', want: '2', have: '1', fixable: true },
        { path: 'spec.nodeGroups[master].count', want: '1', have: '0', fixable: false },
      ],
    });
  });

  test('an entry that fits no group is told, and nothing is scaled', () => {
    expect(
      differs({ spec: { ...fromTemplate, nodeGroups: [plain('edge', 1)] }, ledger: ofTemplate, have: {} }),
    ).toMatchObject({ state: 'unfixable', drift: [] });
  });
});

describe('what a change says of itself', () => {
  const found = differs({ spec: two, ledger: made, have: { master: 2, stray: 1 } });
  test('target, references and words', () => {
    expect(found).toMatchObject({
      state: 'change',
      target: { master: 1, worker: 2, stray: 0 },
      uses: [{ kind: 'NodeGroupTemplate', name: 'worker' }],
      summary: 'master from 2 to 1, stray from 1 to 0, worker from 0 to 2',
    });
  });

  test('a mere resize uses no reference', () => {
    expect(differs({ spec: two, ledger: made, have: { master: 1, worker: 9 } })).toMatchObject({ uses: [] });
  });

  test('what was added is remembered by what it was made from', () => {
    const diff: GroupDiff = { resize: [], add: [{ name: 'edge', count: 1, source: 'ref:worker' }] };
    expect(
      madeFrom(clusterSpecOf(two), diff, ledgerOf([], { madeFrom: { edge: 'inline', master: 'inline' } })),
    ).toEqual({
      edge: 'ref:worker',
      master: 'inline',
    });
  });
});
