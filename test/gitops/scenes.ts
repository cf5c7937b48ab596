// How each row of the table comes about, with the real operator, API server and service; each works for every kind that it applies to.
import { expect } from 'vitest';
import type { RawResource } from '../../src/operator/api/definition.ts';
import { approvePlanAnnotation, ledgerAnnotation } from '../../src/operator/api/shared-api.ts';
import { connection } from '../../src/operator/kinds/connection/schema.ts';
import { jobSchedule } from '../../src/operator/kinds/job-schedule/schema.ts';
import { nodeGroup } from '../../src/operator/kinds/node-group/schema.ts';
import { statusOf } from '../operator/kinds/support/invariants.ts';
import { own } from '../operator/kinds/support/replies.ts';
import type { Fault } from '../support/service/service-proxy.ts';
import type { Actor } from './actors.ts';
import { kstatus } from './readers/kstatus.ts';
import type { Scene } from './scene.ts';
import { adoptionScenes } from './scenes/adoption.ts';
import { lifecycleScenes } from './scenes/lifecycle.ts';
import { nodeGroupScenes } from './scenes/node-groups.ts';
import type { Trial } from './trial.ts';

const forExternal = ({ kind }: Pick<Actor, 'kind'>) =>
  [connection.kind, jobSchedule.kind, nodeGroup.kind].some((one) => one === kind)
    ? 'it stands for nothing in the service'
    : undefined;
/** More than the grace of an object that cannot be looked at. */
const graceMs = 6 * 60_000;

const coming: readonly Scene[] = [
  {
    cause: 'the operator is not up yet, and then again for an edit',
    shows: ['newborn', 'ready', 'edited', 'ready'],
    smooth: true,
    async run(trial) {
      await trial.prepare();
      await trial.create();
      await trial.shows('newborn');
      await trial.operate();
      await trial.shows('ready');
      await trial.stage.halt();
      await trial.edit(trial.actor.touch);
      await trial.shows('edited');
      await trial.operate();
      await trial.shows('ready');
    },
  },
  {
    cause: 'everything that it needs comes after it',
    shows: ['dependent', 'ready'],
    without: forExternal,
    smooth: true,
    async run(trial) {
      await trial.operate();
      await trial.create();
      await trial.shows('dependent');
      await trial.prepare();
      await trial.shows('ready');
    },
  },
  {
    cause: 'what it refers to does not exist',
    shows: ['dependent'],
    without: ({ dependent }) => (dependent ? undefined : 'it refers to nothing'),
    smooth: true,
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.create(trial.actor.dependent);
      await trial.shows('dependent');
    },
  },
  {
    cause: 'the service takes its time to make it',
    shows: ['creating', 'ready'],
    smooth: true,
    async run(trial) {
      await trial.operate();
      await trial.ground();
      trial.stage.held = true;
      await trial.create();
      // It may say so before the service has it.
      const seen = await trial.shows('creating', (one) => statusOf(one).id !== undefined);
      expect(statusOf(seen).externalStatus).toBe('Waiting');
      trial.stage.held = false;
      await trial.shows('ready');
    },
  },
  {
    cause: 'the service takes its time to scale it',
    shows: ['ready', 'scaling', 'ready'],
    smooth: true,
    async run(trial) {
      const { edit = {}, reported } = trial.actor.scale ?? {};
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      trial.stage.held = true;
      await trial.edit(edit);
      await trial.shows('scaling');
      trial.stage.held = false;
      await trial.shows('ready');
      const believed = trial.versions.filter((one) => one.metadata.generation > 1 && kstatus(one) === 'Current');
      for (const one of believed) expect(statusOf(one)).toMatchObject({ ...reported });
    },
  },
];

const suspended: Scene = {
  cause: 'it is suspended when it is declared, resumed, and suspended again',
  shows: ['pending', 'ready', 'paused'],
  smooth: true,
  async run(trial) {
    await trial.operate();
    await trial.prepare();
    await trial.create({ suspend: true });
    await trial.shows('pending');
    await trial.edit({ suspend: false });
    await trial.shows('ready');
    await trial.edit({ suspend: true });
    await trial.shows('paused');
  },
};

const planOf = (one: RawResource) => (statusOf(one)['plan'] as { readonly hash: string } | undefined)?.hash;

