// Deletion: nothing is left behind, nothing foreign is deleted, and the status reports what a deletion waits for and until when.
import { expect } from 'vitest';
import { finalizer } from '../../../../../src/operator/api/shared-api.ts';
import type { Fault } from '../../../../support/service/service-proxy.ts';
import { type Case, eventOfBegin, forMade, forNamed, forUsed } from '../case.ts';
import { brokenRead, own } from '../replies.ts';
import { quarantineMs } from '../world.ts';
import { strangerOf } from './create.ts';

const stopWaiting =
  'To stop waiting, set spec.deletionPolicy to Orphan; the create may then leave an object in the service';

const plain: readonly Case[] = [
  {
    name: 'sends one DELETE by id, proves that the object is gone, and lets the resource go',
    isExact: true,
    async run({ createReady, sample, world }) {
      const subject = await createReady();
      const { id } = subject.row;
      await subject.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
      expect(subject.sent('DELETE').map((one) => one.id)).toEqual([id]);
      // The service accepted the DELETE: two lists that all deletions share prove that it is gone, and nothing asks for it by id.
      expect(subject.sent('GET').filter((one) => one.id === id)).toEqual([]);
      const { trace } = world;
      const lists = trace
        .slice(trace.indexOf(`DELETE ${subject.collection}`))
        .filter((line) => line.startsWith('GET '));
      expect(lists.length).toBeGreaterThanOrEqual(forMade(sample) === undefined ? 2 : 1);
      expect(subject.eventReasons).toEqual([
        ...eventOfBegin(sample, 'Created'),
        'Available',
        ...eventOfBegin(sample, 'Deleting'),
        'Deleted',
      ]);
    },
  },
  {
    name: 'calls nobody when nothing was ever made',
    isExact: true,
    async run({ create, world }) {
      const subject = await create();
      await subject.remove();
      await subject.gone();
      expect(world.trace).toEqual([]);
    },
  },
  {
    name: 'deletes what is still being made',
    void: forNamed,
    async run({ create, world }) {
      world.held = true;
      const subject = await create();
      await subject.until('its id is known', () => subject.status.id !== undefined);
      await subject.remove();
      await subject.until('DELETE', () => subject.sent('DELETE').length > 0);
      await subject.passes(3);
      expect(subject.isGone).toBe(false);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'Deleting' });
      expect(subject.status.externalStatus).toBe('Deleting');
      world.held = false;
      await subject.gone();
      expect(subject.sent('DELETE')).toHaveLength(1);
    },
  },
  {
    name: 'does nothing more once its finalizer is off, whoever holds the resource then',
    async run({ createReady, world }) {
      const subject = await createReady();
      await subject.patch({ metadata: { finalizers: [finalizer, 'example.com/hold'] } });
      await subject.remove();
      await subject.until('released', () => !subject.resource?.metadata.finalizers?.includes(finalizer));
      expect(subject.resource?.metadata.finalizers).toEqual(['example.com/hold']);
      const mark = world.trace.length;
      await subject.passes(2);
      expect(world.trace.slice(mark)).toEqual([]);
      await subject.world.bench.api.send({
        method: 'PATCH',
        path: subject.path,
        body: { metadata: { finalizers: null } },
      });
    },
  },
];

const lists: readonly Case[] = [
  {
    name: 'waits until nobody uses it, and says who does',
    void: forUsed,
    async run({ createReady, world, sample }) {
      const subject = await createReady();
      const user = await strangerOf(subject, sample.user, subject.row.id);
      await subject.remove();
      await subject.passes(4);
      const { kind = '' } = sample.user ?? {};
      const words = kind.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
      // What it is named like, its id, and both ways out.
      const remedy = `stranger (${user.id}) uses it and belongs to no resource: delete it in the service if nobody needs it`;
      const way = 'To delete this resource and keep its objects in the service, set spec.deletionPolicy to Orphan';
      expect(subject.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'Deleting',
        message: expect.stringContaining(`in use by ${words} stranger. ${kind} ${remedy}. ${way}`),
      });
      expect(subject.status.blockedOn).toMatchObject([
        { kind, name: user.id, reason: 'InUse', message: `${kind} ${remedy}` },
      ]);
      expect(subject.condition('Stalled')).toBeUndefined();
      world.clock.leap(3_600_000);
      await subject.passes(1);
      expect(subject.condition('Stalled')).toMatchObject({ reason: 'ExternalDeleteFailing' });
      await user.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
];

/** A create of which nobody knows whether it was, or will be, done. */
const openCreates: readonly { readonly name: string; readonly fault: Fault }[] = [
  { name: 'a 500', fault: own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error') },
  { name: 'no answer', fault: { act: 'hang' } },
  { name: 'a broken connection', fault: { act: 'lose', after: 'nothing' } },
  { name: 'a 200 that is not one', fault: { act: 'answer', reply: { status: 200, body: brokenRead } } },
];

const attempts = openCreates.map(
  ({ name, fault }): Case => ({
    name: `waits out the quarantine after ${name} to its create, and says until when`,
    isExact: true,
    async run({ create, world }) {
      const subject = await create();
      const rule = world.proxy.on({ method: 'POST', collection: subject.collection }, fault, 1);
      await subject.pass();
      expect(rule.hits).toBe(1);
      expect(subject.claim).toMatchObject({ attempts: { open: 1 } });
      const sentAt = Date.parse(subject.claim?.attempts?.lastSentAt ?? '');
      const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
      await subject.remove();
      await subject.passes(3);
      const message = `a create sent at ${clock(sentAt)} UTC may still take effect; waiting until ${clock(sentAt + quarantineMs)} UTC. ${stopWaiting}`;
      expect(subject.status.blockedOn).toMatchObject([{ kind: 'Quarantine', message }]);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'Deleting', message });
      const mark = world.trace.length;
      await subject.gone();
      expect(world.clock.wall()).toBeGreaterThanOrEqual(sentAt + quarantineMs);
      // A quiet wait, and one more list at its end.
      expect(new Set(world.trace.slice(mark))).toEqual(
        new Set([`GET ${subject.collection}`, expect.stringMatching(/^release /)]),
      );
      expect(world.trace.slice(mark).at(-2)).toBe(`GET ${subject.collection}`);
    },
  }),
);

const missing = {
  state: 'missing',
  message: 'Connection default does not exist in this namespace',
  credentials: false,
} as const;
const holding: readonly Case[] = [
  {
    name: 'goes without a call when Orphan is set while it is held, and an event names what is left',
    async run({ createReady, world }) {
      const subject = await createReady();
      const { claim } = subject;
      const { id } = subject.row;
      world.connections.set('default', missing);
      await subject.remove();
      await subject.passes(2);
      await subject.edit({ deletionPolicy: 'Orphan' });
      subject.mayLeave = true;
      const mark = world.proxy.sent.length;
      await subject.gone();
      expect(world.proxy.sent.slice(mark)).toEqual([]);
      expect(subject.row.id).toBe(id);
      const event = world.events.find((one) => one.reason === 'Orphaned');
      expect(event?.note).toContain(id);
      expect(event?.note).toContain(claim?.name);
    },
  },
];

export const deleteCases: readonly Case[] = [...plain, ...lists, ...attempts, ...holding];
