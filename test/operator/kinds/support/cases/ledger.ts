// The ledger: who owns it, what happens when it is foreign or lost, and that a restart needs nothing else.
import { expect } from 'vitest';
import { finalizer, group, ledgerAnnotation } from '../../../../../src/operator/api/shared-api.ts';
import { type Case, forFixed, forNamed, forReferring, forUsed } from '../case.ts';
import type { Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';
import { strangerOf } from './create.ts';

const changed =
  (fields: object) =>
  ({ ledger }: Subject): string =>
    JSON.stringify({ ...ledger, ...fields });

const unconfirmed: readonly {
  readonly name: string;
  readonly text: (subject: Subject) => string;
  readonly says: string;
}[] = [
  { name: 'no JSON', text: () => '{"v":1,', says: 'it is not JSON' },
  {
    name: 'of another installation',
    text: changed({ installation: 'elsewhere' }),
    says: 'another installation (elsewhere)',
  },
];

const notOurs = unconfirmed.map(
  ({ name, text, says }): Case => ({
    name: `is left alone by a ledger that is ${name}, and the resource can be deleted`,
    async run({ createReady, world }) {
      const subject = await createReady();
      await subject.annotate(text(subject));
      const writes = world.proxy.sent.filter((one) => one.method !== 'GET').length;
      await subject.passes(3);
      const refusal = { reason: 'OwnershipUnconfirmed', message: expect.stringContaining(says) };
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', ...refusal });
      expect(subject.condition('Stalled')).toMatchObject({ status: 'True', ...refusal });
      subject.mayLeave = true;
      await subject.remove();
      await subject.gone();
      expect(world.proxy.sent.filter((one) => one.method !== 'GET')).toHaveLength(writes);
      expect(subject.rows).toHaveLength(1);
      expect(subject.eventReasons.at(-1)).toBe('Released');
    },
  }),
);

const takeOver = `${group}/take-over`;
const formerUid = '00000000-aaaa-4000-8000-000000000000';

/** The restore table: the ledger was written for another object, or by another installation. */
const moves: readonly Case[] = [
  {
    name: 'goes on with its object after a restore from a backup: same name, same id, no external write',
    async run({ createReady, world }) {
      const subject = await createReady();
      const { ledger } = subject;
      const writes = world.proxy.sent.filter((one) => one.method !== 'GET').length;
      await subject.annotate(changed({ uid: formerUid })(subject));
      await world.restart();
      await subject.until('the ledger is its own', () => subject.ledger?.uid === subject.uid);
      await subject.ready();
      expect(subject.ledger).toEqual(ledger);
      expect(subject.eventReasons.at(-1)).toBe('Adopted');
      expect(world.proxy.sent.filter((one) => one.method !== 'GET')).toHaveLength(writes);
      await subject.remove();
      await subject.gone();
    },
  },
  {
    name: 'is left alone as long as it is a copy of another, named in the status; deleting the copy leaves the object',
    async run({ createReady, world, sample, names }) {
      const original = await createReady();
      const copy = await world.apply(
        sample.kind.definition.kind,
        `copy-${world.bench.next()}`,
        sample.spec({ ...names, number: String(world.bench.next()) }),
        { [ledgerAnnotation]: JSON.stringify(original.ledger) },
      );
      copy.mayLeave = true;
      const writes = world.proxy.sent.filter((one) => one.method !== 'GET').length;
      await copy.passes(3);
      const message = expect.stringContaining(
        `/${original.key.name}, which keeps them. Delete this copy, which leaves those objects. Or, to create a new object`,
      );
      expect(copy.condition('Stalled')).toMatchObject({ reason: 'OwnershipUnconfirmed', message });
      await copy.remove();
      await copy.gone();
      await original.passes(2);
      expect(original.isReady).toBe(true);
      expect(world.proxy.sent.filter((one) => one.method !== 'GET')).toHaveLength(writes);
    },
  },
  {
    name: 'is taken over from another installation at the word of the user, and not without it',
    async run({ createReady, world }) {
      const subject = await createReady();
      const { ledger } = subject;
      await subject.annotate(changed({ installation: 'elsewhere', uid: formerUid })(subject));
      await subject.passes(2);
      const message = expect.stringContaining(`set the annotation ${takeOver}: elsewhere`);
      expect(subject.condition('Stalled')).toMatchObject({ reason: 'OwnershipUnconfirmed', message });
      await subject.patch({ metadata: { annotations: { [takeOver]: 'elsewhere' } } });
      await subject.ready();
      expect(subject.ledger).toEqual(ledger);
      expect(subject.sent('POST').length).toBeLessThanOrEqual(1);
      await world.restart();
      await subject.ready();
    },
  },
];

const losses: readonly Case[] = [
  {
    name: 'is put back from the copy in the status, with the finalizer, when somebody takes them off what is Ready',
    isExact: true,
    async run({ createReady, world }) {
      const subject = await createReady();
      // A field of a later version shows that it is the copy, and nothing derived anew.
      await subject.annotate(JSON.stringify({ ...subject.ledger, later: 'kept' }));
      await subject.edit({ progressDeadlineSeconds: 99 });
      await subject.ready();
      const before = subject.ledger;
      expect(before).toMatchObject({ later: 'kept' });
      subject.mayLeave = true;
      await subject.patch({ metadata: { finalizers: null, annotations: null } });
      await subject.passes(2);
      subject.mayLeave = false;
      expect(subject.ledger).toEqual(before);
      expect(subject.resource?.metadata.finalizers).toEqual([finalizer]);
      const mark = world.trace.length;
      await subject.passes(3);
      expect(new Set(world.trace.slice(mark))).toEqual(new Set([`GET ${subject.collection}`]));
      expect(subject.isReady).toBe(true);
      expect(subject.sent('POST')).toHaveLength(1);
      await subject.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
  {
    name: 'is found again by the refusal of the name when every trace on the resource is lost',
    async run({ createReady, world }) {
      const subject = await createReady();
      const { id } = subject.row;
      await subject.mangle({ ledger: null, id: null, externalName: null, conditions: null, observedGeneration: -1 });
      // As after a restore that kept neither finalizers nor annotations.
      subject.mayLeave = true;
      await subject.patch({ metadata: { finalizers: null, annotations: null } });
      await world.restart();
      await subject.ready();
      subject.mayLeave = false;
      expect(subject.row.id).toBe(id);
      expect(subject.claim).toMatchObject({ id });
    },
  },
];

/** States in which the operator has nothing to do but wait. */
const states: readonly {
  readonly name: string;
  readonly void?: NonNullable<Case['void']>;
  readonly reach: (trial: Trial) => Promise<Subject>;
}[] = [
  { name: 'it is Ready', reach: ({ createReady }) => createReady() },
  {
    name: 'its Connection is missing',
    async reach({ create, world }) {
      world.connections.set('default', { state: 'missing', message: 'no Connection', credentials: false });
      const subject = await create();
      await subject.until('it says so', () => subject.condition('Ready') !== undefined);
      return subject;
    },
  },
  {
    name: 'it waits for what it refers to',
    void: forReferring,
    async reach({ create, names, sample }) {
      names[sample.refersTo ?? ''] = 'absent';
      const subject = await create();
      await subject.until('it says so', () => subject.condition('Ready') !== undefined);
      return subject;
    },
  },
  {
    name: 'it is being made',
    void: forNamed,
    async reach({ create, world }) {
      world.held = true;
      const subject = await create();
      await subject.until('it has an id', () => subject.status.externalStatus !== undefined);
      return subject;
    },
  },
  {
    name: 'its spec is refused',
    void: forFixed,
    async reach({ createReady, sample }) {
      const subject = await createReady();
      await subject.edit(sample.config?.edited ?? {});
      await subject.passes(2);
      expect(subject.condition('Stalled')).toMatchObject({ reason: 'InvalidSpec' });
      return subject;
    },
  },
  {
    name: 'a create may still take effect after its deletion',
    async reach({ create, world }) {
      const subject = await create();
      world.proxy.on({ method: 'POST', collection: subject.collection }, { act: 'hang' }, 1);
      await subject.pass();
      await subject.remove();
      await subject.passes(2);
      expect(subject.status.blockedOn).toMatchObject([{ kind: 'Quarantine' }]);
      return subject;
    },
  },
  {
    name: 'its deletion waits for the Connection',
    async reach({ createReady, world }) {
      const subject = await createReady();
      world.connections.set('default', { state: 'missing', message: 'no Connection', credentials: false });
      await subject.remove();
      await subject.passes(2);
      return subject;
    },
  },
];

const restarts = states.map(
  ({ name, reach, ...rest }): Case => ({
    ...rest,
    name: `is all that a restart needs while ${name}: it writes nothing`,
    async run(trial) {
      const { world } = trial;
      const subject = await reach(trial);
      // What was put off as not worth a write of its own is written by now.
      world.clock.leap(10_000);
      await subject.passes(2);
      const before = subject.resource;
      await world.restart();
      const mark = world.trace.length;
      await subject.passes(3);
      expect(world.trace.slice(mark).filter((line) => !line.startsWith('GET '))).toEqual([]);
      expect(subject.resource?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    },
  }),
);

const waitingDelete: Case = {
  name: 'is all that a restart needs while its deletion waits for a user: one DELETE more, and the same words',
  void: forUsed,
  async run({ createReady, world, sample }) {
    const subject = await createReady();
    const user = await strangerOf(subject, sample.user, subject.row.id);
    await subject.remove();
    await subject.passes(3);
    const before = subject.resource?.metadata.resourceVersion;
    await world.restart();
    await subject.passes(2);
    expect(subject.resource?.metadata.resourceVersion).toBe(before);
    await user.remove();
    await subject.gone();
  },
};

export const ledgerCases: readonly Case[] = [...notOurs, ...moves, ...losses, ...restarts, waitingDelete];