const approved: Scene = {
  cause: 'each write has to be approved',
  shows: ['planned', 'ready'],
  smooth: true,
  async run(trial) {
    await trial.operate();
    await trial.prepare();
    await trial.create({ policy: 'Plan' });
    let hash = planOf(await trial.shows('planned'));
    // A given object can take several requests, each with a plan of its own.
    while (hash !== undefined) {
      const before = hash;
      await trial.annotate({ [approvePlanAnnotation]: hash });
      const key = { kind: trial.actor.kind, name: trial.name, from: 'latest' } as const;
      const isOver = (one: RawResource) => kstatus(one) === 'Current' || ![undefined, before].includes(planOf(one));
      hash = planOf(await trial.stage.recorder.until(key, 'the approved plan is carried out', isOver));
    }
    await trial.shows('ready');
  },
};

const serverFault = own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error');
const faults: readonly (readonly [cause: string, fault: Fault])[] = [
  ['answers 500', serverFault],
  [
    'answers 401',
    {
      act: 'answer',
      reply: { status: 401, body: '{"error":{"code":401,"title":"Unauthorized","message":"Authenticate."}}' },
    },
  ],
  ['breaks the connection', { act: 'lose', after: 'nothing' }],
  ['does not answer', { act: 'hang' }],
];
const patience = { timeoutSeconds: 5 };

const failing: readonly Scene[] = faults.map(([cause, fault]) => ({
  cause: `the service ${cause}`,
  shows: ['retrying', 'ready'],
  without: ({ never, kind }) =>
    never.scaling && kind !== connection.kind ? 'all kinds meet the service in the same way' : undefined,
  async run(trial) {
    await trial.operate();
    await trial.ground(patience);
    const rule = trial.stage.proxy.on(trial.actor.makes, fault);
    await trial.create(trial.actor.kind === connection.kind ? patience : {});
    await trial.shows('retrying');
    rule.lift();
    if (trial.actor.kind !== connection.kind) await trial.askForALook();
    await trial.shows('ready');
  },
}));

const overdue: Scene = {
  cause: 'the service fails past the deadline, until it is asked to look again',
  shows: ['retrying', 'overdue', 'ready'],
  async run(trial) {
    await trial.operate();
    await trial.ground();
    const rule = trial.stage.proxy.on(trial.actor.makes, serverFault);
    await trial.create();
    const seen = await trial.shows('retrying');
    await trial.provoke(rule, 2);
    const [said = ''] = messages([seen]);
    // Of what is being tried; a slow machine may say something else in between.
    const [subject = ''] = said.split(':');
    const told = messages(trial.versions).filter((message) => message.startsWith(subject));
    expect(new Set(told), 'a retry is no news: no word may count them').toEqual(new Set([said]));
    await trial.endPatience();
    await trial.shows('overdue');
    rule.lift();
    await trial.askForALook();
    await trial.shows('ready');
  },
};

/** What Ready says, version by version. */
function messages(versions: readonly RawResource[]): readonly string[] {
  const conditions = versions.flatMap((one) => statusOf(one).conditions ?? []);
  return conditions.filter(({ type }) => type === 'Ready').map(({ message }) => message);
}

const refused: readonly Scene[] = [
  {
    cause: 'its spec cannot be used',
    shows: ['refused'],
    without: ({ unusable }) =>
      Object.keys(unusable).length === 0 ? 'the API server refuses everything that cannot be used' : undefined,
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.create(trial.actor.unusable);
      await trial.shows('refused');
    },
  },
  {
    cause: 'a config map was edited, which cannot change, and is put back',
    shows: ['ready', 'refused', 'ready'],
    without: ({ fixed }) => (fixed ? undefined : 'it has no config maps'),
    async run(trial) {
      const { edited = {}, back = {} } = trial.actor.fixed ?? {};
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      await trial.edit(edited);
      await trial.shows('refused');
      await trial.edit(back);
      await trial.shows('ready');
    },
  },
  {
    cause: 'its ledger is not provably ours',
    shows: ['ready', 'refused'],
    without: ({ fixed, kind }) =>
      forExternal({ kind }) ?? (fixed ? 'it is refused for an edited config map' : undefined),
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      await trial.annotate({ [ledgerAnnotation]: '{"v":1' });
      await trial.shows('refused');
    },
  },
  {
    cause: 'it was deleted in the service',
    shows: ['ready', 'refused'],
    without: ({ never }) => never.broken && 'it is made again',
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      trial.stage.backend.drop('clusters', trial.id);
      await trial.shows('refused');
    },
  },
  {
    cause: 'the service ends up in Error',
    shows: ['creating', 'broken'],
    async run(trial) {
      await trial.operate();
      await trial.ground();
      trial.stage.held = true;
      await trial.create();
      // It may say so before the service has it.
      await trial.shows('creating', (one) => statusOf(one).id !== undefined);
      const [row] = trial.stage.backend.rows('clusters');
      if (row === undefined) throw new Error('the service has no cluster');
      trial.stage.backend.put('clusters', { ...row, status: 'Error', status_description: 'no room', work: undefined });
      await trial.shows('broken');
    },
  },
];

