// What a user may forbid the operator, for every kind whose object is kept: suspended objects, and those that vanish from the service.
import { expect } from 'vitest';
import { type Case, editOf, writesSince } from '../case.ts';
import type { Subject } from '../subject.ts';

const resume = { suspend: null };

function expectHeld(subject: Subject, doing: RegExp): void {
  expect(subject.condition('Ready'), subject.describe()).toMatchObject({ status: 'Unknown', reason: 'Suspended' });
  expect(subject.condition('Ready')?.message).toMatch(doing);
  expect(subject.condition('Paused')).toMatchObject({ status: 'True', reason: 'Suspended' });
  expect(subject.status.observedGeneration).toBe(subject.resource?.metadata.generation);
  expect([subject.condition('Reconciling'), subject.condition('Stalled')]).toEqual([undefined, undefined]);
}

const suspended: readonly Case[] = [
  {
    name: 'that is suspended before it is made is made when it is resumed, however late',
    async run(trial) {
      const { world } = trial;
      const mark = world.trace.length;
      const subject = await trial.create({ suspend: true });
      await subject.passes(3);
      world.clock.leap(2 * 3_600_000);
      await subject.passes(2);
      expectHeld(subject, /^suspended: the operator does not create .+ until spec\.suspend is false$/);
      expect(writesSince(trial, mark)).toEqual([]);
      await subject.edit(resume);
      await subject.ready();
      expect(subject.condition('Paused')).toBeUndefined();
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
  {
    name: 'that is suspended stays Ready until it is to be something else, which it becomes when it is resumed',
    async run(trial) {
      const subject = await trial.createReady();
      await subject.edit({ suspend: true });
      await subject.passes(2);
      expect(subject.isReady).toBe(true);
      expect(subject.condition('Paused')?.status).toBe('True');
      const mark = trial.world.trace.length;
      await subject.edit(editOf(trial.sample));
      await subject.passes(4);
      expectHeld(subject, /^suspended: /);
      expect(writesSince(trial, mark)).toEqual([]);
      // The former revision stays until the new one is there.
      subject.most = 2;
      await subject.edit(resume);
      await subject.ready();
      expect(writesSince(trial, mark).length).toBeGreaterThan(0);
    },
  },
  {
    name: 'that is suspended is deleted as any other',
    async run(trial) {
      const subject = await trial.createReady();
      await subject.edit({ suspend: true });
      await subject.passes(1);
      await subject.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
];

const vanished: readonly Case[] = [
  {
    name: 'that vanished from the service is reported where the user asks for that, and made anew when he says so',
    async run(trial) {
      const subject = await trial.createReady();
      await subject.edit({ onExternalDelete: 'Report' });
      await subject.passes(1);
      trial.world.backend.drop(subject.route, subject.row.id);
      await subject.until('it is reported', () => subject.condition('Stalled')?.reason === 'ExternalDeleted');
      await subject.passes(2);
      expect(subject.sent('POST')).toHaveLength(1);
      await subject.edit({ onExternalDelete: 'Recreate' });
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(2);
    },
  },
];

interface ShownPlan {
  readonly hash: string;
  readonly verb: string;
  readonly destructive: boolean;
}

const planOf = ({ status }: Subject) => status['plan'] as ShownPlan | undefined;

function expectPending(subject: Subject, verb: RegExp): string {
  const seen = subject.describe();
  expect(subject.condition('Ready'), seen).toMatchObject({ status: 'False', reason: 'PlanPending' });
  expect([subject.condition('Reconciling'), subject.condition('Stalled')], seen).toEqual([undefined, undefined]);
  const { hash = '', verb: told } = planOf(subject) ?? {};
  expect(told).toMatch(verb);
  expect(subject.condition('Ready')?.message).toMatch(new RegExp(`=${hash}$`));
  return hash;
}

/** Approves one plan after the other until it is Ready: some objects take two requests. Answers the hashes. */
async function approveAll(subject: Subject): Promise<readonly string[]> {
  const hashes: string[] = [];
  await subject.until('it is planned', () => planOf(subject) !== undefined || subject.isReady);
  while (!subject.isReady && hashes.length < 4) {
    const { hash = '' } = planOf(subject) ?? {};
    hashes.push(hash);
    await subject.approve(hash);
    const isOver = () => subject.isReady || ![undefined, hash].includes(planOf(subject)?.hash);
    await subject.until('the approved plan is carried out', isOver);
  }
  return hashes;
}

const planned: readonly Case[] = [
  {
    name: 'is made once its plan is approved, and not before',
    async run(trial) {
      const { world } = trial;
      const mark = world.trace.length;
      const subject = await trial.create({ policy: 'Plan' });
      await subject.passes(3);
      world.clock.leap(2 * 3_600_000);
      await subject.passes(2);
      const hash = expectPending(subject, /^Create$/);
      expect(writesSince(trial, mark)).toEqual([]);
      await subject.approve('another');
      await subject.passes(2);
      expect(expectPending(subject, /^Create$/)).toBe(hash);
      expect(subject.condition('Ready')?.message).toContain('is ignored, because its value is another');
      expect(writesSince(trial, mark)).toEqual([]);
      expect(await approveAll(subject)).toContain(hash);
      expect(planOf(subject)).toBeUndefined();
      // Once, and not for those that were used.
      expect(subject.eventReasons.filter((reason) => reason === 'PlanChanged')).toHaveLength(1);
      expect(subject.sent('POST').filter(({ action }) => action === undefined)).toHaveLength(1);
    },
  },
  {
    name: 'gets no change but the one that was approved',
    async run(trial) {
      const subject = await trial.create({ policy: 'Plan' });
      await approveAll(subject);
      const mark = trial.world.trace.length;
      const edit = editOf(trial.sample);
      await subject.edit(edit);
      await subject.passes(3);
      const first = expectPending(subject, /^(Create|Scale|Update)$/);
      // The approval comes for a plan that is not the present one any more.
      await subject.edit({ progressDeadlineSeconds: 4321 });
      await subject.approve(first);
      await subject.passes(3);
      expect(expectPending(subject, /^(Create|Scale|Update)$/)).not.toBe(first);
      expect(writesSince(trial, mark)).toEqual([]);
      subject.most = 2;
      await approveAll(subject);
      expect(writesSince(trial, mark).length).toBeGreaterThan(0);
    },
  },
  {
    name: 'is deleted without approval',
    async run(trial) {
      const subject = await trial.create({ policy: 'Plan' });
      await approveAll(subject);
      await subject.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
  {
    name: 'is not made anew by the approval of its first plan',
    async run(trial) {
      const subject = await trial.create({ policy: 'Plan', onExternalDelete: 'Recreate' });
      const hashes = await approveAll(subject);
      trial.world.backend.drop(subject.route, subject.row.id);
      const mark = trial.world.trace.length;
      await subject.until('another plan waits', () => planOf(subject) !== undefined);
      expect(hashes).not.toContain(expectPending(subject, /^Create$/));
      await subject.passes(3);
      expect(writesSince(trial, mark)).toEqual([]);
      await approveAll(subject);
      expect(writesSince(trial, mark).length).toBeGreaterThan(0);
    },
  },
];

export const policyCases: readonly Case[] = [...suspended, ...vanished, ...planned];
