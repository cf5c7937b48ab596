// What a pass over a JobSchedule creates, records, deletes and reports.
import { describe, expect, test } from 'vitest';
import { lastScheduleAnnotation } from '../../../src/operator/api/shared-api.ts';
import { StoreError } from '../../../src/operator/reconcile/pass-ports.ts';
import { Crash, FakeCluster, key, named } from './fake-cluster.ts';
import { at } from './support.ts';

const ready = (cluster: FakeCluster) => {
  const conditions = cluster.status['conditions'] as readonly {
    type: string;
    status: string;
    reason: string;
    message: string;
  }[];
  const found = conditions.find(({ type }) => type === 'Ready');
  return found && [found.status, found.reason, found.message];
};

/** A pass at this time, with everything delivered before and after. */
async function runAt(cluster: FakeCluster, time: string) {
  cluster.now = at(time);
  cluster.deliver();
  const requeue = await cluster.run();
  cluster.deliver();
  return requeue;
}

test('nothing is due: the status has the next time, and the pass returns for it', async () => {
  const cluster = new FakeCluster();
  expect(await runAt(cluster, '00:59:50')).toEqual({ next: 'at', afterMs: 10_000 });
  expect(cluster.created).toEqual([]);
  expect(cluster.status).toMatchObject({
    observedGeneration: 1,
    nextScheduleTime: '2026-01-01T01:00:00Z',
    activeCount: 0,
  });
  expect(ready(cluster)).toEqual(['True', 'Available', 'JobExecutions are created as scheduled']);
  // A clock that is set forward meanwhile is noticed within minutes.
  expect(await runAt(cluster, '00:20')).toEqual({ next: 'at', afterMs: 600_000 });
});

test('a due execution has the template, its time and its owner, and is recorded', async () => {
  const metadata = { labels: { team: 'a' }, annotations: { 'example.com/b': 'c' } };
  const spec = { jobRef: { name: 'words' }, clusterRef: { name: 'small' }, retries: 1 };
  const cluster = new FakeCluster({ template: { metadata, spec } });
  await runAt(cluster, '01:00:01');
  expect(cluster.created).toEqual(['nightly-29453820']);
  expect(cluster.objects.get('JobExecution/nightly-29453820')).toMatchObject({
    metadata: {
      namespace: 'team-a',
      labels: { team: 'a' },
      annotations: { 'example.com/b': 'c', 'dataprocessing.dev/scheduled-time': '2026-01-01T01:00:00Z' },
      ownerReferences: [
        {
          apiVersion: 'dataprocessing.dev/v1alpha1',
          kind: 'JobSchedule',
          name: 'nightly',
          uid: 'schedule-1',
          controller: true,
        },
      ],
    },
    spec,
  });
  expect(cluster.schedule.metadata.annotations).toEqual({ [lastScheduleAnnotation]: '2026-01-01T01:00:00Z' });
  expect(cluster.status).toMatchObject({
    lastScheduleTime: '2026-01-01T01:00:00Z',
    nextScheduleTime: '2026-01-01T02:00:00Z',
    activeCount: 1,
    active: [{ name: 'nightly-29453820', uid: 'uid-1' }],
  });
  expect(cluster.events.map(({ reason, note }) => [reason, note])).toEqual([
    ['JobScheduled', 'created JobExecution nightly-29453820 for 2026-01-01T01:00:00Z'],
  ]);
});

test('a quiet pass writes nothing, also before the watch delivers the execution', async () => {
  const cluster = new FakeCluster();
  await runAt(cluster, '01:00:01');
  const { resourceVersion } = cluster.schedule.metadata;
  await runAt(cluster, '01:00:02');
  expect(cluster.schedule.metadata.resourceVersion).toBe(resourceVersion);
  const lagging = new FakeCluster();
  lagging.now = at('01:00:01');
  await lagging.run();
  const version = lagging.schedule.metadata.resourceVersion;
  await lagging.run();
  expect(lagging.schedule.metadata.resourceVersion).toBe(version);
});

