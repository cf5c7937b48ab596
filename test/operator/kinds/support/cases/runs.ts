// Runs: each attempt is sent once and never again, whatever happens to the request, its answer or the process.
import { expect } from 'vitest';
import type { RawResource } from '../../../../../src/operator/api/definition.ts';
import { apiVersion, lastScheduleAnnotation, runAgainAnnotation } from '../../../../../src/operator/api/shared-api.ts';
import type { Records } from '../../../../../src/service/model/records/records.ts';
import { executionMarker } from '../../../../../src/wire/jobs.ts';
import { eventually } from '../bench.ts';
import type { Case } from '../case.ts';
import { own } from '../replies.ts';
import type { Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';

const start = { method: 'POST', collection: 'jobs', action: 'execute' } as const;

/** The markers of all requests that asked for a run, oldest first. */
const markers = ({ world }: Subject): readonly string[] =>
  world.proxy.sent.flatMap(({ method, action, body }) => {
    const { job_configs: how } = (body ?? {}) as {
      readonly job_configs?: { readonly configs: Record<string, string> };
    };
    return method === start.method && action === start.action ? [how?.configs[executionMarker] ?? ''] : [];
  });

const hasEnded = (subject: Subject): boolean =>
  ['Complete', 'Failed'].some((type) => subject.condition(type)?.status === 'True');
const ends = (subject: Subject): Promise<void> => subject.until('ended', () => hasEnded(subject));
const says = (subject: Subject, reason: string): Promise<void> =>
  subject.until(reason, () => subject.condition('Ready')?.reason === reason);
const isUnknown = (subject: Subject): Promise<void> => says(subject, 'OutcomeUnknown');

/** Minutes since 1970: 2026-03-01T06:30:00Z. */
const scheduledMinutes = 29_538_150;

/** Made by a JobSchedule that has not recorded its time. */
async function scheduled({ names, sample, world }: Trial, spec: object) {
  const { bench } = world;
  const name = `regular-${names['number']}`;
  const path = `/apis/${apiVersion}/namespaces/${bench.namespace}/jobschedules/${name}`;
  const template = { spec: sample.spec(names) };
  const schedule = { apiVersion, kind: 'JobSchedule', metadata: { name }, spec: { schedule: '0 0 1 1 *', template } };
  const { body } = await bench.api.apply(path, schedule);
  const { uid } = (body as RawResource).metadata;
  const subject = await world.apply('JobExecution', `${name}-${scheduledMinutes}`, { ...sample.spec(names), ...spec });
  const owner = { apiVersion, kind: 'JobSchedule', name, uid, controller: true };
  await subject.patch({ metadata: { ownerReferences: [owner] } });
  const key = { kind: 'JobSchedule', namespace: bench.namespace, name };
  const isSeen = (version: unknown) => Number(world.store.read(key)?.metadata.resourceVersion ?? 0) >= Number(version);
  const see = (answer: unknown) =>
    eventually('the schedule is in the caches', () => isSeen((answer as RawResource).metadata.resourceVersion));
  await see(body);
  const record = async (): Promise<void> => {
    const time = '2026-03-01T06:30:00Z';
    const status = { lastScheduleTime: time };
    await bench.api.send({ method: 'PATCH', path: `${path}/status`, body: { status } });
    const annotations = { [lastScheduleAnnotation]: time };
    await see((await bench.api.send({ method: 'PATCH', path, body: { metadata: { annotations } } })).body);
  };
  return { subject, record };
}

/** The sample with other fields. */
function applied({ names, sample, world }: Trial, fields: object): Promise<Subject> {
  return world.apply(sample.kind.definition.kind, `own-${names['number']}`, { ...sample.spec(names), ...fields });
}

/** Its run is queued until the test moves it. */
async function queued(trial: Trial, fields: object = {}): Promise<Subject> {
  trial.world.held = true;
  const subject = await applied(trial, fields);
  await says(subject, 'Queued');
  return subject;
}

/** The run goes on until it is in progress. */
async function proceeds({ world }: Trial): Promise<void> {
  await world.backend.step();
  await world.backend.step();
}

/** Its run is in progress until the test moves it. */
async function running(trial: Trial, fields: object = {}): Promise<Subject> {
  const subject = await queued(trial, fields);
  await proceeds(trial);
  await says(subject, 'Running');
  return subject;
}

/** The engine ends the run in this way. */
function endAs({ world }: Trial, subject: Subject, status: string): void {
  const row = subject.rows.at(-1) as Records['jobExecutions'];
  const end_time = new Date().toISOString();
  world.backend.put('jobExecutions', { ...row, info: { status }, end_time, work: undefined });
}

const plain: readonly Case[] = [
  {
    name: 'succeeds with one request and at most five writes, and is left alone after that',
    async run({ create, world }) {
      const subject = await create();
      const mark = world.trace.length;
      await ends(subject);
      expect(markers(subject)).toEqual([`${subject.uid}-1`]);
      const writes = () => world.trace.slice(mark).filter((line) => line.includes(subject.key.name));
      expect(writes().length).toBeLessThanOrEqual(5);
      expect(subject.status).toMatchObject({
        state: 'Succeeded',
        externalStatus: 'SUCCEEDED',
        externalName: `${subject.uid}-1`,
        attempts: 1,
        id: subject.row.id,
      });
      expect(subject.condition('Complete')).toMatchObject({ status: 'True', reason: 'Succeeded' });
      expect(subject.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
      expect(subject.condition('Failed')).toBeUndefined();
      const [sent, written] = [world.proxy.sent.length, writes().length];
      await subject.passes(3);
      expect([world.proxy.sent.length, writes().length]).toEqual([sent, written]);
    },
  },
  {
    name: 'tells how far it is: queued, running, failed',
    async run(trial) {
      const subject = await running(trial);
      expect(subject.eventReasons).toEqual(['Created']);
      expect(subject.status).toMatchObject({ state: 'Running', cluster: { name: trial.names['cluster'] } });
      expect(subject.condition('Reconciling')).toBeDefined();
      endAs(trial, subject, 'FAILED');
      await ends(subject);
      expect(subject.status).toMatchObject({ state: 'Failed', externalStatus: 'FAILED' });
      expect(subject.condition('Failed')).toMatchObject({ status: 'True', reason: 'Failed' });
      expect(subject.condition('Stalled')).toMatchObject({ status: 'True', reason: 'Failed' });
      expect(subject.eventReasons).toEqual(['Created', 'Failed']);
      expect(markers(subject)).toHaveLength(1);
    },
  },
  {
    name: 'is found by its marker when the answer was lost after the commit',
    async run({ create, world }) {
      const subject = await create();
      world.proxy.on(start, { act: 'lose', after: 'commit' }, 1);
      await ends(subject);
      expect(markers(subject)).toHaveLength(1);
      expect(subject.claim).toMatchObject({ id: subject.row.id });
      expect(subject.claim?.attempts).toBeUndefined();
    },
  },
  {
    name: 'is not sent again when the request was lost, and says so; another one is sent when the user asks for it',
    async run({ create, world }) {
      const subject = await create();
      world.proxy.on(start, { act: 'lose', after: 'nothing' }, 1);
      await isUnknown(subject);
      expect(subject.status).toMatchObject({ state: 'Unknown' });
      expect(subject.condition('Stalled')?.message).toContain(`${runAgainAnnotation}: ${subject.uid}-1`);
      await subject.passes(5);
      expect(markers(subject)).toHaveLength(1);
      await subject.patch({ metadata: { annotations: { [runAgainAnnotation]: `${subject.uid}-2` } } });
      await subject.passes(2);
      expect(markers(subject)).toHaveLength(1);
      await subject.patch({ metadata: { annotations: { [runAgainAnnotation]: `${subject.uid}-1` } } });
      await ends(subject);
      expect(markers(subject)).toEqual([`${subject.uid}-1`, `${subject.uid}-2`]);
      expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 2 });
    },
  },
  {
    name: 'is repeated when the request was lost, and the job may run twice',
    async run(trial) {
      const { world } = trial;
      world.proxy.on(start, { act: 'lose', after: 'nothing' }, 2);
      const subject = await applied(trial, { onUnknown: 'Retry' });
      const isLost = () => subject.condition('Ready')?.message.includes('looking for it') === true;
      await subject.until('lost', isLost);
      expect(markers(subject)).toHaveLength(1);
      expect(subject.condition('Ready')?.message).toMatch(
        /If lists after \d\d:\d\d UTC lack it, another run is started/,
      );
      for (const count of [2, 3]) await subject.until('repeated', () => markers(subject).length === count);
      await ends(subject);
      expect(markers(subject)).toEqual([1, 2, 3].map((number) => `${subject.uid}-${number}`));
      expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 3 });
      expect(subject.eventReasons).toContain('Retried');
      expect(subject.rows).toHaveLength(1);
    },
  },
  {
    name: 'is not repeated when it was cancelled meanwhile: what is unknown stays unknown',
    async run(trial) {
      const { world } = trial;
      world.proxy.on(start, { act: 'lose', after: 'nothing' }, 1);
      const subject = await applied(trial, { onUnknown: 'Retry' });
      await subject.until('sent', () => markers(subject).length === 1);
      await subject.edit({ cancel: true });
      await isUnknown(subject);
      expect(markers(subject)).toHaveLength(1);
    },
  },
  ...(
    [
      ['a refusal', own(400, 'INVALID_DATA', 'no such class')],
      [
        'a redirect',
        { act: 'answer', reply: { status: 302, headers: { location: 'https://portal.example.com' }, body: '' } },
      ],
    ] as const
  ).map(
    ([what, fault]): Case => ({
      name: `is another attempt after ${what}, with another marker, and counts once`,
      async run({ create, world }) {
        const subject = await create();
        world.proxy.on(start, fault, 1);
        await ends(subject);
        expect(markers(subject)).toEqual([`${subject.uid}-1`, `${subject.uid}-2`]);
        expect(subject.rows).toHaveLength(1);
        expect(subject.ledger?.claims).toHaveLength(1);
        expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 1 });
      },
    }),
  ),
  ...(
    [
      ['INVALID_DATA', 5, 2],
      ['VALIDATION_ERROR', 5, 2],
      ['INVALID_REFERENCE', 60, 7],
      ['ENGINE_REFUSED', 3_600, 5],
    ] as const
  ).map(
    ([errorName, seconds, most]): Case => ({
      name: `has failed when the service refuses it for ${seconds} s: ${errorName}`,
      async run({ create, world }) {
        const subject = await create();
        world.proxy.on(start, own(400, errorName, 'no argument called texd'));
        const since = world.clock.monotonic();
        for (let refused = 1; refused <= most - 1; refused += 1) {
          await subject.until('refused', () => markers(subject).length === refused);
          expect(subject.condition('Failed')).toBeUndefined();
        }
        if (seconds > 60) world.clock.leap(seconds * 1_000);
        await ends(subject);
        expect(world.clock.monotonic() - since).toBeGreaterThanOrEqual(seconds * 1_000);
        expect(markers(subject)).toHaveLength(most);
        for (const type of ['Failed', 'Stalled'])
          expect(subject.condition(type)).toMatchObject({ status: 'True', reason: 'Failed' });
        const message = subject.condition('Failed')?.message;
        expect(message).toContain(`cannot create JobExecution ${subject.key.name}: the service refused it`);
        expect(message).toContain('no argument called texd');
        expect(message).toContain('create another JobExecution');
        expect(subject.status).toMatchObject({ state: 'Failed' });
        expect(subject.status).not.toHaveProperty('attempts');
        const sent = world.proxy.sent.length;
        await subject.passes(3);
        expect(world.proxy.sent).toHaveLength(sent);
        expect(subject.rows).toEqual([]);
      },
    }),
  ),
  {
    name: 'waits for a quota, however long that takes',
    async run({ create, world }) {
      const subject = await create();
      const full = world.proxy.on(start, own(400, 'QUOTA_ERROR', 'too many runs'));
      await subject.passes(12);
      world.clock.leap(2 * 3_600_000);
      await subject.passes(2);
      expect(subject.condition('Failed')).toBeUndefined();
      expect(subject.status).toMatchObject({ state: 'Pending' });
      full.lift();
      await ends(subject);
      expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 1 });
    },
  },
  {
    name: 'waits for its cluster',
    async run({ create, world, names, sample }) {
      const subject = await world.apply(sample.kind.definition.kind, `early-${names['number']}`, {
        ...sample.spec(names),
        clusterRef: { name: 'none' },
      });
      await says(subject, 'WaitingForCluster');
      expect(subject.status.blockedOn).toMatchObject([{ kind: 'Cluster', name: 'none' }]);
      await subject.remove();
      await subject.gone();
      expect(markers(subject)).toEqual([]);
      await ends(await create());
    },
  },
];