const rivalry: Scene = {
  cause: 'somebody else has the name that it fixes, and then gives it up',
  shows: ['conflicting', 'ready'],
  async run(trial) {
    const { rival } = trial.actor;
    if (!rival) throw new Error(`cannot make a rival of a ${trial.actor.kind}`);
    await trial.operate();
    await trial.ground();
    const id = await rival(trial.stage, 'taken');
    await trial.create({ name: 'taken' });
    await trial.shows('conflicting');
    trial.stage.backend.drop('clusters', id);
    await trial.askForALook();
    await trial.shows('ready');
  },
};

const watched: readonly Scene[] = [
  {
    cause: 'somebody changed it in the service',
    shows: ['ready', 'correcting', 'ready'],
    async run(trial) {
      const { actor, stage } = trial;
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      stage.held = true;
      await actor.drift?.(stage, trial.id);
      await trial.askForALook();
      await trial.shows('correcting');
      stage.held = false;
      await trial.shows('ready');
    },
  },
  {
    cause: 'somebody took away in the service what only the user can give back',
    shows: ['ready', 'unfixable', 'ready'],
    async run(trial) {
      const { actor, stage } = trial;
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      await actor.damage?.done(stage, trial.id);
      await trial.askForALook();
      await trial.shows('unfixable');
      await trial.edit(actor.damage?.remedy ?? {});
      await trial.shows('ready');
    },
  },
  {
    cause: 'the service cannot be looked at for a while',
    shows: ['ready', 'unobserved', 'ready'],
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      const before = trial.versions.length;
      const rule = trial.stage.proxy.on(trial.actor.looks, serverFault);
      await trial.provoke(rule, 3);
      // Not a word before the grace is over.
      expect(new Set(trial.versions.slice(before - 1).map(kstatus))).toEqual(new Set(['Current']));
      trial.stage.clock.leap(graceMs);
      await trial.shows('unobserved');
      rule.lift();
      await trial.askForALook();
      await trial.shows('ready');
    },
  },
];

/** It tells who is waited for. */
const isInUse = (one: RawResource): boolean =>
  statusOf(one).blockedOn?.some(({ reason }) => reason === 'InUse') ?? false;

const going: readonly Scene[] = [
  {
    cause: 'the answer to its delete is lost',
    shows: ['ready', 'deleting'],
    without: ({ use, kind }) => forExternal({ kind }) ?? (use ? 'it is deleted while something needs it' : undefined),
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      trial.stage.proxy.on(trial.actor.deletes ?? {}, serverFault, 1);
      await trial.delete();
      await trial.shows('deleting');
      // It is sent again after a minute, which begins when the answer is lost: after the status.
      await trial.leapUntilGone();
    },
  },
  {
    cause: 'a template was made through it',
    shows: ['ready', 'deleting'],
    without: ({ kind }) => (kind === connection.kind ? undefined : 'it is no Connection'),
    async run(trial) {
      await trial.operate();
      await trial.createReady();
      await useConnection(trial);
      await trial.delete();
      await trial.shows('deleting', isInUse);
      await trial.stage.delete('NodeGroupTemplate', 'user');
      await trial.gone();
    },
  },
  {
    cause: 'something else in the service needs it, for longer than the deadline',
    shows: ['ready', 'deleting', 'held'],
    without: ({ use }) => (use ? undefined : 'nothing uses it'),
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      await trial.actor.use?.(trial.stage, trial.id);
      await trial.delete();
      await trial.shows('deleting', isInUse);
      await trial.endPatience();
      await trial.shows('held', isInUse);
    },
  },
  {
    cause: 'the service refuses to delete it, for longer than the deadline',
    shows: ['ready', 'refusing', 'held'],
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.createReady();
      const rule = trial.stage.proxy.on(trial.actor.deletes ?? {}, own(409, 'CONFLICT', 'not now'));
      await trial.delete();
      await trial.shows('refusing');
      await trial.endPatience();
      await trial.shows('held');
      rule.lift();
      await trial.askForALook();
      await trial.gone();
    },
  },
];

/** A template that was made through the Connection on trial. */
async function useConnection({ stage, name }: Trial): Promise<void> {
  const spec = { pluginName: 'vanilla', bigdataVersion: '1.2.1', flavorID: '2', nodeProcesses: ['datanode'] };
  const kind = 'NodeGroupTemplate';
  await stage.apply(kind, 'user', { ...spec, connectionRef: { name } });
  await stage.recorder.until({ kind, name: 'user' }, 'made', (one) => statusOf(one).id !== undefined);
}