test('it is not available while an object that its template names is missing, and creates executions all the same', async () => {
  const cluster = new FakeCluster();
  cluster.objects.delete('Job/words');
  await runAt(cluster, '01:00:01');
  expect(ready(cluster)?.slice(0, 2)).toEqual(['False', 'DependencyNotReady']);
  expect(ready(cluster)?.[2]).toMatch(
    /spec\.template\.spec\.jobRef: Job words does not exist in this namespace\. Create it/,
  );
  expect(cluster.created).toEqual([named('01:00')]);
  // Applied in any order: what comes a moment later is no news.
  expect(cluster.events.map(({ reason }) => reason)).toEqual(['JobScheduled']);
});

describe('an execution that a user deletes', () => {
  test('is not active any more', async () => {
    const cluster = new FakeCluster();
    await runAt(cluster, '01:00:01');
    await runAt(cluster, '01:00:02');
    cluster.objects.delete(`JobExecution/${named('01:00')}`);
    await runAt(cluster, '01:00:03');
    expect(cluster.status).toMatchObject({ activeCount: 0 });
  });

  test('is not active for long, even if the watch never delivers it', async () => {
    const cluster = new FakeCluster();
    cluster.now = at('01:00:01');
    expect(await cluster.run()).toEqual({ next: 'at', afterMs: 30_000 });
    cluster.objects.delete(`JobExecution/${named('01:00')}`);
    expect((await runAt(cluster, '01:00:31')).next).toBe('at');
    expect(cluster.status).toMatchObject({ activeCount: 0 });
  });
});

test('executions beyond the limits are deleted, and the last success is shown', async () => {
  const cluster = new FakeCluster({ successfulHistoryLimit: 1 });
  for (const time of ['01:00', '02:00']) {
    await runAt(cluster, time);
    cluster.finish(named(time), 'Complete');
  }
  await runAt(cluster, '02:30');
  expect(cluster.executions).toEqual([named('02:00')]);
  expect(cluster.status).toMatchObject({ lastSuccessfulTime: '2026-01-01T02:00:00Z', activeCount: 0 });
  await runAt(cluster, '02:31');
  expect(cluster.removed).toEqual([`JobExecution/${named('01:00')}`]);
});

test('Replace deletes the active execution, and creates the next one', async () => {
  const cluster = new FakeCluster({ concurrencyPolicy: 'Replace' });
  await runAt(cluster, '01:00');
  await runAt(cluster, '02:00');
  expect(cluster.executions).toEqual([named('02:00')]);
  expect(cluster.status).toMatchObject({ activeCount: 1, active: [{ name: named('02:00') }] });
  expect(cluster.events.at(-1)?.note).toContain(`and deleted ${named('01:00')}`);
});

describe('Forbid', () => {
  test('waits for the active execution, and says so', async () => {
    const cluster = new FakeCluster({ concurrencyPolicy: 'Forbid' });
    await runAt(cluster, '01:00');
    await runAt(cluster, '02:00');
    expect(cluster.created).toEqual([named('01:00')]);
    expect(ready(cluster)).toEqual([
      'True',
      'Available',
      `the JobExecution for 2026-01-01T02:00:00Z waits for the end of ${named('01:00')}, because concurrencyPolicy is Forbid`,
    ]);
    cluster.finish(named('01:00'), 'Failed');
    await runAt(cluster, '02:20');
    expect(cluster.created).toEqual([named('01:00'), named('02:00')]);
  });

  test('says how to go on where nobody knows whether the run took place', async () => {
    const cluster = new FakeCluster({ concurrencyPolicy: 'Forbid' });
    await runAt(cluster, '01:00');
    cluster.lose(named('01:00'));
    await runAt(cluster, '02:00');
    const message = ready(cluster)?.[2];
    expect(message).toContain(`Nobody knows whether the run of ${named('01:00')} took place`);
    expect(message).toContain('set spec.template.spec.onUnknown to Retry');
  });

  test('knows of an execution that the watch has not delivered', async () => {
    const cluster = new FakeCluster({ concurrencyPolicy: 'Forbid' });
    cluster.now = at('01:00');
    await cluster.run();
    cluster.now = at('02:00');
    await cluster.run();
    expect(cluster.created).toEqual([named('01:00')]);
  });
});

