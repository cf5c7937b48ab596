// Creation: there is exactly one object in the end, whatever happens to the request or its answer.
import { expect } from 'vitest';
import type { Records } from '../../../../../src/service/model/records/records.ts';
import { prefixOf } from '../../../../../src/wire/routes.ts';
import { type Case, eventOfBegin, forNamed } from '../case.ts';
import { own } from '../replies.ts';
import type { Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';

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
      expect(subject.eventReasons).toEqual([...eventOfBegin(sample, 'Created'), 'Available']);
    },
  },
  {
    name: 'has its event when the service begins to make it, and another one when it is there',
    void: forNamed,
    async run({ create, world }) {
      const subject = await create();
      world.held = true;
      await subject.passes(2);
      expect(subject.eventReasons).toEqual(['Created']);
      world.held = false;
      await subject.ready();
      expect(subject.eventReasons).toEqual(['Created', 'Available']);
    },
  },
];

/** The service refuses `times` creates, and leaves a row in Error without machines each time. */
function leavingRows({ world }: Trial, subject: Subject, times: number): void {
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
];

/** Something of somebody else that uses the object. */
export async function strangerOf(
  { world }: Subject,
  user: { readonly collection: string; body(id: string): Readonly<Record<string, unknown>> } | undefined,
  id: string,
): Promise<{ readonly id: string; remove(): Promise<void> }> {
  if (!user) throw new Error('nothing uses it');
  const url = `/${prefixOf('neutral', user.collection)}/demo/${user.collection}`;
  const { status, body } = await world.backend.answer({ method: 'POST', url, body: JSON.stringify(user.body(id)) });
  if (status >= 300) throw new Error(`cannot make a user: ${body}`);
  const [made] = Object.values(JSON.parse(body) as Readonly<Record<string, { readonly id: string }>>);
  if (!made) throw new Error(`cannot read the user: ${body}`);
  await world.backend.rest();
  return {
    id: made.id,
    async remove() {
      await world.backend.answer({ method: 'DELETE', url: `${url}/${made.id}`, body: undefined });
      await world.backend.rest();
    },
  };
}

const vanished: readonly Case[] = [
  {
    name: 'is made anew when it vanished from the service, after two looks',
    void: ({ kind }) => (kind.identity === 'content' || kind.identity === 'given' ? undefined : 'its loss is reported'),
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
];

export const createCases: readonly Case[] = [...plain, ...remnants, ...vanished];