const reasonOf = (one: RawResource): string | undefined =>
  statusOf(one).conditions?.find(({ type }) => type === 'Ready')?.reason;

const runs: readonly Scene[] = [
  {
    cause: 'a run is declared, and ends well',
    shows: ['newborn', 'underWay', 'succeeded'],
    only: 'JobExecution',
    smooth: true,
    async run(trial) {
      await trial.operate();
      await trial.ground();
      await trial.stage.halt();
      await trial.create();
      await trial.shows('newborn');
      trial.stage.held = true;
      await trial.operate();
      await trial.shows('underWay');
      trial.stage.held = false;
      await trial.shows('succeeded');
    },
  },
  {
    cause: 'a run waits for its job',
    shows: ['dependent'],
    only: 'JobExecution',
    async run(trial) {
      await trial.operate();
      await trial.prepare();
      await trial.create(trial.actor.dependent);
      await trial.shows('dependent');
    },
  },
  {
    cause: 'a run is suspended before its start, resumed, and cancelled',
    shows: ['suspended', 'underWay', 'underWay', 'unsuccessful'],
    only: 'JobExecution',
    async run(trial) {
      await trial.operate();
      await trial.ground();
      trial.stage.held = true;
      await trial.create({ suspend: true });
      await trial.shows('suspended');
      await trial.edit({ suspend: false });
      await trial.shows('underWay', (one) => statusOf(one).id !== undefined);
      await trial.edit({ cancel: true });
      await trial.shows('underWay', (one) => reasonOf(one) === 'Cancelling');
      trial.stage.held = false;
      await trial.shows('unsuccessful');
    },
  },
  {
    cause: 'a run fails',
    shows: ['underWay', 'unsuccessful'],
    only: 'JobExecution',
    async run(trial) {
      await trial.operate();
      await trial.ground();
      trial.stage.held = true;
      await trial.create();
      await trial.shows('underWay', (one) => statusOf(one).id !== undefined);
      const [row] = trial.stage.backend.rows('jobExecutions');
      if (row === undefined) throw new Error('the service has no run');
      const end_time = new Date().toISOString();
      trial.stage.backend.put('jobExecutions', { ...row, info: { status: 'FAILED' }, end_time, work: undefined });
      await trial.shows('unsuccessful', (one) => reasonOf(one) === 'Failed');
    },
  },
  {
    cause: 'a run takes longer than it may',
    shows: ['underWay', 'underWay', 'underWay', 'unsuccessful'],
    only: 'JobExecution',
    async run(trial) {
      await trial.operate();
      await trial.ground();
      trial.stage.held = true;
      await trial.create({ activeDeadlineSeconds: 600 });
      await trial.shows('underWay', (one) => statusOf(one).id !== undefined);
      // It is accepted, and then in progress.
      for (let step = 0; step < 2; step += 1) await trial.stage.backend.step();
      await trial.shows('underWay', (one) => reasonOf(one) === 'Running');
      trial.stage.clock.leap(601_000);
      await trial.askForALook();
      await trial.shows('underWay', (one) => reasonOf(one) === 'Cancelling');
      trial.stage.held = false;
      await trial.shows('unsuccessful', (one) => reasonOf(one) === 'DeadlineExceeded');
    },
  },
  {
    cause: 'the request that starts a run is lost',
    shows: ['unknown'],
    only: 'JobExecution',
    async run(trial) {
      await trial.operate();
      await trial.ground();
      trial.stage.proxy.on(trial.actor.makes, { act: 'lose', after: 'nothing' }, 1);
      await trial.create();
      await trial.leapUntil('unknown');
      await trial.delete();
      await trial.gone();
    },
  },
];

const dormancy: Scene = {
  cause: 'a schedule is suspended, and resumed',
  shows: ['ready', 'dormant', 'ready'],
  only: 'JobSchedule',
  async run(trial) {
    await trial.operate();
    await trial.prepare();
    await trial.createReady();
    await trial.edit({ suspend: true });
    await trial.shows('dormant');
    await trial.edit({ suspend: false });
    await trial.shows('ready');
  },
};

export const scenes: readonly Scene[] = [
  ...coming,
  suspended,
  approved,
  ...failing,
  overdue,
  ...refused,
  rivalry,
  ...watched,
  ...runs,
  dormancy,
  ...nodeGroupScenes,
  ...lifecycleScenes,
  ...adoptionScenes,
  ...going,
];