test('missed times are reported once', async () => {
  const cluster = new FakeCluster({ startingDeadlineSeconds: 60 });
  await runAt(cluster, '03:30');
  await runAt(cluster, '03:40');
  expect([cluster.created, cluster.missed]).toEqual([[], 3]);
  expect(cluster.events.map(({ reason, note }) => [reason, note])).toEqual([
    ['JobMissed', expect.stringContaining('3 scheduled times, the last of them 2026-01-01T03:00:00Z')],
  ]);
  await runAt(cluster, '05:30');
  expect([cluster.missed, cluster.events.at(-1)?.note]).toEqual([
    5,
    expect.stringMatching(/for 2 scheduled times.*05:00:00Z/),
  ]);
  await runAt(cluster, '09 04:30');
  expect(cluster.events.at(-1)?.note).toContain('more than 100 scheduled times');
});

test('a suspended schedule is Ready, creates nothing, and goes on afterwards', async () => {
  const cluster = new FakeCluster({ suspend: true });
  expect(await runAt(cluster, '02:30')).toEqual({ next: 'watch' });
  expect(ready(cluster)?.slice(0, 2)).toEqual(['True', 'Suspended']);
  expect(cluster.status).not.toHaveProperty('nextScheduleTime');
  cluster.edit({ suspend: false });
  await runAt(cluster, '02:31');
  expect(cluster.created).toEqual([named('02:00')]);
  expect(ready(cluster)?.slice(0, 2)).toEqual(['True', 'Available']);
});

test.each([
  [{ schedule: '99 * * * *' }, 'spec.schedule: the minute "99" cannot be read'],
  [{ timeZone: 'Mars/Olympus' }, 'spec.timeZone: Mars/Olympus is not a known time zone'],
  [{ template: { spec: { clusterRef: { name: 'a' }, jobRef: 1 } } }, 'spec.template.spec.jobRef: '],
])('a spec that cannot be used is InvalidSpec, and names the field', async (spec, message) => {
  const cluster = new FakeCluster(spec);
  expect(await runAt(cluster, '02:30')).toEqual({ next: 'watch' });
  expect(ready(cluster)).toEqual(['False', 'InvalidSpec', expect.stringContaining(message)]);
  expect(cluster.created).toEqual([]);
});

test('the time of an execution is recorded also when the spec was made unusable before that', async () => {
  const cluster = new FakeCluster();
  cluster.crash = { call: 4, after: false };
  await expect(runAt(cluster, '01:00:01')).rejects.toThrow(Crash);
  expect(cluster.schedule.metadata.annotations).toBeUndefined();
  cluster.crash = undefined;
  cluster.edit({ timeZone: 'Europe/Nowhere' });
  cluster.restart();
  await runAt(cluster, '01:00:02');
  expect(ready(cluster)?.[1]).toBe('InvalidSpec');
  expect(cluster.schedule.metadata.annotations).toEqual({ [lastScheduleAnnotation]: '2026-01-01T01:00:00Z' });
  const { resourceVersion } = cluster.schedule.metadata;
  await runAt(cluster, '01:00:03');
  expect(cluster.schedule.metadata.resourceVersion).toBe(resourceVersion);
});

