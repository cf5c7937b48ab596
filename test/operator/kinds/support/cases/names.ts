// Fixed names: the operator ends with one object that is provably its own, and never touches the object of somebody else.
import { expect } from 'vitest';
import type { Records } from '../../../../../src/service/model/records/records.ts';
import { type Case, forNamed } from '../case.ts';
import { own } from '../replies.ts';
import type { Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';
import { strangerOf } from './create.ts';

const name = 'Nightly.etl';
const templates = 'cluster-templates';

/** The sample under a fixed name. */
function createNamed({ world, sample, names }: Trial, as = 'named'): Promise<Subject> {
  const { kind } = sample.kind.definition;
  return world.apply(kind, `${as}-${names['number']}`, { ...sample.spec(names), name });
}

async function createNamedReady(trial: Trial): Promise<Subject> {
  const subject = await createNamed(trial);
  await subject.ready();
  return subject;
}

const stranger = {
  collection: 'clusters',
  body: () => ({
    name,
    plugin_name: 'vanilla',
    bigdata_version: '1.2.1',
    default_image_id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
    user_keypair_id: 'demo',
    node_groups: [{ name: 'head', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] }],
  }),
};
const appears = (subject: Subject) => strangerOf(subject, stranger, '');

const isConflict = (subject: Subject): boolean => subject.condition('Stalled')?.reason === 'NameConflict';
const conflict = (subject: Subject): Promise<void> => subject.until('NameConflict', () => isConflict(subject));
const posts = ({ world }: Subject): readonly string[] =>
  world.proxy.sent.filter(({ method }) => method === 'POST').map(({ collection }) => collection);
const writes = ({ world }: Subject): readonly string[] =>
  world.proxy.sent.filter(({ method }) => method !== 'GET').map(({ method, collection }) => `${method} ${collection}`);

/** One object, started from the one template that the ledger has. */
function expectProven(subject: Subject): void {
  const { id, name: shown, cluster_template_id: from } = subject.row as Records['clusters'];
  expect(subject.status).toMatchObject({ id, externalName: name });
  expect(shown).toBe(name);
  expect(subject.privateRows.map((row) => row.id)).toEqual([from]);
  expect(subject.ledger?.claims).toMatchObject([
    { role: 'private', collection: templates, id: from },
    { role: 'main', collection: 'clusters', name, id },
  ]);
}

const made: readonly Case[] = [
  {
    name: 'is borne exactly, with two requests and at most six writes',
    async run(trial) {
      const subject = await createNamed(trial);
      const mark = trial.world.trace.length;
      await subject.ready();
      expect(posts(subject)).toEqual([templates, 'clusters']);
      const own = trial.world.trace.slice(mark).filter((line) => line.includes(subject.key.name));
      expect(own.length).toBeLessThanOrEqual(6);
      expectProven(subject);
    },
  },
  {
    name: 'costs nothing once it is there: no write, and no look at templates',
    async run(trial) {
      const subject = await createNamedReady(trial);
      const mark = trial.world.trace.length;
      trial.world.clock.leap(86_400_000);
      await subject.passes(3);
      expect(new Set(trial.world.trace.slice(mark))).toEqual(new Set(['GET clusters']));
    },
  },
];

const strangers: readonly Case[] = [
  {
    name: 'of a stranger is left to him without a write, and taken when he is gone',
    async run(trial) {
      const { world } = trial;
      const subject = await createNamed(trial);
      const other = await appears(subject);
      await conflict(subject);
      expect(subject.condition('Ready')).toMatchObject({
        status: 'False',
        message: expect.stringMatching(
          /the service already has another object with this name \([-0-9a-f]{36}\).*another spec\.name/,
        ),
      });
      await subject.passes(3);
      await world.restart();
      await subject.passes(2);
      expect(writes(subject)).toEqual([]);
      expect(world.trace.filter((line) => line.startsWith('claim'))).toEqual([]);
      await other.remove();
      await subject.ready();
      expectProven(subject);
    },
  },
  {
    name: 'that two resources want is that of the first, and of the second when the first is gone',
    async run(trial) {
      const first = await createNamedReady(trial);
      const second = await createNamed(trial, 'second');
      await conflict(second);
      expect(second.condition('Ready')?.message).toContain(
        `(${first.row.id}, of Cluster/${first.key.namespace}/${first.key.name})`,
      );
      expect(second.ledger).toBeUndefined();
      await first.remove();
      await first.gone();
      await second.ready();
      expectProven(second);
    },
  },
];

const changed: readonly Case[] = [
  {
    name: 'is borne by what an edit after a refusal asks for, and the template of before goes',
    async run(trial) {
      const { world } = trial;
      const subject = await createNamed(trial);
      const rule = world.proxy.on({ method: 'POST', collection: 'clusters' }, own(400, 'QUOTA_ERROR', 'no room'));
      await subject.until('refused', () => subject.condition('Ready')?.reason === 'ExternalRejected');
      rule.lift();
      await subject.edit(trial.sample.change?.edit ?? {});
      await subject.until('one template is left', () => subject.isReady && subject.privateRows.length === 1);
      await subject.until('one is claimed', () => subject.ledger?.claims.length === 2);
      expect(trial.sample.change?.shows(subject)).toEqual(trial.sample.change?.leadsTo);
      expectProven(subject);
      expect(writes(subject).filter((one) => one.startsWith('PUT'))).toEqual([]);
    },
  },
  {
    name: 'is borne by another object when the user asks for one, from the same template',
    async run(trial) {
      const subject = await createNamedReady(trial);
      const { id } = subject.row;
      await subject.patch({ metadata: { annotations: { 'dataprocessing.dev/recreate': id } } });
      await subject.until('another one is there', () => subject.isReady && subject.status.id !== id);
      expectProven(subject);
      expect(writes(subject).slice(2)).toEqual(['DELETE clusters', 'POST clusters']);
    },
  },
  {
    name: 'stays with the resource that a backup brought back, beside another that wants it',
    async run(trial) {
      const { world } = trial;
      const subject = await createNamedReady(trial);
      const second = await createNamed(trial, 'second');
      await conflict(second);
      const { id } = subject.row;
      const sent = writes(subject);
      await subject.annotate(JSON.stringify({ ...subject.ledger, uid: '00000000-aaaa-4000-8000-000000000000' }));
      await world.restart();
      await subject.until('the ledger is its own', () => subject.ledger?.['uid'] === subject.uid);
      await subject.ready();
      expect(subject.row.id).toBe(id);
      expectProven(subject);
      await second.passes(2);
      expect(isConflict(second)).toBe(true);
      expect(writes(subject)).toEqual(sent);
    },
  },
];

const deleted: readonly Case[] = [
  {
    name: 'is free again when the resource is deleted: first the object goes, then its template',
    async run(trial) {
      const subject = await createNamedReady(trial);
      await subject.remove();
      await subject.gone();
      expect(writes(subject).slice(2)).toEqual(['DELETE clusters', `DELETE ${templates}`]);
      expect([subject.rows, subject.privateRows]).toEqual([[], []]);
    },
  },
];

const cases: readonly Case[] = [...made, ...strangers, ...changed, ...deleted];
export const nameCases = cases.map((one): Case => ({ ...one, void: forNamed }));
