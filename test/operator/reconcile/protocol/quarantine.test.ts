// The quarantine of a deletion: the operator waits for what an open create may still make, and deletes it.
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { attempts, claimOf, clusterRow, quarantineMs, type SituationOptions, viewOf } from '../support.ts';
import { askDelete, listAt, minute, open, rows } from './deleting.ts';

describe('quarantine', () => {
  const gone = { memory: { goneGets: new Map([['id-1', listAt - 1]]) } };
  const sentAt1002 = open(0);
  test.each<readonly [string, Claim, SituationOptions, object]>([
    [
      'an open create, no object: waits for the end',
      open(minute),
      {},
      { outcome: { result: 'waiting', on: 'time', reason: 'Deleting', afterMs: 30_000 } },
    ],
    ['just before its end', open(quarantineMs - 1), {}, { outcome: { on: 'time', afterMs: 1 } }],
    ['over, but the list was begun before its end: one more', open(quarantineMs + 9), {}, { effect: 'observe' }],
    ['over, and the list was begun as it ended', open(quarantineMs + 10), {}, { effect: 'release' }],
    ['over, and found late: recorded', open(quarantineMs + minute), { rows }, { effect: 'record' }],
    [
      'found during the wait: recorded, and the wait is over',
      open(minute),
      { rows },
      { effect: 'record', ledger: { claims: [claimOf({ id: 'id-1' })] } },
    ],
    [
      'also when the id is known and its object gone: the name is free for a late commit',
      open(minute, 1, 'id-1'),
      gone,
      { outcome: { on: 'time' } },
    ],
    [
      'the late commit of a freed name is deleted',
      open(minute, 1, 'id-1'),
      { ...gone, rows: [clusterRow({ id: 'id-2' })] },
      { effect: 'delete', id: 'id-2' },
    ],
    [
      'the id known, gone, and the quarantine over',
      open(quarantineMs + minute, 1, 'id-1'),
      gone,
      { effect: 'release' },
    ],
    ['the GET comes before the wait', open(minute, 1, 'id-1'), {}, { effect: 'get-by-id' }],
    ['a time that cannot be read starts it anew', claimOf(attempts(1, 'nonsense')), {}, { outcome: { on: 'time' } }],
    [
      'entries that cannot be read hold it',
      open(quarantineMs + minute),
      { view: viewOf([], { complete: false }) },
      { outcome: { result: 'waiting', on: 'service' } },
    ],
  ])('%s', (_name, claim, options, expected) => {
    expect(askDelete([claim], options)).toMatchObject(expected);
  });

  test('the user is told when it was sent and until when it lasts', () => {
    const message =
      'a create sent at 10:02 UTC may still take effect; waiting until 10:17 UTC. To stop waiting, set spec.deletionPolicy to Orphan; the create may then leave an object in the service';
    expect(askDelete([sentAt1002])).toMatchObject({ outcome: { message, blockedOn: [{ message }] } });
  });

  test('nothing is released while one claim still waits', () => {
    const other = claimOf({ name: 'etl-older', id: 'id-0' });
    expect(askDelete([other, open(minute)], { memory: { goneGets: new Map([['id-0', listAt - 1]]) } })).toMatchObject({
      outcome: { on: 'time' },
    });
  });
});