describe('an obstacle', () => {
  test('an execution of somebody else is not adopted', async () => {
    const cluster = new FakeCluster();
    const name = named('01:00');
    const metadata = { ...key, name, uid: 'other', generation: 1, resourceVersion: '1' };
    cluster.put({ apiVersion: 'dataprocessing.dev/v1alpha1', kind: 'JobExecution', metadata });
    expect(await runAt(cluster, '01:00')).toEqual({ next: 'at', afterMs: 60_000 });
    expect(ready(cluster)).toEqual(['False', 'NameConflict', expect.stringContaining(`JobExecution ${name} exists`)]);
    expect(cluster.schedule.metadata.annotations).toBeUndefined();
    cluster.objects.delete(`JobExecution/${name}`);
    await runAt(cluster, '01:01');
    expect(cluster.created).toEqual([name]);
  });

  test.each(['forbidden', 'invalid'] as const)('a create that is %s is reported and retried', async (category) => {
    const cluster = new FakeCluster();
    cluster.refusal = new StoreError(category, 'no quota');
    expect(await runAt(cluster, '01:00')).toEqual({ next: 'at', afterMs: 60_000 });
    const remedy = 'Correct spec.template, or let the API server accept it: it is tried again every minute';
    const message = `the API server refuses JobExecution ${named('01:00')}: no quota. ${remedy}`;
    expect(ready(cluster)).toEqual(['False', 'ExecutionRefused', message]);
    await runAt(cluster, '01:01');
    expect([cluster.created, ready(cluster)?.[1]]).toEqual([[named('01:00')], 'Available']);
  });

  test('another failure is left to the controller', async () => {
    const cluster = new FakeCluster();
    cluster.refusal = new StoreError('unreachable', 'gone away');
    await expect(runAt(cluster, '01:00')).rejects.toThrow('gone away');
  });
});

describe('the annotation', () => {
  test('of a restored backup, which has no status, prevents a second run', async () => {
    const cluster = new FakeCluster();
    cluster.mark(lastScheduleAnnotation, '2026-01-01T02:00:00Z');
    await runAt(cluster, '02:30');
    expect(cluster.created).toEqual([]);
  });

  test('in the far future does not stop the schedule, and the status names it', async () => {
    const cluster = new FakeCluster();
    await runAt(cluster, '01:00');
    cluster.mark(lastScheduleAnnotation, '9999-01-01T00:00:00Z');
    await runAt(cluster, '01:30');
    expect(ready(cluster)?.[2]).toContain('A last scheduled time is ignored');
    await runAt(cluster, '02:00');
    expect(cluster.created).toEqual([named('01:00'), named('02:00')]);
  });

  test('a little in the future delays the schedule, and the status says so until it is corrected', async () => {
    const cluster = new FakeCluster();
    await runAt(cluster, '01:00');
    cluster.mark(lastScheduleAnnotation, '2026-01-01T05:00:00Z');
    await runAt(cluster, '02:00');
    expect(cluster.created).toEqual([named('01:00')]);
    expect(ready(cluster)?.[2]).toContain('Nothing is created before 2026-01-01T05:00:00Z');
    expect(cluster.status['lastScheduleTime']).toBe('2026-01-01T01:00:00Z');
    cluster.mark(lastScheduleAnnotation, undefined);
    await runAt(cluster, '02:01');
    expect(cluster.created).toEqual([named('01:00'), named('02:00')]);
  });

  test.each(['yesterday', '', '2026-13-01T00:00:00Z', '9'.repeat(10_000)])(
    'without a time is repaired',
    async (text) => {
      const cluster = new FakeCluster();
      await runAt(cluster, '01:00');
      cluster.mark(lastScheduleAnnotation, text);
      await runAt(cluster, '01:30');
      expect(cluster.schedule.metadata.annotations).toEqual({ [lastScheduleAnnotation]: '2026-01-01T01:00:00Z' });
    },
  );
});

test('a schedule that is deleted or being deleted is left alone', async () => {
  const cluster = new FakeCluster();
  cluster.put({
    ...cluster.schedule,
    metadata: { ...cluster.schedule.metadata, deletionTimestamp: '2026-01-01T00:20:00Z' },
  });
  expect(await runAt(cluster, '01:00')).toEqual({ next: 'watch' });
  cluster.objects.clear();
  expect(await runAt(cluster, '01:00')).toEqual({ next: 'gone' });
  expect(cluster.created).toEqual([]);
});
