// Plans for what differs from its spec: announced, sent, tried again, and told when it has no effect.
import { describe, expect, test } from 'vitest';
import { changeText } from '../../../../src/operator/reconcile/key-memory.ts';
import type { Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { changeDone } from '../../../../src/operator/reconcile/plan/next-step.ts';
import {
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  conditionsAs,
  groups,
  image,
  iso,
  ledgerOf,
  resourceOf,
  type SituationOptions,
  wall,
} from '../support.ts';
import { planOf } from './matchers.ts';

const recorded = ledgerOf([claimOf({ id: 'id-1' })]);

const planned = (options: SituationOptions) => planOf({ ledger: recorded, ...options });

describe('a change', () => {
  const wider = {
    ...clusterSpec,
    nodeGroups: [clusterSpec.nodeGroups[0], { ...clusterSpec.nodeGroups[1], count: 5 }],
  };
  const ready = {
    spec: wider,
    metadata: { generation: 3 },
    rows: [clusterRow({ status_description: 'quota exceeded' })],
  };
  const change = (tries: number, agoMs: number, target: Record<string, number> = { worker: 5 }): Ledger => ({
    ...recorded,
    change: { generation: 2, target, sentAt: iso(wall - agoMs), tries },
  });
  const minutes = 60_000;
  /** This process has sent its request. */
  const sent = (ledger: Ledger) => ({ ledger, memory: { sentChange: ledger.change && changeText(ledger.change) } });

  const toldAs = (reason: string, message: string, more: object = {}) => {
    const outcome = { result: 'waiting', on: 'service', reason, message };
    const event = { type: 'Normal', reason, action: 'Scale', note: message };
    return { earlyStatus: outcome, report: { outcome: { ...outcome, ...more }, event } };
  };

  const settledWith = (desired: number) => ({
    metadata: { generation: 3 },
    memory: { settledGeneration: 3 },
    status: {
      observedGeneration: 3,
      conditions: conditionsAs(3, wall, [['Ready', 'True', 'Available']]),
      nodeGroups: [{ name: 'worker', desired, ready: desired, scaledBy: 'workers' }],
    },
    owned: new Map([['worker', { name: 'workers', count: 5 }]]),
  });

  test('of the count of a NodeGroup is a scale, also of a settled generation', () => {
    expect(planned({ ...settledWith(2), rows: [clusterRow()] })).toMatchObject({
      change: { resize_node_groups: [{ name: 'worker', count: 5 }] },
      report: { outcome: { reason: 'Scaling', message: 'scaling worker from 2 to 5' } },
    });
  });

  test('that somebody else made of the count of a NodeGroup is undone', () => {
    expect(planned({ ...settledWith(5), rows: [clusterRow()] })).toMatchObject({
      change: { resize_node_groups: [{ name: 'worker', count: 5 }] },
      report: { outcome: { reason: 'CorrectingDrift' } },
    });
  });

  test('is announced in the ledger with its target, and sent by id', () => {
    expect(planned(ready)).toMatchObject({
      action: 'update',
      id: 'id-1',
      change: { resize_node_groups: [{ name: 'worker', count: 5 }] },
      ledger: { change: { generation: 3, target: { worker: 5 }, sentAt: iso(wall), tries: 1 } },
      doing: `scale Cluster ${clusterName} (worker from 2 to 5)`,
      ...toldAs('Scaling', 'scaling worker from 2 to 5'),
    });
  });

  test('that adds a group remembers what it was made from', () => {
    const nodeGroups = [...clusterSpec.nodeGroups, { name: 'spot', count: 2, nodeGroupTemplateID: image }];
    const ledger = { ...recorded, madeFrom: { worker: 'inline' } };
    expect(planned({ ...ready, ledger, spec: { ...clusterSpec, nodeGroups } })).toMatchObject({
      action: 'update',
      ledger: { madeFrom: { worker: 'inline', spot: `id:${image}` }, change: { target: { spot: 2 } } },
      madeFrom: { worker: 'inline' },
      ...toldAs('Scaling', 'scaling spot from 0 to 2'),
    });
  });

  test.each<readonly [string, Ledger, object]>([
    [
      'Active without effect: tried a second time',
      change(1, 1),
      { action: 'update', ledger: { change: { tries: 2 } } },
    ],
    [
      'twice without effect: told, with the text of the service',
      change(2, 1),
      {
        result: 'refused',
        reason: 'ScaleHasNoEffect',
        message: expect.stringMatching(/worker from 2 to 5.*quota exceeded/),
      },
    ],
    ['not sooner than ten minutes later', change(2, 10 * minutes - 1), { reason: 'ScaleHasNoEffect' }],
    ['slowly tried again', change(2, 10 * minutes), { action: 'update', ledger: { change: { tries: 3 } } }],
    ['and again', change(7, 10 * minutes), { action: 'update', ledger: { change: { tries: 8 } } }],
    [
      'another target starts anew',
      change(2, 1, { worker: 4 }),
      { action: 'update', ledger: { change: { tries: 1, target: { worker: 5 } } } },
    ],
    [
      'a target of other groups starts anew',
      change(2, 1, { worker: 5, master: 0 }),
      { action: 'update', ledger: { change: { tries: 1 } } },
    ],
    [
      'a time that cannot be read is long ago',
      { ...recorded, change: { generation: 2, target: { worker: 5 }, sentAt: '?', tries: 2 } },
      { action: 'update' },
    ],
  ])('%s', (_name, ledger, expected) => {
    expect(planned({ ...ready, ...sent(ledger) })).toMatchObject(expected);
  });

  test.each([
    ['the first try', 1],
    ['the second', 2],
  ])('%s is not counted where its answer says nothing', (_name, tries) => {
    const again = planned({ ...ready, ledger: change(tries, 1), memory: { unansweredChange: true } });
    expect(again).toMatchObject({ action: 'update', repeats: true, ledger: { change: { tries } } });
    const other = planned({ ...ready, ledger: change(tries, 1, { worker: 9 }), memory: { unansweredChange: true } });
    expect(other).toMatchObject({ action: 'update', repeats: false, ledger: { change: { tries: 1 } } });
  });

  describe('that another process announced, and perhaps never sent', () => {
    const doubted = (doubts: number, agoMs = 1, tries = 2): Ledger => {
      const ledger = change(tries, agoMs);
      return { ...ledger, ...(ledger.change && { change: { ...ledger.change, doubts } }) };
    };
    const told = {
      status: { observedGeneration: 3, conditions: conditionsAs(3, wall, [['Ready', 'False', 'ScaleHasNoEffect']]) },
    };
    const once = { action: 'update', repeats: false, ledger: { change: { tries: 2, doubts: 1 } } };
    test.each<readonly [string, SituationOptions, object]>([
      ['is the same try once more', { ledger: change(2, 1) }, once],
      ['also where this one sent another', { ...sent(change(1, 1)), ledger: change(2, 1) }, once],
      ['and again', { ledger: doubted(1) }, { ledger: { change: { tries: 2, doubts: 2 } } }],
      ['is known by what it said of it', { ledger: change(2, 1), ...told }, { reason: 'ScaleHasNoEffect' }],
      [
        'is not known by what it said of an older spec',
        { ledger: change(2, 1), status: { ...told.status, observedGeneration: 2 } },
        once,
      ],
      [
        'is not known by what it said of something else',
        {
          ledger: change(2, 1),
          status: { observedGeneration: 3, conditions: conditionsAs(3, wall, [['Ready', 'False', 'Scaling']]) },
        },
        once,
      ],
      ['counts once this one has sent it', sent(doubted(3, 1, 1)), { ledger: { change: { tries: 2 } } }],
      ['had no effect once this one has sent it', sent(doubted(1)), { reason: 'ScaleHasNoEffect' }],
      [
        'waits once it was announced four times',
        { ledger: doubted(3) },
        {
          result: 'waiting',
          on: 'time',
          reason: 'Scaling',
          message:
            'the operator restarted 4 times before it recorded whether it sent the request. It retries at 10:11 UTC; check why it restarts (kubectl logs --previous)',
          afterMs: 10 * minutes - 1,
        },
      ],
      ['does not wait before that', { ledger: doubted(2) }, { ledger: { change: { doubts: 3 } } }],
      [
        'is not counted where its answer says nothing',
        { ledger: doubted(1), memory: { unansweredChange: true } },
        { repeats: true, ledger: { change: { tries: 2, doubts: 1 } } },
      ],
      ['no longer than ten minutes', { ledger: doubted(3, 10 * minutes) }, { ledger: { change: { doubts: 4 } } }],
      [
        'is of no interest where another is wanted',
        { ledger: change(2, 1, { worker: 4 }) },
        { ledger: { change: { tries: 1 } } },
      ],
    ])('%s', (_name, options, expected) => {
      expect(planned({ ...ready, ...options })).toMatchObject(expected);
    });

    test('leaves no doubt behind when it is counted', () => {
      const { ledger } = planned({ ...ready, ...sent(doubted(3, 1, 1)) }) as { ledger: Ledger };
      expect(ledger.change).not.toHaveProperty('doubts');
    });
  });

  const drift = [{ path: 'spec.nodeGroups[worker].count', want: '5', have: '2', fixable: true }];
  const correction = {
    reason: 'CorrectingDrift',
    message: 'restoring what another client changed in the service: worker from 2 to 5',
    drift,
  };
  const available = (generation: number) => ({
    observedGeneration: generation,
    conditions: conditionsAs(generation, wall, [['Ready', 'True', 'Available']]),
  });
  const correcting = (generation: number) => ({
    observedGeneration: generation,
    conditions: conditionsAs(generation, wall, [['Ready', 'False', 'CorrectingDrift']]),
  });
  test.each<readonly [string, SituationOptions, object]>([
    [
      'of what was right for this generation was made behind our back',
      { memory: { settledGeneration: 3 } },
      correction,
    ],
    [
      'of what was right for an older generation was asked for',
      { memory: { settledGeneration: 2 } },
      { reason: 'Scaling' },
    ],
    ['of what the status says was right, after a restart', { status: available(3) }, correction],
    ['of what is being put right stays that, also after a restart', { status: correcting(3) }, correction],
    ['until the spec changes', { status: correcting(2) }, { reason: 'Scaling' }],
  ])('%s', (_name, options, expected) => {
    const result = planned({ ...ready, ...options });
    expect(result).toMatchObject({ action: 'update', report: { outcome: expected } });
    expect('report' in result && 'drift' in result.report.outcome).toBe('drift' in expected);
  });

  test('that is done leaves the ledger', () => {
    const rows = [clusterRow({ node_groups: groups({ master: 1, worker: 5 }) })];
    expect(planned({ spec: wider, rows, ledger: change(1, 1) })).toEqual(changeDone(recorded, 1));
  });

  describe('that is under way', () => {
    const working = (counts: Record<string, number>, text?: string) => ({
      ledger: change(1, 1, { worker: 8 }),
      rows: [
        clusterRow({
          status: 'Validating',
          node_groups: groups({ master: 1, ...counts }),
          ...(text === undefined ? {} : { status_description: text }),
        }),
      ],
    });
    const wanting = (count: number, more: readonly object[] = []) => ({
      ...clusterSpec,
      nodeGroups: [clusterSpec.nodeGroups[0], { ...clusterSpec.nodeGroups[1], count }, ...more],
    });
    const said = (message: string) => ({
      status: {
        observedGeneration: 1,
        conditions: conditionsAs(1, wall, [['Ready', 'False', 'Scaling']]).map((one) =>
          one.type === 'Ready' ? { ...one, message } : one,
        ),
      },
    });
    const spot = { name: 'spot', count: 2, nodeGroupTemplateID: image };
    const waits = 'scaling worker to 8; count 5 of worker waits until this has ended';
    test.each<readonly [string, SituationOptions, string]>([
      ['is what is wanted', { spec: wanting(8), ...working({ worker: 2 }) }, 'scaling worker to 8'],
      ['keeps a newer count waiting', { spec: wanting(5), ...working({ worker: 2 }) }, waits],
      [
        'keeps the count waiting that the group still has',
        { spec: wanting(2), ...working({ worker: 2 }) },
        'scaling worker to 8; count 2 of worker waits until this has ended',
      ],
      [
        'keeps all that is newer waiting',
        { spec: wanting(5, [spot]), ...working({ worker: 8 }) },
        'scaling worker to 8; counts 5 of worker, 2 of spot wait until this has ended',
      ],
      [
        'waits itself, for what the service says',
        { spec: wanting(5), ...working({ worker: 8 }, 'no node has room; 3 pods wait') },
        `${waits}. The service reports: no node has room; 3 pods wait`,
      ],
      [
        'keeps the words that it was announced with',
        {
          spec: wanting(5),
          ...working({ worker: 8 }, 'now'),
          ...said(
            'scaling worker from 2 to 8; count 9 of worker waits until this has ended. The service reports: then',
          ),
        },
        'scaling worker from 2 to 8; count 5 of worker waits until this has ended. The service reports: now',
      ],
      [
        'tells no more of what has passed',
        {
          spec: wanting(8),
          ...working({ worker: 8 }),
          ...said('scaling worker from 2 to 8. The service reports: then'),
        },
        'scaling worker from 2 to 8',
      ],
      [
        'says nothing of counts that the spec cannot have',
        { spec: wanting(5, [{ name: 'nowhere', count: 1 }]), ...working({ worker: 2 }) },
        'scaling worker to 8',
      ],
    ])('%s', (_name, options, message) => {
      expect(planned(options)).toMatchObject({ result: 'waiting', on: 'service', reason: 'Scaling', message });
    });
  });

  test('of no text says so', () => {
    expect(planned({ ...ready, rows: [clusterRow()], ...sent(change(2, 1)) })).toMatchObject({
      message: expect.stringContaining('the service gave no reason'),
    });
  });

  test('asks only for the references that it uses', () => {
    const byReference = {
      ...clusterSpec,
      nodeGroups: [
        { name: 'master', count: 3, flavorID: '3', nodeProcesses: ['namenode'] },
        { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'gone' } },
      ],
    };
    const reference = { field: 'f', kind: 'NodeGroupTemplate', name: 'gone' };
    const resolutions = [{ state: 'awaited', reference, message: 'gone is missing' }] as const;
    const resize = { spec: byReference, rows: [clusterRow()], resolutions };
    expect(planned(resize)).toMatchObject({
      action: 'update',
      earlyStatus: { message: 'scaling master from 1 to 3' },
    });
    const known = { field: 'f', kind: 'NodeGroupTemplate', name: 'small' };
    const resolved = { state: 'resolved', reference: known, resource: resourceOf(), id: 'ngt-1', claims: [] } as const;
    const nodeGroups = [...byReference.nodeGroups, { name: 'spot', count: 1, nodeGroupTemplateRef: { name: 'small' } }];
    const another = { ...resize, spec: { ...byReference, nodeGroups }, resolutions: [...resolutions, resolved] };
    expect(planned(another)).toMatchObject({ action: 'update', ledger: { madeFrom: { spot: 'ref:small' } } });
    const add = { ...resize, rows: [clusterRow({ node_groups: groups({ master: 3 }) })] };
    expect(planned(add)).toMatchObject({ result: 'waiting', reason: 'DependencyNotReady', message: 'gone is missing' });
  });

  const notFixable = (generation: number) => ({
    observedGeneration: generation,
    conditions: conditionsAs(generation, wall, [['Ready', 'False', 'DriftNotFixable']]),
  });
  const lost = [{ path: 'spec.nodeGroups[worker].count', want: '2', have: '0', fixable: false }];
  test.each<readonly [string, SituationOptions, string]>([
    ['that the user asks for', {}, 'InvalidSpec'],
    ['of what was right for an older generation', { memory: { settledGeneration: 1 } }, 'InvalidSpec'],
    ['of what was right for an older generation, after a restart', { status: available(1) }, 'InvalidSpec'],
    ['of what was right for this generation', { memory: { settledGeneration: 2 } }, 'DriftNotFixable'],
    ['of what was right for this generation, after a restart', { status: available(2) }, 'DriftNotFixable'],
    ['of what is told already', { status: notFixable(2) }, 'DriftNotFixable'],
    ['of what was told of the spec before', { status: notFixable(1) }, 'InvalidSpec'],
  ])('%s, and the interface cannot carry, is refused', (_name, options, reason) => {
    const rows = [clusterRow({ node_groups: groups({ master: 1 }) })];
    const result = planned({ rows, metadata: { generation: 2 }, ...options });
    expect(result).toMatchObject({ result: 'refused', reason });
    expect('drift' in result && result.drift).toEqual(reason === 'DriftNotFixable' && lost);
  });

  test('of what was right names what cannot be undone, and nothing else', () => {
    const nodeGroups = [
      ...clusterSpec.nodeGroups,
      { name: 'edge', count: 1, flavorID: '2', nodeProcesses: ['datanode'] },
    ];
    const rows = [clusterRow({ node_groups: groups({ master: 4 }) })];
    const result = planned({ spec: { ...clusterSpec, nodeGroups }, rows, memory: { settledGeneration: 1 } });
    expect(result).toMatchObject({
      message: expect.stringMatching(
        /^another client changed the service in a way that the operator cannot undo \(spec\.nodeGroups\[worker\]\.count from 2 to 0, spec\.nodeGroups\[edge\]\.count from 1 to 0\): spec\.nodeGroups\[worker\]: the cluster has no such group/,
      ),
      drift: [{ want: '1', have: '4', fixable: true }, { fixable: false }, { fixable: false }],
    });
  });

  test('for which the spec itself is wrong is never taken for drift', () => {
    const nodeGroups = [{ name: 'nowhere', count: 1 }];
    const options = { spec: { ...clusterSpec, nodeGroups }, memory: { settledGeneration: 1 } };
    expect(planned({ rows: [clusterRow()], ...options })).toMatchObject({ result: 'refused', reason: 'InvalidSpec' });
  });
});
