// Objects that exist before their resource: only observed, or adopted, for every kind whose object is kept.
import { expect } from 'vitest';
import { installationMark } from '../../../../../src/lib/generated-name.ts';
import { takeOverAnnotation } from '../../../../../src/operator/api/shared-api.ts';
import type { Records } from '../../../../../src/service/model/records/records.ts';
import { installation } from '../bench.ts';
import { type Case, editOf, forRevised, writesSince } from '../case.ts';
import type { Json, Sample, Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';

const forAdopted = ({ kind, isStored }: Sample): string | undefined => {
  if (kind.identity === 'given') return 'its spec names an existing object anyway';
  return isStored ? 'its bytes cannot be compared' : undefined;
};
const forChanged = ({ kind, change }: Sample): string | undefined =>
  change && kind.identity !== 'once' ? undefined : 'nothing of it can be changed';
const forObserved = ({ isStored }: Sample): string | undefined =>
  isStored ? 'its bytes cannot be compared' : undefined;

/** An object of the service that belongs to no resource any more. */
async function abandoned(
  trial: Trial,
  more: Json = {},
): Promise<{ readonly id: string; readonly name: string; readonly former: Subject }> {
  const former = await trial.create({ ...more, deletionPolicy: 'Orphan' });
  await former.ready();
  const { id, name } = former.row;
  former.mayLeave = true;
  await former.remove();
  await former.gone();
  return { id, name, former };
}

const adoptOf = ({ kind }: Sample, id: string): Json => (kind.identity === 'given' ? {} : { adopt: { id } });

/** A field that no service changes. */
const otherOf = ({ kind }: Sample): Json =>
  kind.identity === 'named' ? { userKeypairID: 'another' } : { description: 'another' };

const forCopied = ({ kind, change }: Sample): string | undefined =>
  kind.identity === 'named' && change ? undefined : 'it is made from no template';

const isThere = ({ world }: Trial, { route }: Subject, id: string): boolean =>
  world.backend.rows(route).some((row) => row.id === id);

/** A resource that only observes an object, once it is Ready. `mark`: of the trace before it was there. */
async function observing(trial: Trial) {
  const { id } = await abandoned(trial);
  const mark = trial.world.trace.length;
  const subject = await trial.create({ ...adoptOf(trial.sample, id), policy: 'Observe' });
  // Nothing holds what is only observed.
  subject.mayLeave = true;
  await subject.ready();
  return { id, mark, subject };
}

function expectUnrecorded(subject: Subject): void {
  expect(subject.ledger).toBeUndefined();
  expect(subject.resource?.metadata.finalizers ?? []).toEqual([]);
}

const observed: readonly Case[] = [
  {
    name: 'that is only observed shows an existing object, says what differs, and writes nothing anywhere for it',
    void: forObserved,
    async run(trial) {
      const { id, mark, subject } = await observing(trial);
      expect(subject.status['id'], subject.describe()).toBe(id);
      expect(subject.condition('Drifted')).toBeUndefined();
      expectUnrecorded(subject);
      await subject.edit(editOf(trial.sample));
      await subject.until('it is told', () => subject.condition('Drifted')?.status === 'True');
      expect(subject.isReady, subject.describe()).toBe(true);
      expect(subject.status['drift']).not.toEqual([]);
      expectUnrecorded(subject);
      await subject.passes(3);
      await subject.remove();
      expect(subject.isGone).toBe(true);
      expect(isThere(trial, subject, id)).toBe(true);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
  {
    name: 'that was observed is managed without a write to an object that is as the spec says',
    void: forObserved,
    async run(trial) {
      const { id, mark, subject } = await observing(trial);
      await subject.edit({ policy: 'Manage' });
      await subject.until('it is recorded', () => subject.isReady && subject.claim?.id === id);
      expect(writesSince(trial, mark)).toEqual([]);
      await subject.remove();
      await subject.gone();
      expect(isThere(trial, subject, id)).toBe(true);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
];

const adopted: readonly Case[] = [
  {
    name: 'that adopts an object by its name records it, keeps it when the spec forgets that, and deletes it where the user says so',
    void: forAdopted,
    async run(trial) {
      const { id, name, former } = await abandoned(trial);
      const mark = trial.world.trace.length;
      const subject = await trial.create({ adopt: { name } });
      await subject.until('it is told', () => subject.eventReasons.includes('Adopted'));
      expect(subject.claim).toMatchObject({ id, name, origin: 'adopted' });
      await subject.edit({ adopt: null });
      await subject.ready();
      await subject.passes(2);
      expect(subject.isReady, subject.describe()).toBe(true);
      expect(subject.eventReasons.filter((reason) => reason === 'Adopted')).toHaveLength(1);
      expect(writesSince(trial, mark)).toEqual([]);
      await subject.edit({ deletionPolicy: 'Delete' });
      await subject.remove();
      await subject.gone();
      expect(isThere(trial, former, id)).toBe(false);
    },
  },
  {
    name: 'that would adopt an object with other fixed fields says which, changes nothing, and adopts it once the user has done what it says',
    void: forAdopted,
    async run(trial) {
      const { id } = await abandoned(trial);
      const mark = trial.world.trace.length;
      const subject = await trial.create({ ...otherOf(trial.sample), adopt: { id } });
      await subject.until('it is refused', () => subject.condition('Stalled')?.reason === 'AdoptionMismatch');
      const [path = ''] = Object.keys(otherOf(trial.sample));
      expect(subject.status['drift']).toMatchObject([{ path: `spec.${path}`, want: 'another', fixable: false }]);
      const message = subject.condition('Ready')?.message;
      expect(message).toContain(`spec.${path} is `);
      await subject.passes(3);
      expectUnrecorded(subject);
      const right = trial.sample.spec(trial.names);
      const correcting = subject.edit({ [path]: right[path] ?? null });
      if (trial.sample.kind.identity === 'content') {
        expect(message).toContain('. Correct the spec, or remove the fields');
        await correcting;
        await subject.ready();
        expect(subject.claim?.id).toBe(id);
      } else {
        expect(message).toContain('delete this Cluster, which leaves the object in the service alone, and apply it');
        await expect(correcting).rejects.toThrow('is immutable');
        subject.mayLeave = true;
        await subject.remove();
        await subject.gone();
        const corrected = await trial.create({ adopt: { id } });
        await corrected.ready();
        expect(corrected.claim?.id).toBe(id);
      }
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
  {
    name: 'that would adopt an object that is not there creates none, and adopts it when it comes',
    void: forAdopted,
    async run(trial) {
      const { id, former } = await abandoned(trial);
      const row = trial.world.backend.rows(former.route).find((one) => one.id === id);
      if (!row) throw new Error('it has no row');
      trial.world.backend.drop(former.route, id);
      const mark = trial.world.trace.length;
      const subject = await trial.create({ adopt: { id } });
      await subject.until('it is told', () => subject.condition('Ready')?.reason === 'ExternalNotFound');
      await subject.passes(3);
      trial.world.backend.put(former.route, row);
      await subject.ready();
      expect(subject.claim?.id).toBe(id);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
  {
    name: 'that would adopt the object of another resource is refused, and observes it all the same',
    void: forAdopted,
    async run(trial) {
      const { id, name } = await abandoned(trial);
      const owner = await trial.create({ adopt: { id } });
      await owner.ready();
      const { kind } = trial.sample.kind.definition;
      const mark = trial.world.trace.length;
      const spec = { ...trial.sample.spec(trial.names), adopt: { name } };
      const second = await trial.world.apply(kind, `${owner.key.name}-second`, spec);
      await second.until('it is refused', () => second.condition('Stalled')?.reason === 'DuplicateClaim');
      expectUnrecorded(second);
      await second.edit({ policy: 'Observe' });
      await second.ready();
      await owner.passes(2);
      expect(owner.isReady).toBe(true);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
  {
    name: 'that would adopt what another installation named waits until a user vouches for it, and observes it meanwhile',
    void: forAdopted,
    async run(trial) {
      const { id, former } = await abandoned(trial);
      const foreign = installationMark('elsewhere');
      const row = trial.world.backend.rows(former.route).find((one) => one.id === id);
      if (!row) throw new Error('it has no row');
      const name = row.name.replace(`-${installationMark(installation)}`, `-${foreign}`);
      trial.world.backend.put(former.route, { ...row, name } as never);
      const mark = trial.world.trace.length;
      const subject = await trial.create({ adopt: { id } });
      const told = `its name has the mark ${foreign} of another installation of the operator, which may still manage it`;
      for (const policy of ['Manage', 'Plan']) {
        await subject.edit({ policy });
        await subject.until('it is refused', () => subject.condition('Stalled')?.reason === 'AdoptionMismatch');
        await subject.passes(3);
        const message = expect.stringContaining(`is not adopted: ${told}. If a resource of that installation`);
        expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'AdoptionMismatch', message });
      }
      await subject.edit({ policy: 'Observe' });
      await subject.ready();
      expect(subject.condition('Ready')?.message).toBe(`observed only. It would not be adopted, because ${told}`);
      expectUnrecorded(subject);
      await subject.edit({ policy: 'Manage' });
      for (const vouched of [installation, 'somewhere']) {
        await subject.patch({ metadata: { annotations: { [takeOverAnnotation]: vouched } } });
        await subject.passes(2);
        expect(subject.condition('Ready')?.reason).toBe('AdoptionMismatch');
      }
      await subject.patch({ metadata: { annotations: { [takeOverAnnotation]: 'elsewhere' } } });
      await subject.until('it is recorded', () => subject.isReady && subject.claim?.id === id);
      await subject.patch({ metadata: { annotations: { [takeOverAnnotation]: null } } });
      await subject.passes(2);
      expect(subject.isReady, subject.describe()).toBe(true);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
  {
    name: 'that adopted an object is deleted while the service is down, because nothing has to be done there',
    void: forAdopted,
    async run(trial) {
      const { id } = await abandoned(trial);
      const subject = await trial.create({ adopt: { id } });
      await subject.ready();
      const mark = trial.world.trace.length;
      trial.world.proxy.on({}, { act: 'lose', after: 'nothing' });
      await subject.remove();
      await subject.gone();
      expect(writesSince(trial, mark)).toEqual([]);
      expect(subject.events.at(-1)).toMatchObject({ reason: 'Released', note: expect.stringContaining(id) });
    },
  },
  {
    name: 'that has an object of its own keeps it if it is asked to adopt that, and adopts no other one',
    void: forAdopted,
    async run(trial) {
      const subject = await trial.createReady();
      await subject.edit({ adopt: { id: subject.row.id } });
      await subject.ready();
      await subject.edit({ adopt: null });
      await subject.edit({ adopt: { id: '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f' } });
      await subject.until('it is refused', () => subject.condition('Stalled')?.reason === 'InvalidSpec');
      await subject.edit({ adopt: null });
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
  {
    name: 'that adopted an object gets one of its own by an edit, and leaves the adopted one',
    void: (sample) => forAdopted(sample) ?? forRevised(sample),
    async run(trial) {
      const { id } = await abandoned(trial);
      const subject = await trial.create({ adopt: { id } });
      await subject.ready();
      await subject.edit(editOf(trial.sample));
      await subject.until('it has another one', () => subject.isReady && subject.claim?.id !== id);
      await subject.until(
        'the adopted one is let go',
        () => subject.ledger?.claims.every((one) => one.id !== id) === true,
      );
      await subject.passes(2);
      expect(isThere(trial, subject, id)).toBe(true);
      await subject.remove();
      await subject.gone();
      expect(isThere(trial, subject, id)).toBe(true);
      expect(subject.rows).toEqual([]);
    },
  },
  {
    name: 'that adopted an object changes what can be changed, by one request',
    void: (sample) => forAdopted(sample) ?? forChanged(sample),
    async run(trial) {
      const { id } = await abandoned(trial);
      const subject = await trial.create({ ...editOf(trial.sample), adopt: { id }, policy: 'Plan' });
      await subject.until('it is planned', () => subject.status['plan'] !== undefined);
      expect(subject.status['plan']).toMatchObject({ verb: 'Scale' });
      const mark = trial.world.trace.length;
      await subject.edit({ policy: 'Manage' });
      await subject.ready();
      expect(subject.status['id']).toBe(id);
      expect(writesSince(trial, mark)).toHaveLength(1);
    },
  },
  {
    name: 'that was observed, and is managed and changed by one edit, tells its first change before the request, and no later one',
    void: forChanged,
    async run(trial) {
      const { id, mark, subject } = await observing(trial);
      const { kind, change } = trial.sample;
      const isGiven = kind.identity === 'given';
      await subject.edit({ ...editOf(trial.sample), policy: 'Manage' });
      await subject.until('it is told', () => subject.status['plan'] !== undefined);
      expect(subject.claim, subject.describe()).toMatchObject({ id, origin: isGiven ? 'preexisting' : 'adopted' });
      expect(subject.status['plan']).toMatchObject({ verb: isGiven ? 'Update' : 'Scale' });
      expect(subject.condition('Reconciling')?.status).toBe('True');
      const note = expect.stringMatching(/the first change since the adoption.*without an approval; see status\.plan$/);
      expect(subject.events.at(-1)).toMatchObject({ type: 'Normal', reason: 'PlanPending', note });
      expect(writesSince(trial, mark)).toEqual([]);
      await subject.ready();
      expect(writesSince(trial, mark)).toHaveLength(1);
      await subject.edit(change?.again ?? {});
      await subject.ready();
      expect(writesSince(trial, mark)).toHaveLength(2);
      expect(subject.eventReasons.filter((reason) => reason === 'PlanPending')).toHaveLength(1);
    },
  },
];

const ofTemplates: readonly Case[] = [
  {
    name: 'that would adopt an object of another template says so, also with other counts, and changes nothing',
    void: forCopied,
    async run(trial) {
      const { id } = await abandoned(trial);
      await (await trial.need(trial.sample.refersTo ?? '')).ready();
      const mark = trial.world.trace.length;
      const subject = await trial.create({ ...editOf(trial.sample), adopt: { id } });
      await subject.until('it is refused', () => subject.condition('Stalled')?.reason === 'AdoptionMismatch');
      expect(subject.status['drift']).toMatchObject([{ path: 'spec.clusterTemplateID', fixable: false }]);
      await subject.passes(3);
      expectUnrecorded(subject);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
  {
    name: 'that was made from the groups of its template is adopted with other counts, and not with a group that it lacks',
    void: forCopied,
    async run(trial) {
      const { id } = await abandoned(trial, editOf(trial.sample));
      const mark = trial.world.trace.length;
      const nodeGroups = [{ name: 'workr', count: 4 }];
      const subject = await trial.create({ nodeGroups, adopt: { id } });
      await subject.until('it is refused', () => subject.condition('Stalled')?.reason === 'AdoptionMismatch');
      expect(subject.status['drift']).toMatchObject([{ path: 'spec.nodeGroups[workr]', fixable: false }]);
      await subject.passes(3);
      expectUnrecorded(subject);
      expect(writesSince(trial, mark)).toEqual([]);
      await subject.edit(editOf(trial.sample));
      await subject.until('it is recorded', () => subject.isReady && subject.claim?.id === id);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
  {
    name: 'of a former revision of its template is adopted as it is, and told to be outdated',
    void: forCopied,
    async run(trial) {
      const template = await trial.need(trial.sample.refersTo ?? '');
      await template.ready();
      template.most = 2;
      const { revision } = template.status;
      const { id } = await abandoned(trial);
      await template.edit({ clusterConfigs: { HDFS: { 'dfs.replication': '3' } } });
      await template.until('it has another one', () => template.isReady && template.status['revision'] !== revision);
      const mark = trial.world.trace.length;
      const subject = await trial.create({ adopt: { id } });
      await subject.until('it is recorded', () => subject.isReady && subject.claim?.id === id);
      expect(subject.status['templateRevision']).toBe(revision);
      await subject.until('it is told', () => subject.condition('TemplateOutdated')?.status === 'True');
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
];

/** As old as no list of templates may be that an adoption is decided by. */
const oldMs = 600_000;

const ofFixedNames: readonly Case[] = [
  {
    name: 'that would adopt an object of a fixed name waits, if the private template is of another installation, until a user vouches for it',
    void: forCopied,
    async run(trial) {
      const { world } = trial;
      const { id, former } = await abandoned(trial, { name: 'Nightly.etl' });
      const [template] = former.privateRows as readonly Records['clusterTemplates'][];
      if (!template) throw new Error('it has no private template');
      const foreign = installationMark('elsewhere');
      const name = template.name.replace(`-${installationMark(installation)}`, `-${foreign}`);
      world.backend.put('clusterTemplates', { ...template, name });
      world.clock.leap(oldMs);
      const mark = world.trace.length;
      const started = { clusterTemplateRef: undefined, clusterConfigs: undefined, clusterTemplateID: template.id };
      const subject = await trial.create({ ...started, adopt: { id } });
      await subject.until('it is refused', () => subject.condition('Stalled')?.reason === 'AdoptionMismatch');
      await subject.passes(3);
      const told = `the name of its template has the mark ${foreign} of another installation of the operator`;
      expect(subject.condition('Ready')?.message).toContain(`Nightly.etl (${id}) is not adopted: ${told}`);
      expectUnrecorded(subject);
      await subject.patch({ metadata: { annotations: { [takeOverAnnotation]: foreign } } });
      await subject.until('it is recorded', () => subject.isReady && subject.claim?.id === id);
      expect(writesSince(trial, mark)).toEqual([]);
    },
  },
];

export const adoptionCases: readonly Case[] = [...observed, ...adopted, ...ofTemplates, ...ofFixedNames];
