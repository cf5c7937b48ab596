// The overview of a namespace.
import { expect, test } from 'vitest';
import { painter } from '../../src/cli/output/page.ts';
import { needsUser, overviewOf } from '../../src/cli/status/overview.ts';
import { statusPage } from '../../src/cli/status/status-page.ts';
import { at, object, ready } from './why/objects.ts';

const list = (kind: string, items: readonly ReturnType<typeof object>[], isPartial = false) => ({
  kind,
  items,
  isPartial,
});
const failed = object('JobExecution', 'words-1', {
  reason: 'Failed',
  message: 'exit code 3',
  stalled: true,
  conditions: [{ type: 'Failed', status: 'True', reason: 'Failed' }],
});
const stalled = object('Cluster', 'bad', {
  reason: 'InvalidSpec',
  message: `spec.name: ${'long '.repeat(50)}`,
  stalled: true,
});
const unseen = object('Cluster', 'new', { reason: 'Pending', message: '', observedGeneration: -1 });
const deleted = object('Cluster', 'old', {
  reason: 'Deleting',
  message: 'waiting',
  metadata: { deletionTimestamp: at(5) },
});
const suspended = ready('JobSchedule', 'nightly', { reason: 'Suspended' });
const page = (overview: ReturnType<typeof overviewOf>, namespace?: string) =>
  statusPage(overview, { namespace, paint: painter(false) });

test('kinds are counted by readiness, and what is not ready is listed, the most urgent first', () => {
  const overview = overviewOf(
    [
      list('Connection', [ready('Connection', 'default')]),
      list('Cluster', [deleted, ready('Cluster', 'etl'), unseen, stalled]),
      list('JobExecution', [failed]),
      list('JobSchedule', [suspended]),
      list('Job', []),
    ],
    [],
  );
  expect(needsUser(overview)).toBe(true);
  const text = page(overview, 'team');
  expect(text).toContain(`\
Objects in namespace team
KIND          TOTAL  READY  OTHERS
Connection    1      1
Cluster       4      1      1 stalled, 1 deleting, 1 unobserved
JobExecution  1      0      1 failed
JobSchedule   1      0      1 suspended

Not ready
cluster/bad  stalled InvalidSpec: spec.name: long `);
  const order = ['cluster/bad', 'cluster/new', 'cluster/old', 'jobexecution/words-1', 'jobschedule/nightly'];
  expect(text.match(/^(?:cluster|job)\w*\/\S+/gm)).toEqual(order);
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

test('runs that have failed and what is suspended need nobody', () => {
  expect(needsUser(overviewOf([list('JobExecution', [failed]), list('JobSchedule', [suspended])], []))).toBe(false);
});

test('what cannot be read, or only in part, is told', () => {
  const overview = overviewOf([list('Cluster', [ready('Cluster', 'etl')], true)], [{ kind: 'Job', why: 'forbidden' }]);
  expect(needsUser(overview)).toBe(true);
  expect(page(overview)).toContain('Cluster  1+     1');
  expect(page(overview)).toContain('Job        cannot be read: forbidden');
  expect(page(overview)).not.toContain('All are ready');
});

test('all is well', () => {
  expect(page(overviewOf([list('Cluster', [ready('Cluster', 'etl')])], []))).toContain('All are ready.');
  expect(page(overviewOf([], []), 'team')).toBe('Objects in namespace team\nthere are none\n');
});

test('lists that are long are cut', () => {
  const many = Array.from({ length: 60 }, (_, one) =>
    object('Cluster', `c${one}`, { reason: 'Provisioning', message: 'x' }),
  );
  expect(page(overviewOf([list('Cluster', many)], []))).toContain('and 10 more: -o json lists all');
});

test.each([
  ['Suspended', {}, 'suspended', false],
  ['PlanPending', {}, 'unapproved', true],
  ['Expired', {}, 'expired', false],
  // Until the operator deletes it.
  ['Expired', { retrying: true }, 'progressing', false],
  ['ExternalError', { stalled: true, conditions: [{ type: 'Paused', status: 'True' }] }, 'stalled', true],
])('what waits with the reason %s %j counts as %s', (reason, more, state, isWaitingForUser) => {
  const held = object('Cluster', 'held', { reason, message: 'waiting', ...more });
  const overview = overviewOf([list('Cluster', [held])], []);
  expect(overview.kinds[0]?.states).toEqual({ [state]: 1 });
  expect(needsUser(overview)).toBe(isWaitingForUser);
});

test('a plan that waits for its approval stands before what has only expired', () => {
  const held = (name: string, reason: string) => object('Cluster', name, { reason, message: 'why' });
  const text = page(overviewOf([list('Cluster', [held('old', 'Expired'), held('new', 'PlanPending')])], []));
  expect(text).toContain('Cluster  2      0      1 unapproved, 1 expired');
  expect(text).toContain('cluster/team/new  unapproved PlanPending: why\ncluster/team/old  expired Expired: why');
});
