// What a user may forbid the operator, for every kind whose object is kept: suspended objects, and those that vanish from the service.
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import type { Sample, Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';

const resume = { suspend: null };

/** An edit that needs a write, and one that nothing has to be sent for once more. */
function editOf({ change, content, config }: Sample) {
  return change?.edit ?? content?.edited ?? config?.edited ?? {};
}

/** Requests that changed anything in the service since `mark`. */
const writesSince = ({ world }: Trial, mark: number): readonly string[] =>
  world.trace.slice(mark).filter((line) => /^(POST|PUT|PATCH|DELETE) /.test(line));

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

export const policyCases: readonly Case[] = [...suspended, ...vanished];
