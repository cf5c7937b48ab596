// What a resource refers to, its Connection first: waited for by name, needed only to make the object, and never guessed.
import { expect } from 'vitest';
import { type Case, forReferring } from '../case.ts';
import { own } from '../replies.ts';
import type { Subject } from '../subject.ts';

/** Another content, of either kind of template. */
const editOf = ({ key }: Subject) =>
  key.kind === 'NodeGroupTemplate' ? { flavorID: '4' } : { clusterConfigs: { HDFS: { 'dfs.replication': '7' } } };

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
    name: 'waits for its Connection and goes on when it is there',
    async run({ create, world }) {
      const message = 'Connection default does not exist in this namespace';
      world.connections.set('default', { state: 'missing', message, credentials: false });
      const subject = await create();
      await subject.passes(3);
      expectWaiting(subject, message);
      expect(subject.status.blockedOn).toMatchObject([{ kind: 'Connection', name: 'default' }]);
      world.connections.clear();
      await subject.ready();
    },
  },
  {
    name: 'waits for the credentials of its Connection, in these words',
    async run({ create, world }) {
      world.connections.set('default', { state: 'broken', message: 'Secret token does not exist', credentials: true });
      const subject = await create();
      await subject.passes(3);
      expect(subject.condition('Ready')).toMatchObject({
        reason: 'CredentialsMissing',
        message: 'Secret token does not exist',
      });
      world.connections.clear();
      await subject.ready();
    },
  },
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
    async run({ createReady, world }) {
      const subject = await createReady();
      world.connections.set('default', { state: 'missing', message: 'no Connection', credentials: false });
      await subject.passes(3);
      expect(subject.isReady).toBe(true);
      world.clock.leap(300_000);
      await subject.passes(2);
      expect(subject.condition('Ready')).toMatchObject({ status: 'Unknown', reason: 'ObservationFailed' });
      // Told once, however long it lasts.
      expect(subject.eventReasons).toEqual(['Available', 'ObservationFailed']);
      world.connections.clear();
      await subject.ready();
      expect(subject.eventReasons).toEqual(['Available', 'ObservationFailed', 'Available']);
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
  {
    name: 'is not touched when its Connection leads elsewhere',
    async run({ createReady, world }) {
      const subject = await createReady();
      const usable = world.lookup('default');
      if (usable.state !== 'usable') throw new Error('the Connection is not usable');
      const elsewhere = 'http://127.0.0.1:1/other';
      for (const moved of [{ tenant: 'other' }, { endpoint: elsewhere, endpoints: [elsewhere] }]) {
        world.connections.set('default', { ...usable, ...moved });
        await subject.passes(2);
        expect(subject.condition('Stalled')).toMatchObject({ reason: 'ConnectionChanged' });
      }
      await subject.remove();
      await subject.passes(2);
      expect(subject.sent('DELETE')).toEqual([]);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'ConnectionChanged' });
      world.connections.set('default', { ...usable, endpoint: elsewhere, endpoints: [elsewhere, usable.endpoint] });
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
];

const others: readonly Case[] = [
  {
    name: 'waits for what it refers to, which comes later',
    void: forReferring,
    async run({ create, world, names, need, sample: { refersTo = '' } }) {
      const late = `late-${world.bench.next()}`;
      names[refersTo] = late;
      const subject = await create();
      await subject.passes(3);
      expectWaiting(subject, `${late} does not exist in this namespace`);
      expect(subject.status.blockedOn).toMatchObject([{ name: late, reason: 'DependencyNotReady' }]);
      const needed = await need(refersTo, late);
      await subject.passes(1);
      expectWaiting(subject, `${late} is not ready yet`);
      await needed.ready();
      await subject.ready();
      expect(world.events.filter((one) => one.type === 'Warning')).toEqual([]);
    },
  },
  {
    name: 'tells why what it refers to is not ready',
    void: forReferring,
    async run({ create, names, need, sample: { refersTo = '' } }) {
      const needed = await need(refersTo);
      await needed.annotate('nonsense');
      await needed.passes(2);
      const subject = await create();
      await subject.passes(3);
      expectWaiting(subject, `${names[refersTo]} is not ready yet: OwnershipUnconfirmed: `);
    },
  },
  {
    name: 'is not made from what was edited before the new revision of that is there',
    void: forReferring,
    async run({ create, names, need, world, sample: { refersTo = '' } }) {
      const needed = await need(refersTo);
      await needed.ready();
      needed.most = 2;
      const former = needed.status['revision'];
      await needed.edit(editOf(needed));
      const subject = await create();
      await subject.passes(3);
      expectWaiting(subject, `${names[refersTo]} does not exist yet`);
      const refused = own(400, 'QUOTA_ERROR', 'no room');
      const rule = world.proxy.on({ method: 'POST', collection: needed.collection }, refused);
      await needed.passes(3);
      await subject.passes(3);
      expectWaiting(subject, `the new revision of ${needed.key.kind} ${names[refersTo]} does not exist yet`);
      rule.lift();
      await needed.ready();
      await subject.ready();
      expect(needed.status['revision']).not.toBe(former);
      expect(subject.status['templateRevision'] ?? needed.status['revision']).toBe(needed.status['revision']);
    },
  },
  {
    name: 'is not made from what is being deleted',
    void: forReferring,
    async run({ create, names, need, sample: { refersTo = '' } }) {
      const needed = await need(refersTo);
      await needed.ready();
      await needed.remove();
      const subject = await create();
      await subject.passes(3);
      expectWaiting(subject, `${names[refersTo]} is being deleted`);
      await needed.gone();
      await subject.passes(1);
      expectWaiting(subject, `${names[refersTo]} does not exist`);
      await (await need(refersTo, needed.key.name)).ready();
      await subject.ready();
    },
  },
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
  {
    name: 'is refused when what it refers to uses another Connection',
    void: forReferring,
    async run({ create, names, world, sample }) {
      const { refersTo = '' } = sample;
      const needed = sample.needs.find((one) => one.as === refersTo);
      names[refersTo] = `elsewhere-${world.bench.next()}`;
      await world.apply(needed?.kind ?? '', names[refersTo], {
        ...needed?.spec(names),
        connectionRef: { name: 'other' },
      });
      const subject = await create();
      await subject.passes(2);
      const message = expect.stringMatching(/uses Connection other, but this resource uses default/);
      expect(subject.condition('Stalled')).toMatchObject({ reason: 'InvalidSpec', message });
      expect(subject.sent('POST')).toEqual([]);
    },
  },
];

export const referenceCases: readonly Case[] = [...connections, ...others];
