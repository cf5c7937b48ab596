// How the groups that a cluster wants differ from those it has, as the request that carries it out.
import { describe, expect, test } from 'vitest';
import { fromTemplate, masterId } from '../support/mapping.ts';
import {
  addWorker,
  baseline,
  byTemplate,
  type Case,
  made,
  ofTemplate,
  own,
  ownGroups,
  request,
  resize,
  two,
} from '../support/scaling.ts';

describe('difference and request', () => {
  test.each<readonly [string, Case, unknown]>([
    ['as wanted', { spec: two, ledger: made, have: { master: 1, worker: 2 } }, 'none'],
    ['in another order', { spec: two, ledger: made, have: { worker: 2, master: 1 } }, 'none'],
    [
      'more',
      { spec: two, ledger: made, have: { master: 1, worker: 1 } },
      { resize_node_groups: resize(['worker', 2]) },
    ],
    [
      'fewer',
      { spec: two, ledger: made, have: { master: 1, worker: 5 } },
      { resize_node_groups: resize(['worker', 2]) },
    ],
    [
      'several in one call',
      { spec: two, ledger: made, have: { master: 3, worker: 5 } },
      { resize_node_groups: resize(['master', 1], ['worker', 2]) },
    ],
    [
      'an absent group is added',
      { spec: two, ledger: made, have: { master: 1 } },
      { add_node_groups: [addWorker('worker', 2)] },
    ],
    [
      'an absent group that wants none is as wanted',
      { spec: ownGroups(own('master', 1), byTemplate('worker', 0)), ledger: made, have: { master: 1 } },
      'none',
    ],
    [
      'a group left with none after a failure is resized, not added',
      { spec: two, ledger: made, have: { master: 1, worker: 0 } },
      { resize_node_groups: resize(['worker', 2]) },
    ],
    [
      'resized and added in one call',
      { spec: two, ledger: made, have: { master: 2 } },
      { resize_node_groups: resize(['master', 1]), add_node_groups: [addWorker('worker', 2)] },
    ],
    [
      'a group that nobody wants goes to none',
      { spec: two, ledger: made, have: { master: 1, worker: 2, stray: 3 } },
      { resize_node_groups: resize(['stray', 0]) },
    ],
    ['and is as wanted there', { spec: two, ledger: made, have: { master: 1, worker: 2, stray: 0 } }, 'none'],
    [
      'a cluster that lists no groups',
      { spec: ownGroups(byTemplate('worker', 2)), have: {} },
      { add_node_groups: [addWorker('worker', 2)] },
    ],
  ])('%s', (_name, of, expected) => {
    expect(request(of)).toEqual(expected);
  });
});

describe('a group of another origin', () => {
  const other = ownGroups(own('master', 1), byTemplate('worker', 2, 'master'));
  const addMaster = { add_node_groups: [{ name: 'worker', count: 2, node_group_template_id: masterId }] };
  const takenAway = { generation: 2, target: { worker: 0 }, sentAt: '2026-01-01T00:00:00.000Z', tries: 1 };
  const anew = { ...fromTemplate, nodeGroups: [byTemplate('worker', 2)] };

  test.each<readonly [string, Case, unknown]>([
    [
      'goes first',
      { spec: other, ledger: made, have: { master: 1, worker: 2 } },
      { resize_node_groups: resize(['worker', 0]) },
    ],
    ['and comes back in a later call', { spec: other, ledger: made, have: { master: 1 } }, addMaster],
    [
      'also where the service keeps it with none: the old origin is not resized',
      { spec: other, ledger: { ...made, change: takenAway }, have: { master: 1, worker: 0 } },
      addMaster,
    ],
    [
      'is taken away once more where it was left with none and the add was refused',
      { spec: other, ledger: made, have: { master: 1, worker: 0 } },
      { resize_node_groups: resize(['worker', 0]) },
    ],
    [
      'is taken away once more after an add without effect',
      {
        spec: other,
        ledger: { ...made, change: { ...takenAway, target: { worker: 2 } } },
        have: { master: 1, worker: 0 },
      },
      { resize_node_groups: resize(['worker', 0]) },
    ],
    [
      'is left where it has none and none are wanted',
      {
        spec: ownGroups(own('master', 1), byTemplate('worker', 0, 'master')),
        ledger: made,
        have: { master: 1, worker: 0 },
      },
      'none',
    ],
    [
      'with other changes in the same call',
      { spec: other, ledger: made, have: { master: 4, worker: 2 } },
      { resize_node_groups: resize(['master', 1], ['worker', 0]) },
    ],
    [
      'the same name of another content is not another origin',
      { spec: two, ledger: made, have: { master: 1, worker: 2 } },
      'none',
    ],
    [
      'a group of the template that is described anew is left as it is',
      { spec: anew, ledger: ofTemplate, have: { worker: 2, master: 1 } },
      'unfixable',
    ],
    [
      'a group that an earlier version made as described stays',
      { spec: anew, ledger: { baseline, madeFrom: { worker: 'ref:worker' } }, have: { worker: 2, master: 1 } },
      'none',
    ],
    [
      'no longer described it goes back to the template',
      { spec: fromTemplate, ledger: { baseline, madeFrom: { worker: 'ref:worker' } }, have: { worker: 2, master: 1 } },
      { resize_node_groups: resize(['worker', 0]) },
    ],
    [
      'and is added by the id of the template',
      { spec: fromTemplate, ledger: { baseline, madeFrom: { worker: 'ref:worker' } }, have: { master: 1 } },
      { add_node_groups: [addWorker('worker', 2)] },
    ],
    ['of which nobody knows the origin stays', { spec: two, have: { master: 1, worker: 2 } }, 'none'],
  ])('%s', (_name, of, expected) => {
    expect(request(of)).toEqual(expected);
  });
});
