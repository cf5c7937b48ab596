// When an object expires: which deadline comes first, what is announced when, and that nothing passes early.
import { describe, expect, test } from 'vitest';
import type { LifecycleSettings } from '../../../../src/operator/reconcile/kind/kind.ts';
import {
  announcement,
  expiredMark,
  expiredText,
  expiringText,
  held,
  isRenewed,
  type LifecycleInput,
  lifecycleOf,
  noticeMs,
} from '../../../../src/operator/reconcile/resource/lifecycle.ts';
import { clusterSpec, conditionsAs, factsOf, iso, monotonic, type ResourceOptions, wall } from '../support.ts';

const minute = 60_000;
const id = 'id-1';
const times = (firstReadyAt: number, lastUsedAt?: number) => ({
  id,
  observedGeneration: 1,
  firstReadyAt: iso(wall + firstReadyAt),
  ...(lastUsedAt === undefined ? {} : { lastUsedAt: iso(wall + lastUsedAt) }),
});

interface Given extends Partial<Omit<LifecycleInput, 'facts' | 'settings'>> {
  readonly settings: Partial<LifecycleSettings>;
  readonly status?: ResourceOptions['status'];
  readonly deleting?: boolean;
}

const judge = ({ settings, status = {}, deleting = false, ...given }: Given) =>
  lifecycleOf({
    facts: factsOf({ status, deleting }),
    settings: { releases: false, ...settings },
    id,
    use: 'idle',
    loadReported: false,
    memory: {},
    now: { wall, monotonic },
    ...given,
  });

const quiet = (ms: number, wallMs = ms) => ({
  quiet: { since: { wall: wall - wallMs, monotonic: monotonic - ms }, seenAt: monotonic },
});

describe('the first deadline', () => {
  test.each<readonly [string, Given, readonly [string, number] | undefined]>([
    ['a time', { settings: { endsAt: wall + 5 } }, ['EndTime', 5]],
    ['a time that cannot be read is none', { settings: { endsAt: Number.NaN } }, undefined],
    [
      'age, from when it was first Ready',
      { settings: { ageMs: 1_000 }, status: times(-300_000) },
      ['MaximumAge', -299_000],
    ],
    ['age, before it was Ready: none', { settings: { ageMs: 1_000 } }, undefined],
    [
      'age of another object: none',
      { settings: { ageMs: 1_000 }, status: { ...times(-300_000), id: 'id-0' } },
      undefined,
    ],
    [
      'age of a time in the future counts as now',
      { settings: { ageMs: 1_000 }, status: times(300_000) },
      ['MaximumAge', 1_000],
    ],
    [
      'age of a time that was edited into nonsense: none',
      { settings: { ageMs: 1 }, status: { id, firstReadyAt: 'soon' } },
      undefined,
    ],
    ['idle, from the last use', { settings: { idleMs: 9_000 }, status: times(-20_000, -4_000) }, ['Idle', 5_000]],
    ['idle, in use: none', { settings: { idleMs: 9_000 }, status: times(-20_000, -4_000), use: 'in use' }, undefined],
    [
      'idle, and use unknown: none',
      { settings: { idleMs: 9_000 }, status: times(-20_000, -4_000), use: 'unknown' },
      undefined,
    ],
    ['idle, without a last use: none', { settings: { idleMs: 9_000 }, status: times(-20_000) }, undefined],
    [
      'idle, by a load that this process has not read before: none',
      { settings: { idleMs: 9_000 }, status: times(-20_000, -4_000), loadReported: true },
      undefined,
    ],
    [
      'idle, by a load that was read for a shorter time',
      { settings: { idleMs: 9_000 }, status: times(-20_000, -4_000), loadReported: true, memory: quiet(1_000) },
      ['Idle', 8_000],
    ],
    [
      'idle, by a load, and the clock was set forward: none',
      {
        settings: { idleMs: 9_000 },
        status: times(-90 * minute, -80 * minute),
        loadReported: true,
        memory: quiet(1_000, 60 * minute),
      },
      undefined,
    ],
    [
      'the earliest of all',
      { settings: { idleMs: 9_000, ageMs: 21_000, endsAt: wall + 3_000 }, status: times(-20_000, -4_000) },
      ['MaximumAge', 1_000],
    ],
    ['a resource that is being deleted has none', { settings: { endsAt: wall + 5 }, deleting: true }, undefined],
  ])('%s', (_what, given, expected) => {
    const { expiry } = judge(given);
    expect(expiry && [expiry.reason, expiry.at - wall]).toEqual(expected);
  });
});

