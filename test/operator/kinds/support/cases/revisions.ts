// Edits of a template: each creates another revision, users of the old one keep it, and unused revisions are garbage-collected.
import { expect } from 'vitest';
import { type Case, forRevised, forUsed } from '../case.ts';
import { own } from '../replies.ts';
import type { Sample, Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';
import { strangerOf } from './create.ts';

const day = 86_400_000;
const editOf = ({ config, content }: Sample, which: 'edited' | 'again' | 'back') => (config ?? content)?.[which] ?? {};
const posts = (subject: Subject): readonly string[] =>
  subject.sent('POST').map(({ body }) => (body as { name: string }).name);

/** Ready with its first content; more than one object may be there from now on. */
async function begun({ createReady }: Pick<Trial, 'createReady'>): Promise<Subject> {
  const subject = await createReady();
  subject.most = 3;
  return subject;
}

const ownClaims = ({ ledger }: Subject) => ledger?.claims.filter(({ role }) => role !== 'private') ?? [];

/** One object is left, it is the one on record, and has the number that the spec says. */
async function expectOne(subject: Subject, value: string): Promise<void> {
  await subject.ready();
  const one = () => subject.rows.length === 1 && ownClaims(subject).length === 1 && subject.isReady;
  await subject.until('the former ones are gone', one);
  const { revision } = subject.status;
  const hidden = () => subject.ledger?.claims.flatMap(({ role, id }) => (role === 'private' ? [id] : [])) ?? [];
  await subject.until('what the former ones referred to is gone', () => hidden().length <= 1);
  expect(subject.privateRows.map(({ id }) => id)).toEqual(hidden());
  expect(ownClaims(subject)).toMatchObject([
    { role: 'main', id: subject.row.id, name: subject.row.name, hash: revision },
  ]);
  expect(subject.status).toMatchObject({ id: subject.row.id, externalName: subject.row.name });
  expect(subject.shown).toMatch(new RegExp(`["/]${value}(\\.py)?"`));
  await subject.passes(1);
  expect(subject.status['revisions']).toEqual([revision]);
}

const edits: readonly Case[] = [
  {
    name: 'of edited content is another object, and the former one goes when nothing refers to it',
    async run(trial) {
      const subject = await begun(trial);
      const first = subject.row;
      const { revision } = subject.status;
      expect([revision, subject.status['revisions']]).toEqual([subject.claim?.hash, [subject.claim?.hash]]);
      await subject.edit(editOf(trial.sample, 'edited'));
      await expectOne(subject, '7');
      expect(subject.row.id).not.toBe(first.id);
      expect(subject.status['revision']).not.toBe(revision);
      expect(posts(subject)).toEqual([first.name, subject.row.name]);
      expect(subject.sent('DELETE').map(({ id }) => id)).toEqual([first.id]);
      expect(subject.eventReasons).toEqual(['Available', 'Replaced', 'Deleted']);
      expect(subject.events[1]?.note).toContain(
        `${subject.row.name} was created in the service in place of ${first.name}, and is ready`,
      );
    },
  },
  {
    name: 'stays what it is when only its description is edited',
    async run(trial) {
      const subject = await begun(trial);
      await subject.edit({ description: 'for people' });
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
  {
    name: 'keeps what it has while the service refuses the other content, and needs nothing when that is taken back',
    async run(trial) {
      const subject = await begun(trial);
      const { id } = subject.row;
      const rule = trial.world.proxy.on(
        { method: 'POST', collection: subject.collection },
        own(400, 'QUOTA_ERROR', 'no room'),
      );
      await subject.edit(editOf(trial.sample, 'edited'));
      await subject.passes(3);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'ExternalRejected' });
      expect(subject.status.id).toBe(id);
      expect(subject.row.id).toBe(id);
      rule.lift();
      await subject.edit(editOf(trial.sample, 'back'));
      await subject.ready();
      expect(subject.row.id).toBe(id);
      expect(subject.sent('DELETE')).toEqual([]);
    },
  },
];

const used: readonly Case[] = [
  {
    name: 'of former content stays as long as something refers to it, without a write meanwhile',
    void: forUsed,
    async run(trial) {
      const { world, sample } = trial;
      const subject = await begun(trial);
      const { id } = subject.row;
      const former = subject.status['revision'];
      const user = await strangerOf(subject, sample.user, id);
      await subject.edit(editOf(sample, 'edited'));
      await subject.ready();
      await subject.passes(3);
      const mark = world.trace.length;
      world.clock.leap(day);
      await subject.passes(3);
      expect(world.trace.slice(mark).filter((line) => !line.startsWith('GET'))).toEqual([]);
      expect(subject.rows).toHaveLength(2);
      expect(subject.status['revisions']).toEqual([former, subject.status['revision']]);
      expect(subject.status.id).not.toBe(id);
      await user.remove();
      await expectOne(subject, '7');
    },
  },
  {
    name: 'is deleted with its former revisions, which may have to wait',
    void: forUsed,
    async run(trial) {
      const subject = await begun(trial);
      const user = await strangerOf(subject, trial.sample.user, subject.row.id);
      await subject.edit(editOf(trial.sample, 'edited'));
      await subject.ready();
      await subject.remove();
      await subject.passes(4);
      expect(subject.status.blockedOn).toMatchObject([{ reason: 'InUse' }]);
      await user.remove();
      await subject.gone();
      expect(subject.rows).toEqual([]);
    },
  },
];

/** Two revisions, of which something refers to the former one. */
async function withFormer(trial: Trial) {
  const subject = await begun(trial);
  const user = await strangerOf(subject, trial.sample.user, subject.row.id);
  await subject.edit(editOf(trial.sample, 'edited'));
  await subject.ready();
  await subject.passes(1);
  expect(subject.rows).toHaveLength(2);
  return { subject, user };
}

const moved: readonly Case[] = [
  {
    name: 'is orphaned with its former revisions, each of them named',
    void: forUsed,
    async run(trial) {
      const { subject } = await withFormer(trial);
      const ids = subject.rows.map(({ id }) => id);
      await subject.edit({ deletionPolicy: 'Orphan' });
      subject.mayLeave = true;
      await subject.remove();
      await subject.gone();
      expect(subject.rows.map(({ id }) => id)).toEqual(ids);
      expect(subject.sent('DELETE')).toEqual([]);
      const note = trial.world.events.find(({ reason }) => reason === 'Orphaned')?.note;
      for (const id of ids) expect(note).toContain(id);
    },
  },
];

export const revisionCases: readonly Case[] = [...edits, ...used, ...moved].map((one) => ({
  ...one,
  void: (sample) => forRevised(sample) ?? one.void?.(sample),
}));
