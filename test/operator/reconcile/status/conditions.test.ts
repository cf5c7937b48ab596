// Transition times and messages of conditions.
import { describe, expect, test } from 'vitest';
import { conditionsOf, type Standing } from '../../../../src/operator/reconcile/status/conditions.ts';
import { conditionsAs, wall } from '../support.ts';

const now = '2026-01-01T10:02:00Z';
const then = '2026-01-01T10:01:00Z';
const progressing: Standing = { state: 'progressing', reason: 'Provisioning', message: 'in progress' };
const before = conditionsAs(1, wall - 60_000, [
  ['Ready', 'False', 'Provisioning', 'in progress'],
  ['Synced', 'False', 'OutOfSync', 'in progress'],
  ['Reconciling', 'True', 'Progressing', 'in progress'],
]);
const times = (standing: Standing) =>
  Object.fromEntries(
    conditionsOf(standing, before, { generation: 2, now }).map((one) => [one.type, one.lastTransitionTime]),
  );

describe('lastTransitionTime', () => {
  test.each<readonly [string, Standing, Readonly<Record<string, string>>]>([
    ['nothing new', progressing, { Ready: then, Synced: then, Reconciling: then }],
    [
      'another reason is no flip',
      { ...progressing, reason: 'Scaling' },
      { Ready: then, Synced: then, Reconciling: then },
    ],
    ['another message is no flip', { ...progressing, message: 'x' }, { Ready: then, Synced: then, Reconciling: then }],
    ['retrying is no flip', { ...progressing, state: 'retrying' }, { Ready: then, Synced: then, Reconciling: then }],
    ['ready flips both', { state: 'ready', message: 'x' }, { Ready: now, Synced: now }],
    [
      'a condition that comes begins now',
      { ...progressing, state: 'stalled' },
      { Ready: then, Synced: then, Stalled: now },
    ],
    [
      'a dependency comes',
      { ...progressing, reason: 'DependencyNotReady' },
      { Ready: then, Synced: then, Reconciling: then, DependenciesReady: now },
    ],
    [
      'unobserved flips to Unknown',
      { state: 'unobserved', message: 'x' },
      { Ready: now, Synced: now, Reconciling: then },
    ],
  ])('%s', (_name, standing, expected) => {
    expect(times(standing)).toEqual(expected);
  });

  test('the generation is refreshed although nothing else has changed', () => {
    const after = conditionsOf(progressing, before, { generation: 2, now });
    expect(after).toEqual(
      before.map((one) => ({ ...one, observedGeneration: 2, message: expect.stringContaining('') })),
    );
  });

  test('conditions of others are not carried along: they have owners of their own', () => {
    const more = [...before, ...conditionsAs(1, wall, [['Approved', 'True', 'ByHand']])];
    expect(conditionsOf(progressing, more, { generation: 1, now }).map((one) => one.type)).not.toContain('Approved');
  });
});

describe('messages', () => {
  const said = (message: string) =>
    conditionsOf({ ...progressing, message }, [], { generation: 1, now }).map((one) => one.message);

  test.each<readonly [string, string, string]>([
    ['a long one stays up to 2000 characters', 'a'.repeat(2_000), 'a'.repeat(2_000)],
    ['a longer one is cut, and shows it', 'a'.repeat(2_001), `${'a'.repeat(1_999)}…`],
    ['never within a character', `${'a'.repeat(1_998)}😀😀`, `${'a'.repeat(1_998)}…`],
    ['a whole character may be the last', `${'a'.repeat(1_997)}😀😀`, `${'a'.repeat(1_997)}😀…`],
  ])('%s', (_name, message, expected) => {
    const [ready, ...others] = said(message);
    expect(ready).toBe(expected);
    for (const one of others) expect(one).toMatch(/see the condition Ready$/);
  });

  test('are repeated in Stalled alone, which readers of kstatus show', () => {
    const stalled = { state: 'stalled', reason: 'CredentialsMissing', message: 'no token' } as const;
    const told = conditionsOf(stalled, [], { generation: 1, now });
    expect(told.filter(({ message }) => message === 'no token').map(({ type }) => type)).toEqual(['Ready', 'Stalled']);
    expect(told.map(({ type }) => type)).toEqual(['Ready', 'Synced', 'Stalled', 'DependenciesReady']);
  });
});