describe('the announcement', () => {
  test.each<readonly [string, Given, boolean, number]>([
    ['a time: 15 minutes before', { settings: { endsAt: wall + 16 * minute } }, false, minute],
    ['a time: within 15 minutes', { settings: { endsAt: wall + 14 * minute } }, true, 14 * minute],
    [
      'a short idle time: in its last quarter, at least a minute before',
      { settings: { idleMs: 5 * minute }, status: times(-9 * minute, -3 * minute) },
      false,
      0,
    ],
    ['the same, nearer', { settings: { idleMs: 5 * minute }, status: times(-9 * minute, -4 * minute) }, true, minute],
  ])('%s', (_what, given, isNear, nextInMs) => {
    const found = judge(given);
    expect([found.expiry?.isNear, found.nextInMs]).toEqual([isNear, nextInMs]);
    expect(expiringText(found)).toBe(isNear ? found.expiry?.message : undefined);
  });

  test('its words are the same as long as the deadline is', () => {
    const given = { settings: { idleMs: 5 * minute }, status: times(-9 * minute, -4 * minute) };
    const later = { wall: wall + 20_000, monotonic: monotonic + 20_000 };
    expect(expiringText(judge({ ...given, now: later }))).toBe(expiringText(judge(given)));
    expect(expiringText(judge(given))).toBe(
      'the cluster expires at 2026-01-01T10:03:00Z, after 300 s without use (spec.lifecycle.idleDeleteAfterSeconds)',
    );
  });
});

describe('what has passed is due', () => {
  const settings = { endsAt: wall - minute };
  const { expiry } = judge({ settings });
  const what = expiry ? announcement(expiry) : '';
  const told = (message = expiry?.message ?? '') => ({
    id,
    conditions: conditionsAs(1, wall, [['Expiring', 'True', 'EndTime']]).map((one) => ({ ...one, message })),
  });
  const since = (ms: number) => ({ announced: { what, since: monotonic - ms } });

  test.each<readonly [string, Omit<Given, 'settings'>, boolean]>([
    ['not before it is announced', { memory: since(noticeMs) }, false],
    ['not before this process knows that it is', { status: told() }, false],
    ['not before the notice is over', { status: told(), memory: since(noticeMs - 1) }, false],
    [
      'not by the announcement of another deadline',
      { status: told('the cluster expires at another time'), memory: since(noticeMs) },
      false,
    ],
    ['then', { status: told(), memory: since(noticeMs) }, true],
    [
      'also once it was held back',
      { status: told(`${expiry?.message}. It is held back`), memory: since(noticeMs) },
      true,
    ],
  ])('%s', (_what, given, isDue) => {
    expect(judge({ settings, ...given }).isDue).toBe(isDue);
  });

  test('one that is held back says so, and is tried again', () => {
    const found = held(judge({ settings, status: told(), memory: since(noticeMs) }), 30_000);
    expect([found.isDue, found.nextInMs]).toEqual([false, 30_000]);
    expect(expiringText(found)).toContain('If the clock of the operator is wrong, correct it');
  });
});

describe('what has expired', () => {
  const spec = (lifecycle: object) => ({ spec: { ...clusterSpec, lifecycle } });
  const before = spec({ deleteAfterSeconds: 60, onExpiry: 'Release' });
  const { expiry } = judge({ settings: { ageMs: minute }, status: times(-2 * minute) });
  if (!expiry) throw new Error('it has a deadline');
  const mark = expiredMark({ facts: factsOf(before), id, expiry, wall });
  const recreate = (value: string) => ({ metadata: { annotations: { 'dataprocessing.dev/recreate': value } } });

  test.each<readonly [string, ResourceOptions, boolean]>([
    ['stays so', before, false],
    ['is renewed by another lifecycle', spec({ deleteAfterSeconds: 61, onExpiry: 'Release' }), true],
    ['is renewed without a lifecycle', { spec: clusterSpec }, true],
    ['is renewed by the annotation with its id', { ...before, ...recreate(id) }, true],
    ['is not renewed by the annotation with another id', { ...before, ...recreate('id-0') }, false],
    ['is not renewed for a time that has passed', spec({ deleteAt: iso(wall - 1_000), onExpiry: 'Release' }), false],
    ['is renewed for a time to come', spec({ deleteAt: iso(wall + 60_000), onExpiry: 'Release' }), true],
  ])('%s', (_what, options, expected) => {
    expect(isRenewed(factsOf(options), mark, { wall })).toBe(expected);
  });

  test('the way back is named', () => {
    expect(expiredText(factsOf(before), mark, { wall })).toBe(
      'the cluster expired at 2026-01-01T10:02:00Z, because it was as old as spec.lifecycle.deleteAfterSeconds allows. To have a cluster again, change spec.lifecycle, or set the annotation dataprocessing.dev/recreate: id-1',
    );
    const ended = spec({ deleteAt: iso(wall - 1_000) });
    expect(expiredText(factsOf(ended), mark, { wall })).toContain('change or remove spec.lifecycle.deleteAt');
  });
});