const stops: readonly Case[] = [
  {
    name: 'is cancelled when the user asks for it',
    async run(trial) {
      const { world } = trial;
      const subject = await running(trial);
      await subject.edit({ cancel: true });
      await says(subject, 'Cancelling');
      world.held = false;
      await ends(subject);
      expect(world.proxy.sent.filter(({ action }) => action === 'cancel')).toHaveLength(1);
      expect(subject.condition('Failed')).toMatchObject({ status: 'True', reason: 'Cancelled' });
      expect(subject.status).toMatchObject({ state: 'Cancelled', externalStatus: 'KILLED' });
    },
  },
  {
    name: 'is never sent when it is cancelled before',
    async run(trial) {
      const subject = await applied(trial, { cancel: true });
      await ends(subject);
      expect(markers(subject)).toEqual([]);
      expect(subject.condition('Failed')).toMatchObject({ reason: 'Cancelled' });
      await subject.remove();
      await subject.gone();
    },
  },
  {
    name: 'waits while it is suspended, and runs when it is resumed',
    async run(trial) {
      const subject = await applied(trial, { suspend: true });
      await says(subject, 'Suspended');
      expect(markers(subject)).toEqual([]);
      expect(subject.status).toMatchObject({ state: 'Suspended' });
      await subject.edit({ suspend: false });
      await ends(subject);
      expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 1 });
    },
  },
  {
    name: 'is cancelled when it is suspended during a run, and another attempt follows when it is resumed',
    async run(trial) {
      const subject = await running(trial);
      await subject.edit({ suspend: true });
      trial.world.held = false;
      await says(subject, 'Suspended');
      subject.most = 2;
      await subject.edit({ suspend: false });
      await ends(subject);
      expect(markers(subject)).toEqual([`${subject.uid}-1`, `${subject.uid}-2`]);
      expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 2 });
    },
  },
  {
    name: 'is cancelled after its deadline',
    async run(trial) {
      const { world } = trial;
      const subject = await running(trial, { activeDeadlineSeconds: 600 });
      world.clock.leap(601_000);
      await says(subject, 'Cancelling');
      world.held = false;
      await ends(subject);
      expect(subject.condition('Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
      expect(subject.status).toMatchObject({ state: 'Failed' });
    },
  },
  {
    name: 'keeps the start at which it was first seen under way, also in another process and whatever the service says of it',
    async run(trial) {
      const { world } = trial;
      const subject = await queued(trial, { activeDeadlineSeconds: 600 });
      await proceeds(trial);
      const starts = (start_time: string): void =>
        world.backend.put('jobExecutions', { ...(subject.row as Records['jobExecutions']), start_time });
      starts('1999-12-31T23:59:59');
      await says(subject, 'Running');
      const { startTime } = subject.status as { readonly startTime?: string };
      expect(Math.abs(Date.parse(startTime ?? '') - world.clock.wall())).toBeLessThan(300_000);
      world.clock.leap(300_000);
      await world.restart();
      starts('2099-12-31T23:59:59');
      await subject.passes(2);
      expect(subject.status).toMatchObject({ state: 'Running', startTime });
      world.clock.leap(301_000);
      await says(subject, 'Cancelling');
      world.held = false;
      await ends(subject);
      expect(subject.condition('Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
      expect(subject.status).toMatchObject({ startTime, duration: expect.stringMatching(/^[1-9]\dm/) });
    },
  },
  {
    name: 'is not repeated when it fails while it is cancelled',
    async run(trial) {
      const subject = await queued(trial, { retries: 1 });
      await subject.edit({ cancel: true });
      await says(subject, 'Cancelling');
      endAs(trial, subject, 'FAILED');
      await ends(subject);
      expect(markers(subject)).toHaveLength(1);
      expect(subject.condition('Failed')).toMatchObject({ reason: 'Cancelled' });
    },
  },
  {
    name: 'has all its retries after it was suspended, also if it failed at that moment',
    async run(trial) {
      const subject = await queued(trial, { retries: 1 });
      subject.most = 3;
      await subject.edit({ suspend: true });
      await says(subject, 'Cancelling');
      endAs(trial, subject, 'FAILED');
      await says(subject, 'Suspended');
      await subject.edit({ suspend: false });
      for (const attempt of [2, 3]) {
        await subject.until(`attempt ${attempt}`, () => markers(subject).length === attempt);
        await says(subject, 'Queued');
        endAs(trial, subject, 'FAILED');
      }
      await ends(subject);
      expect(markers(subject)).toHaveLength(3);
      expect(subject.condition('Failed')).toMatchObject({ reason: 'Failed' });
    },
  },
  {
    name: 'is repeated as often as it says when it fails, and not more often',
    async run(trial) {
      const { world } = trial;
      const subject = await queued(trial, { retries: 1 });
      subject.most = 2;
      const since = world.clock.monotonic();
      endAs(trial, subject, 'FAILED');
      await says(subject, 'Retrying');
      expect(subject.status).toMatchObject({ state: 'Pending', attempts: 1 });
      await subject.until('retried', () => markers(subject).length === 2);
      expect(world.clock.monotonic() - since).toBeGreaterThanOrEqual(10_000);
      await says(subject, 'Queued');
      expect(subject.eventReasons).toContain('Retried');
      endAs(trial, subject, 'DONEWITHERROR');
      await ends(subject);
      expect(markers(subject)).toEqual([`${subject.uid}-1`, `${subject.uid}-2`]);
      expect(subject.condition('Failed')).toMatchObject({ reason: 'Failed' });
      expect(subject.status).toMatchObject({ attempts: 2 });
    },
  },
  {
    name: 'is repeated after delays that grow, also if the rows of those that failed are gone by then',
    async run(trial) {
      const { world } = trial;
      world.held = true;
      const subject = await applied(trial, { retries: 8 });
      const delays: number[] = [];
      for (let failed = 1; failed <= 7; failed += 1) {
        subject.most = failed + 1;
        await says(subject, 'Queued');
        const since = world.clock.monotonic();
        endAs(trial, subject, 'FAILED');
        await says(subject, 'Retrying');
        if (failed === 2) world.backend.drop('jobExecutions', subject.rows.at(-1)?.id ?? '');
        await subject.until('retried', () => markers(subject).length === failed + 1);
        delays.push(Math.floor((world.clock.monotonic() - since) / 1_000));
      }
      for (const [at, least] of [10, 20, 40, 80, 160, 320, 360].entries()) {
        expect(delays[at]).toBeGreaterThanOrEqual(least);
        expect(delays[at]).toBeLessThan(least + 5);
      }
    },
  },
];

const losses: readonly Case[] = [
  {
    name: 'keeps its result when its row goes',
    async run({ create, world }) {
      const subject = await create();
      await ends(subject);
      world.backend.drop('jobExecutions', subject.row.id);
      await subject.passes(3);
      expect(subject.status).toMatchObject({ state: 'Succeeded', externalStatus: 'SUCCEEDED' });
      await subject.remove();
      await subject.gone();
    },
  },
  {
    name: 'is not sent again when its row goes before it has ended; another one is sent when the user asks for it',
    async run(trial) {
      const { world } = trial;
      const subject = await running(trial);
      world.backend.drop('jobExecutions', subject.row.id);
      await says(subject, 'ExternalDeleted');
      await subject.passes(3);
      expect(markers(subject)).toHaveLength(1);
      expect(subject.status).toMatchObject({ state: 'Unknown' });
      world.held = false;
      await subject.patch({ metadata: { annotations: { [runAgainAnnotation]: `${subject.uid}-1` } } });
      await ends(subject);
      expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 2 });
    },
  },
  {
    name: 'stays suspended when its cancelled run goes, and another attempt follows when it is resumed',
    async run(trial) {
      const { world } = trial;
      const subject = await running(trial);
      await subject.edit({ suspend: true });
      world.held = false;
      await says(subject, 'Suspended');
      world.backend.drop('jobExecutions', subject.row.id);
      for (let look = 0; look < 3; look += 1) {
        world.clock.leap(120_000);
        await subject.pass();
      }
      expect(subject.condition('Ready')?.reason).toBe('Suspended');
      subject.most = 2;
      await subject.edit({ suspend: false });
      await ends(subject);
      expect(subject.status).toMatchObject({ state: 'Succeeded', attempts: 2 });
    },
  },
  {
    name: 'is found by its marker when the ledger is lost',
    async run(trial) {
      const subject = await running(trial);
      await subject.mangle({ ledger: null });
      await subject.annotate(null);
      trial.world.held = false;
      await ends(subject);
      expect(markers(subject)).toHaveLength(1);
      expect(subject.claim).toMatchObject({ id: subject.row.id, name: `${subject.uid}-1` });
    },
  },
  {
    name: 'is not sent again when both the ledger and its row are lost',
    async run(trial) {
      const { world } = trial;
      const subject = await running(trial);
      world.backend.drop('jobExecutions', subject.row.id);
      await subject.mangle({ ledger: null });
      await subject.annotate(null);
      await isUnknown(subject);
      expect(markers(subject)).toHaveLength(1);
    },
  },
];

const deletions: readonly Case[] = [
  {
    name: 'is deleted with its run, also while that is in progress',
    async run(trial) {
      const subject = await running(trial);
      await subject.remove();
      // It is stopped first, which takes a while.
      await subject.until('the deletion is told', () => subject.eventReasons.at(-1) === 'Deleting');
      trial.world.held = false;
      await subject.gone();
      expect(subject.rows).toEqual([]);
      expect(subject.eventReasons.slice(-2)).toEqual(['Deleting', 'Deleted']);
    },
  },
  {
    name: 'is deleted with all its attempts',
    async run(trial) {
      const subject = await running(trial);
      await subject.edit({ suspend: true });
      trial.world.held = false;
      await says(subject, 'Suspended');
      subject.most = 2;
      await subject.edit({ suspend: false });
      await ends(subject);
      expect(subject.rows).toHaveLength(2);
      await subject.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
  {
    name: 'is deleted with its object once its time to live is over',
    async run({ create }) {
      const subject = await create();
      await ends(subject);
      await subject.passes(2);
      expect(subject.resource?.metadata.deletionTimestamp).toBeUndefined();
      await subject.edit({ ttlSecondsAfterFinished: 1 });
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
  {
    name: 'stays while its schedule has not recorded its time, which would come a second time otherwise',
    async run(trial) {
      const { subject, record } = await scheduled(trial, {});
      await ends(subject);
      await subject.remove();
      await subject.passes(5);
      expect(subject.rows).toEqual([]);
      expect(subject.isGone).toBe(false);
      expect(subject.condition('Ready')).toMatchObject({
        reason: 'Deleting',
        message: expect.stringMatching(/^waiting for JobSchedule regular-\d+ to record the scheduled time/),
      });
      expect(subject.status.blockedOn).toMatchObject([{ kind: 'JobSchedule' }]);
      await record();
      await subject.gone();
    },
  },
  {
    name: 'does not expire while its schedule has not recorded its time',
    async run(trial) {
      const { subject, record } = await scheduled(trial, { ttlSecondsAfterFinished: 1 });
      await ends(subject);
      await subject.passes(5);
      expect(subject.resource?.metadata.deletionTimestamp).toBeUndefined();
      await record();
      await subject.gone();
    },
  },
  {
    name: 'holds the deletion of its cluster until it has ended',
    async run(trial) {
      const { world, need } = trial;
      const cluster = await need('cluster');
      await cluster.ready();
      const subject = await running(trial);
      await cluster.remove();
      await cluster.passes(2);
      expect(cluster.status.blockedOn).toMatchObject([
        {
          kind: 'JobExecution',
          name: subject.key.name,
          reason: 'InUse',
          message: expect.stringContaining('or cancel it with spec.cancel: true'),
        },
      ]);
      await cluster.passes(2);
      expect(cluster.eventReasons.filter((reason) => reason === 'DeletionBlocked')).toHaveLength(1);
      expect(cluster.rows).toHaveLength(1);
      world.held = false;
      await ends(subject);
      await cluster.gone();
      expect(subject.status).toMatchObject({ state: 'Succeeded' });
    },
  },
];

export const runCases = [...plain, ...stops, ...losses, ...deletions].map((one): Case => ({ ...one, ofRuns: true }));
