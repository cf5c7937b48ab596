// Creating: whatever becomes of the request, its answer or our process, there is one object in the end.
import { expect } from 'vitest';
import type { Records } from '../../../../../src/service/records/records.ts';
import { type Case, forContent, forNamed } from '../case.ts';
import type { CrashPoint } from '../gate.ts';
import { brokenRead, own } from '../replies.ts';
import type { Trial } from '../sample.ts';
import type { Row, Subject } from '../subject.ts';

/** The answer to the create is lost after the commit; lists are answered so from then on, until it is lifted. */
function listsAfterLoss({ world, collection }: Subject, body: string): { lift(): void } {
  let lift = () => {};
  world.proxy.on({ method: 'POST', collection }, { act: 'lose', after: 'commit' }, 1);
  world.meanwhile = async ({ method }) => {
    if (method !== 'POST') return;
    const rule = world.proxy.on({ method: 'GET', collection }, { act: 'answer', reply: { status: 200, body } });
    lift = () => rule.lift();
  };
  return { lift: () => lift() };
}

const plain: readonly Case[] = [
  {
    name: 'becomes Ready with one request and at most four writes',
    async run({ create, world, sample }) {
      const subject = await create();
      const mark = world.trace.length;
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
      expect(world.trace.slice(mark).filter((line) => line.includes(subject.key.name)).length).toBeLessThanOrEqual(4);
      const { id, name } = subject.row;
      const given = sample.kind.identity === 'given';
      expect(subject.status).toMatchObject(given ? { id } : { id, externalName: name });
      expect(subject.claim).toMatchObject({
        id,
        name: given ? id : name,
        collection: subject.collection,
      });
      expect(subject.claim?.attempts).toBeUndefined();
      expect(subject.eventReasons).toEqual(['Available']);
    },
  },
  {
    name: 'is found by its name when the answer was lost after the commit',
    async run({ create, world }) {
      const subject = await create();
      world.proxy.on({ method: 'POST', collection: subject.collection }, { act: 'lose', after: 'commit' }, 1);
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
      expect(subject.claim).toMatchObject({ id: subject.row.id });
      expect(subject.claim?.attempts).toBeUndefined();
    },
  },
  {
    name: 'is sent again when the request was lost before the commit',
    async run({ create, world }) {
      const subject = await create();
      world.proxy.on({ method: 'POST', collection: subject.collection }, { act: 'lose', after: 'nothing' }, 1);
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(2);
      // The first of them may still take effect.
      expect(subject.claim).toMatchObject({ id: subject.row.id, attempts: { open: 1 } });
    },
  },
  {
    name: 'stays one when the first request is committed after the second',
    async run({ create, world }) {
      const subject = await create();
      world.proxy.on({ method: 'POST', collection: subject.collection }, { act: 'hang' }, 1);
      await subject.ready();
      const { id } = subject.row;
      await world.proxy.deliver();
      await subject.passes(2);
      expect(subject.row.id).toBe(id);
      expect(subject.isReady).toBe(true);
    },
  },
  {
    name: 'is not sent when its intent cannot be written',
    async run({ create, world }) {
      const subject = await create();
      // Somebody else writes; the caches of the process have not seen it yet.
      const stale = subject.resource;
      await subject.patch({ metadata: { labels: { touched: 'yes' } } });
      const read = world.store.read.bind(world.store);
      world.store.read = (key) => (key.name === subject.key.name ? stale : read(key));
      const end = await subject.pass();
      world.store.read = read;
      expect(end).toMatchObject({ next: 'retry' });
      expect(subject.sent('POST')).toHaveLength(0);
      await subject.ready();
    },
  },
  {
    name: 'is not sent again while the list cannot be read',
    async run({ create }) {
      const subject = await create();
      const list = listsAfterLoss(subject, brokenRead);
      await subject.passes(4);
      expect(subject.sent('POST')).toHaveLength(1);
      list.lift();
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
  {
    name: 'is not sent again while the list has entries that cannot be read: one of them may be it',
    async run({ create }) {
      const subject = await create();
      const body = JSON.stringify({ [subject.collection.replaceAll('-', '_')]: [{ name: 'no id' }] });
      const list = listsAfterLoss(subject, body);
      await subject.passes(4);
      expect(subject.sent('POST')).toHaveLength(1);
      expect(subject.condition('Ready')?.message).toContain('entries in its list that cannot be read ("no id"');
      list.lift();
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
];

const crashes: readonly CrashPoint[] = [
  { at: 'claim', nth: 1, side: 'before' },
  { at: 'claim', nth: 1, side: 'after' },
  { at: 'POST', nth: 1, side: 'before' },
  { at: 'POST', nth: 1, side: 'after' },
  { at: 'claim', nth: 2, side: 'before' },
  { at: 'claim', nth: 2, side: 'after' },
  { at: 'status', nth: 1, side: 'before' },
  { at: 'status', nth: 1, side: 'after' },
];

const words = {
  claim: 'write of the ledger',
  status: 'write of the status',
  release: 'release',
  POST: 'request',
  PUT: 'request',
  DELETE: 'request',
};
const ordinal = ['', 'first', 'second', 'third'];

/** How many requests a create takes after a crash at this point: a request that was not committed is sent again. */
const requestsOf = ({ at, side, nth }: CrashPoint): number =>
  at === 'POST' && side === 'before' ? 0 : at === 'claim' && nth === 1 ? 0 : 1;

const crashing = crashes.map(
  (point): Case => ({
    name: `goes on after a crash ${point.side} the ${ordinal[point.nth]} ${words[point.at]}`,
    async run({ create, world }) {
      const subject = await create();
      world.crashAt(point.at, point.side, point.nth);
      await subject.dies();
      const before = subject.rows.length;
      expect(before).toBe(requestsOf(point));
      await world.restart();
      await subject.ready();
      expect(subject.claim).toMatchObject({ id: subject.row.id });
      const committed = before === 1;
      expect(subject.sent('POST').length).toBe(committed ? 1 : point.at === 'POST' ? 2 : 1);
    },
  }),
);

/** The service refuses `times` creates, and leaves a row in Error without machines each time. */
export function leavingRows({ world }: Trial, subject: Subject, times: number): void {
  const refusal = own(400, 'QUOTA_ERROR', 'the quota is used up');
  if (refusal.act !== 'answer') throw new Error('no answer');
  const { status, headers = {}, body = '' } = refusal.reply;
  const leave = () => {
    const row = subject.row as Records['clusters'];
    const node_groups = row.node_groups.map((group) => ({ ...group, instances: [] }));
    world.backend.put('clusters', { ...row, status: 'Error', work: undefined, node_groups });
    return { status, headers, body };
  };
  world.proxy.on({ method: 'POST', collection: subject.collection }, { act: 'rewrite', reply: leave }, times);
}

const remnants: readonly Case[] = [
  {
    name: 'deletes the row that a refused create left, says so, and goes on',
    void: forNamed,
    async run(trial) {
      const { create, world } = trial;
      const subject = await create();
      world.held = true;
      leavingRows(trial, subject, 2);
      await subject.pass();
      const { id } = subject.row;
      expect(subject.claim).toMatchObject({ attempts: { open: 0, refusedAt: expect.any(String) } });
      expect(subject.claim?.id).toBeUndefined();
      expect(subject.condition('Ready')).toMatchObject({ reason: 'ExternalRejected' });
      await subject.pass();
      expect(subject.sent('DELETE').map((one) => one.id)).toEqual([id]);
      expect(subject.condition('Ready')?.message).toContain('what that left was deleted');
      world.held = false;
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(3);
      expect(subject.sent('DELETE')).toHaveLength(2);
      expect(subject.claim).toMatchObject({ id: subject.row.id });
    },
  },
  {
    name: 'deletes the row that a refused create left when it is itself deleted',
    void: forNamed,
    async run(trial) {
      const subject = await trial.create();
      trial.world.held = true;
      leavingRows(trial, subject, 1);
      await subject.pass();
      expect(subject.rows).toHaveLength(1);
      await trial.world.restart();
      trial.world.held = false;
      await subject.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
  {
    name: 'never deletes a row in Error whose create may have been taken: it is reported',
    void: forNamed,
    async run(trial) {
      const { create, world } = trial;
      const subject = await create();
      world.held = true;
      world.proxy.on({ method: 'POST', collection: subject.collection }, { act: 'lose', after: 'commit' }, 1);
      await subject.pass();
      const row = subject.row as Records['clusters'];
      const node_groups = row.node_groups.map((group) => ({ ...group, instances: [] }));
      world.backend.put('clusters', { ...row, status: 'Error', work: undefined, node_groups });
      await subject.passes(3);
      expect(subject.condition('Ready')).toMatchObject({ reason: 'ExternalError' });
      expect(subject.sent('DELETE')).toEqual([]);
    },
  },
];

const taken = ['NAME_ALREADY_EXISTS', 'CLUSTER_NAME_ALREADY_EXISTS', 'DB_DUPLICATE_ENTRY'].flatMap(
  (word): readonly Case[] => [
    {
      name: `takes ${word} for the end of its own request and records the object`,
      async run({ create, world }) {
        const subject = await create();
        const refusal = own(400, word, 'the name is taken');
        if (refusal.act !== 'answer') throw new Error('no answer');
        const { status, headers = {}, body = '' } = refusal.reply;
        world.proxy.on(
          { method: 'POST', collection: subject.collection },
          { act: 'rewrite', reply: () => ({ status, headers, body }) },
          1,
        );
        await subject.ready();
        expect(subject.sent('POST')).toHaveLength(1);
        expect(subject.claim).toMatchObject({ id: subject.row.id });
        expect(subject.claim?.attempts).toBeUndefined();
      },
    },
    {
      name: `waits out ${word} for an object that nobody sees`,
      async run({ sample, create, world }) {
        const subject = await create();
        const rule = world.proxy.on(
          { method: 'POST', collection: subject.collection },
          own(400, word, 'the name is taken'),
        );
        await subject.passes(3);
        expect(rule.hits).toBe(3);
        expect(subject.condition('Ready')).toMatchObject({
          status: 'False',
          reason: 'ExternalRejected',
          message: expect.stringContaining('the name is taken'),
        });
        // It may be ours, and be seen later.
        expect(subject.claim).toMatchObject({ attempts: { open: sample.kind.identity === 'given' ? 0 : 1 } });
        rule.lift();
        await subject.ready();
      },
    },
  ],
);

export const copyOf = <R extends Row>(row: R, id: string): R => ({ ...row, id });

/** A second object of the same name and content, as a late commit leaves it. Ids sort below, or above, every other. */
function double(
  subject: Subject,
  id: '00000000-0000-4000-8000-000000000000' | 'ffffffff-0000-4000-8000-000000000000',
): void {
  subject.most = 2;
  subject.world.backend.put(subject.route, copyOf(subject.row, id));
}

const doubles: readonly Case[] = [
  {
    name: 'removes a second object of its name and keeps the recorded one',
    void: forContent,
    async run({ createReady, world }) {
      const subject = await createReady();
      const { id } = subject.row;
      double(subject, '00000000-0000-4000-8000-000000000000');
      world.clock.leap(120_000);
      await subject.until('one object', () => subject.rows.length === 1);
      expect(subject.row.id).toBe(id);
      expect(subject.sent('DELETE').map((one) => one.id)).toEqual(['00000000-0000-4000-8000-000000000000']);
      await subject.ready();
      expect(subject.eventReasons).toContain('Deleted');
    },
  },
  {
    name: 'keeps the smaller of two objects that a lost answer left',
    void: forContent,
    async run({ create, world }) {
      const subject = await create();
      world.crashAt('POST', 'after');
      await subject.dies();
      double(subject, 'ffffffff-0000-4000-8000-000000000000');
      const [small = ''] = subject.rows.map((row) => row.id).sort();
      await world.restart();
      await subject.until('one object', () => subject.rows.length === 1);
      expect(subject.row.id).toBe(small);
      await subject.ready();
      expect(subject.status.id).toBe(small);
    },
  },
  {
    name: 'leaves a second object alone as long as something refers to it',
    void: forContent,
    async run({ createReady, world, sample }) {
      const subject = await createReady();
      const spare = '00000000-0000-4000-8000-000000000000';
      double(subject, spare);
      const user = await strangerOf(subject, sample.user, spare);
      world.clock.leap(120_000);
      await subject.passes(3);
      expect(subject.rows).toHaveLength(2);
      expect(subject.sent('DELETE')).toEqual([]);
      await user.remove();
      await subject.until('one object', () => subject.rows.length === 1);
      expect(subject.row.id).not.toBe(spare);
    },
  },
];

/** Something of somebody else that uses the object. */
export async function strangerOf(
  { world }: Subject,
  user: { readonly collection: string; body(id: string): Readonly<Record<string, unknown>> } | undefined,
  id: string,
): Promise<{ remove(): Promise<void> }> {
  if (!user) throw new Error('nothing uses it');
  const url = `/v1.0/demo/${user.collection}`;
  const { status, body } = await world.backend.answer({ method: 'POST', url, body: JSON.stringify(user.body(id)) });
  if (status >= 300) throw new Error(`cannot make a user: ${body}`);
  const [made] = Object.values(JSON.parse(body) as Readonly<Record<string, { readonly id: string }>>);
  await world.backend.rest();
  return {
    async remove() {
      await world.backend.answer({ method: 'DELETE', url: `${url}/${made?.id}`, body: undefined });
      await world.backend.rest();
    },
  };
}

const vanished: readonly Case[] = [
  {
    name: 'is made anew when it vanished from the service and the user asks for it',
    void: forNamed,
    async run({ createReady, world }) {
      const subject = await createReady();
      const { id } = subject.row;
      world.backend.drop(subject.route, id);
      world.clock.leap(120_000);
      await subject.until('it is missed', () => subject.condition('Ready')?.reason === 'ExternalDeleted');
      expect(subject.condition('Stalled')?.message).toContain(`set the annotation dataprocessing.dev/recreate: ${id}`);
      await subject.patch({ metadata: { annotations: { 'dataprocessing.dev/recreate': id } } });
      await subject.ready();
      expect(subject.claim).toMatchObject({ id: subject.row.id });
      expect(subject.sent('DELETE')).toEqual([]);
      expect(subject.sent('POST')).toHaveLength(2);
    },
  },
  {
    name: 'is made anew when it vanished from the service, after two looks',
    void: ({ kind }) => (kind.onVanished === 'recreate' ? undefined : 'its loss is reported'),
    async run({ createReady, world, sample }) {
      const subject = await createReady();
      const { id } = subject.row;
      world.backend.drop(subject.route, id);
      world.clock.leap(120_000);
      await subject.pass();
      expect(subject.rows).toEqual([]);
      expect(subject.isReady).toBe(true);
      world.clock.leap(30_000);
      await subject.until('a new object', () => subject.rows.length === 1);
      await subject.ready();
      expect(subject.status.id).toBe(subject.row.id);
      expect(subject.row.id === id).toBe(sample.kind.identity === 'given');
      expect(subject.sent('POST')).toHaveLength(2);
    },
  },
  {
    name: 'reports that it vanished from the service, after two looks, and makes no other',
    void: ({ kind }) => (kind.onVanished === 'report' ? undefined : 'it is made anew'),
    async run({ createReady, world }) {
      const subject = await createReady();
      world.backend.drop(subject.route, subject.row.id);
      world.clock.leap(30_000);
      await subject.until('Stalled', () => subject.condition('Stalled') !== undefined);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'ExternalDeleted' });
      await subject.passes(3);
      expect(subject.sent('POST')).toHaveLength(1);
      await subject.remove();
      await subject.gone();
      expect(subject.sent('DELETE')).toEqual([]);
    },
  },
  {
    name: 'is believed in when only one look missed it',
    async run({ createReady, world }) {
      const subject = await createReady();
      const plural = subject.collection.replaceAll('-', '_');
      world.proxy.on(
        { method: 'GET', collection: subject.collection },
        { act: 'answer', reply: { status: 200, body: JSON.stringify({ [plural]: [] }) } },
        1,
      );
      world.clock.leap(120_000);
      await subject.passes(4);
      expect(subject.isReady).toBe(true);
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
];

export const createCases: readonly Case[] = [...plain, ...crashing, ...remnants, ...taken, ...doubles, ...vanished];
