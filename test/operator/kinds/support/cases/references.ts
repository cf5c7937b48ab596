// References, first of all to the Connection: the operator waits for them by name, and needs them only to create the object.
import { expect } from 'vitest';
import { type Case, eventOfBegin, forReferring } from '../case.ts';
import type { Subject } from '../subject.ts';

function expectWaiting(subject: Subject, message: string | RegExp): void {
  const text = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
  expect(subject.condition('Ready'), subject.describe()).toMatchObject({
    status: 'False',
    reason: 'DependencyNotReady',
    message: text,
  });
  expect(subject.condition('DependenciesReady')).toMatchObject({ status: 'False' });
  expect(subject.condition('Reconciling')).toMatchObject({ status: 'True', reason: 'Progressing' });
  expect(subject.sent('POST')).toEqual([]);
  expect(subject.resource?.metadata.finalizers).toBeUndefined();
}

const connections: readonly Case[] = [
  {
    name: 'is not made through a Connection that is not Ready, and looked at through it all the same',
    async run({ create, world }) {
      const usable = world.lookup('default');
      if (usable.state !== 'usable') throw new Error('the Connection is not usable');
      world.connections.set('default', { ...usable, mayCreate: false, message: 'Connection default is being deleted' });
      const subject = await create();
      await subject.passes(3);
      expectWaiting(subject, 'Connection default is being deleted');
      world.connections.clear();
      await subject.ready();
      world.connections.set('default', { ...usable, mayCreate: false, message: 'Connection default is being deleted' });
      world.clock.leap(120_000);
      await subject.passes(2);
      expect(subject.isReady).toBe(true);
      await subject.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
  {
    name: 'stays Ready when its Connection goes, until the grace is over',
    async run({ createReady, world, sample }) {
      const subject = await createReady();
      const before = [...eventOfBegin(sample, 'Created'), 'Available'];
      world.connections.set('default', { state: 'missing', message: 'no Connection', credentials: false });
      await subject.passes(3);
      expect(subject.isReady).toBe(true);
      world.clock.leap(300_000);
      await subject.passes(2);
      expect(subject.condition('Ready')).toMatchObject({ status: 'Unknown', reason: 'ObservationFailed' });
      // Told once, however long it lasts.
      expect(subject.eventReasons).toEqual([...before, 'ObservationFailed']);
      world.connections.clear();
      await subject.ready();
      expect(subject.eventReasons).toEqual([...before, 'ObservationFailed', 'Available']);
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
];

const others: readonly Case[] = [
  {
    name: 'stays Ready when what it refers to goes, which itself has to wait',
    void: forReferring,
    async run({ createReady, need, world, sample: { refersTo = '' } }) {
      const needed = await need(refersTo);
      await needed.ready();
      const subject = await createReady();
      await needed.remove();
      await needed.passes(3);
      const { kind, name } = subject.key;
      expect(needed.status.blockedOn).toMatchObject([{ kind, name, reason: 'InUse' }]);
      const mark = world.trace.length;
      world.clock.leap(120_000);
      await subject.passes(2);
      expect(subject.isReady).toBe(true);
      expect(world.trace.slice(mark).filter((line) => !line.startsWith('GET '))).toEqual([]);
      await subject.remove();
      await subject.gone();
      await needed.gone();
      expect(needed.rows).toEqual([]);
    },
  },
];

export const referenceCases: readonly Case[] = [...connections, ...others];
