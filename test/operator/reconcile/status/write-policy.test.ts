// Which status is worth a write: conditions at once, progress now and then, and nothing where nothing has changed.
import { describe, expect, test } from 'vitest';
import { serialiseLedger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import type { Outcome } from '../../../../src/operator/reconcile/outcome.ts';
import { nextStatus } from '../../../../src/operator/reconcile/status/status.ts';
import { statusWriteOf } from '../../../../src/operator/reconcile/status/write-policy.ts';
import { attempts, claimOf, clusterRow, groups, iso, ledgerOf, monotonic, wall } from '../support.ts';
import { applied, busyStatus, type ConcludedOptions, concludedOf, outcomes } from './concluding.ts';

const ledger = ledgerOf([claimOf({ id: 'id-1' })]);

function decide(outcome: Outcome, options: ConcludedOptions) {
  const result = concludedOf(outcome, options);
  const status = nextStatus(result);
  return status ? statusWriteOf(result, status) : undefined;
}

/** The status as a pass with this outcome left it. */
function settledIn(outcome: Outcome, options: ConcludedOptions = {}): Readonly<Record<string, unknown>> {
  return applied(concludedOf(outcome, { ledger, remote: clusterRow(), ...options })).status as Record<string, unknown>;
}

describe('a quiet pass writes nothing', () => {
  test.each(['settled', 'busy', 'scaling', 'invalid', 'error', 'dependency', 'upstream'] as const)('%s', (which) => {
    const status = settledIn(outcomes[which]);
    const later = { wall: wall + 30_000, monotonic: monotonic + 30_000 };
    expect(decide(outcomes[which], { ledger, remote: clusterRow(), status, now: later })).toEqual({ write: 'never' });
  });

  test('the order in which the API server keeps conditions is no difference', () => {
    const status = settledIn(outcomes.busy) as { conditions: readonly unknown[] };
    const turned = { ...status, conditions: status.conditions.toReversed() };
    expect(decide(outcomes.busy, { ledger, remote: clusterRow(), status: turned })).toEqual({ write: 'never' });
  });

  test('nor is the order of keys', () => {
    const status = Object.fromEntries(Object.entries(settledIn(outcomes.busy)).reverse());
    expect(decide(outcomes.busy, { ledger, remote: clusterRow(), status })).toEqual({ write: 'never' });
  });

  test('the mirror of the ledger alone is never worth a write', () => {
    const { ledger: _mirror, ...status } = settledIn(outcomes.settled);
    const options = { ledger, remote: clusterRow() };
    expect(decide(outcomes.settled, { ...options, status })).toEqual({ write: 'never' });
    const former = serialiseLedger({ ...ledger, base: 'former' });
    expect(decide(outcomes.settled, { ...options, status: { ...status, ledger: former } })).toEqual({ write: 'never' });
  });

  test('a mirror that somebody made unreadable is written again, unless nothing better is confirmed', () => {
    const { ledger: _mirror, ...status } = settledIn(outcomes.settled);
    const mangled = { ...status, ledger: '{"v":' };
    expect(decide(outcomes.settled, { ledger, remote: clusterRow(), status: mangled })).toEqual({ write: 'now' });
    expect(statusWriteOf(concludedOf(outcomes.settled, { ledger, status: mangled }), mangled)).toEqual({
      write: 'never',
    });
  });

  test('but it goes along with the next write', () => {
    const { ledger: _mirror, ...status } = settledIn(outcomes.busy);
    const result = concludedOf(outcomes.settled, { ledger, remote: clusterRow(), status });
    expect(nextStatus(result)).toHaveProperty('ledger');
    expect(decide(outcomes.settled, { ledger, remote: clusterRow(), status })).toEqual({ write: 'now' });
  });
});

describe('progress without a change of conditions', () => {
  const status = settledIn(outcomes.busy);
  const more = { ledger, status, remote: clusterRow({ node_groups: groups({ master: 1, worker: 1 }) }) };
  test.each<readonly [string, Outcome, number | undefined, object]>([
    [
      'waits for ten seconds after the last write',
      outcomes.busy,
      monotonic - 4_000,
      { write: 'later', afterMs: 6_000 },
    ],
    ['is then written', outcomes.busy, monotonic - 10_000, { write: 'now' }],
    ['is written at once by a process that has written nothing yet', outcomes.busy, undefined, { write: 'now' }],
    ['goes along with a change of conditions', outcomes.scaling, monotonic - 1, { write: 'now' }],
    ['goes along with becoming ready', outcomes.settled, monotonic - 1, { write: 'now' }],
  ])('%s', (_name, outcome, lastStatusWriteAt, expected) => {
    const memory = lastStatusWriteAt === undefined ? {} : { lastStatusWriteAt };
    expect(decide(outcome, { ...more, memory })).toEqual(expected);
  });

  test('of a settled object is written at once: it is the last word', () => {
    const settled = settledIn(outcomes.settled);
    const options = { ledger, status: settled, memory: { lastStatusWriteAt: monotonic } };
    expect(decide(outcomes.settled, { ...options, remote: clusterRow({ status_description: 'x' }) })).toEqual({
      write: 'now',
    });
  });

  test.each<readonly [string, Partial<Record<string, unknown>>]>([
    ['an id', { id: undefined }],
    ['a name', { externalName: 'other' }],
    ['who is waited for', { blockedOn: [{ kind: 'x', name: 'y', reason: 'z', message: 'm' }] }],
    ['the generation', { observedGeneration: 0 }],
  ])('%s is no mere progress', (_name, changes) => {
    const before = { ...status, ...changes };
    const memory = { lastStatusWriteAt: monotonic };
    expect(decide(outcomes.busy, { ledger, remote: clusterRow(), status: before, memory })).toEqual({ write: 'now' });
  });
});

describe('the first status of a newborn', () => {
  const born = (agoMs: number): ConcludedOptions => ({ metadata: { creationTimestamp: iso(wall - agoMs) } });
  const recorded = { ledger };
  test.each<readonly [string, Outcome, ConcludedOptions, object]>([
    ['waits for two seconds', outcomes.dependency, born(0), { write: 'later', afterMs: 2_000 }],
    ['for what is left of them', outcomes.busy, born(1_500), { write: 'later', afterMs: 500 }],
    ['also where clocks differ', outcomes.busy, born(-5_000), { write: 'later', afterMs: 2_000 }],
    ['is then written', outcomes.dependency, born(2_000), { write: 'now' }],
    [
      'by our own clock where it is behind that of the API server',
      outcomes.busy,
      { ...born(-60_000), memory: { generationSeen: { generation: 1, at: monotonic - 1_200 } } },
      { write: 'later', afterMs: 800 },
    ],
    [
      'an open create is no id',
      outcomes.busy,
      { ...born(0), ledger: ledgerOf([claimOf(attempts(1))]) },
      { write: 'later' },
    ],
    ['also after a step that gave it no id', outcomes.progressed, born(0), { write: 'later' }],
    ['is written as soon as there is an id', outcomes.progressed, { ...born(0), ...recorded }, { write: 'now' }],
    ['also when it then waits', outcomes.busy, { ...born(0), ...recorded }, { write: 'now' }],
    ['a refusal is told at once', outcomes.invalid, born(0), { write: 'now' }],
    ['a failure is told at once', outcomes.upstream, born(0), { write: 'now' }],
    ['only once', outcomes.scaling, { ...born(0), status: busyStatus }, { write: 'now' }],
  ])('%s', (_name, outcome, options, expected) => {
    expect(decide(outcome, options)).toMatchObject(expected);
  });
});
