// ImageRegistration on a real API server and service: tags, changes by other clients, and images registered before.
import { expect } from 'vitest';
import { finalizer } from '../../../../src/operator/api/shared-api.ts';
import { dialects } from '../../../../src/wire/dialect.ts';
import type { Trial } from '../support/sample.ts';
import { imageRegistrationSample, tagsOf } from '../support/samples.ts';
import type { Subject } from '../support/subject.ts';
import { runTable, type SpecialCase } from '../support/table.ts';

const plain = imageRegistrationSample.spec;
const tagged: SpecialCase['spec'] = (names) => ({ ...plain(names), tags: ['vanilla', '1.2.1'] });
const vanilla = ['1.2.1', 'vanilla'];

/** What somebody else asks of the service. */
async function asStranger(
  { world }: Trial,
  { method = 'POST', path, body }: { readonly method?: string; readonly path: string; readonly body?: object },
): Promise<void> {
  const version = world.dialect === 'sahara' ? 'v1.1' : 'v1.0';
  const url = `/${version}/demo/images/${path}`;
  const answer = await world.backend.answer({ method, url, body: body && JSON.stringify(body) });
  if (answer.status >= 300) throw new Error(`cannot ${method} ${url}: ${answer.body}`);
}

const imageOf = ({ names, sample }: Trial): string => String(sample.spec(names)['imageID']);
const registered = (trial: Trial, username = 'root', description = 'theirs') =>
  asStranger(trial, { path: imageOf(trial), body: { username, description } });
const retagged = (trial: Trial, action: 'tag' | 'untag', ...tags: string[]) =>
  asStranger(trial, { path: `${imageOf(trial)}/${action}`, body: { tags } });

/** The requests that change something, in order: `tag 1.2.1 vanilla`. */
const writes = ({ world }: Subject): readonly string[] =>
  world.proxy.sent
    .filter((one) => one.method !== 'GET')
    .map(({ method, action, body }) => {
      const { tags = [] } = (body ?? {}) as { readonly tags?: readonly string[] };
      return [method === 'DELETE' ? 'delete' : (action ?? 'register'), ...tags].join(' ');
    });

/** Time enough for the next steady look. */
const looked = async (subject: Subject): Promise<void> => {
  subject.world.clock.leap(120_000);
  await subject.passes(1);
};

const making: readonly SpecialCase[] = [
  ...dialects.map(
    (dialect): SpecialCase => ({
      name: `speaking ${dialect}, is registered, described and tagged, and then left alone`,
      spec: (names) => ({ ...plain(names), description: 'for Spark', tags: ['vanilla', '1.2.1'] }),
      options: { dialect },
      async run({ createReady, world }) {
        const subject = await createReady();
        expect(writes(subject)).toEqual(['register', 'tag 1.2.1 vanilla']);
        expect(subject.row).toMatchObject({ username: 'ubuntu', description: 'for Spark' });
        expect(tagsOf(subject)).toEqual(vanilla);
        expect(subject.status).toMatchObject({
          imageName: 'ubuntu-22.04',
          imageStatus: 'ACTIVE',
          username: 'ubuntu',
          tags: vanilla,
        });
        expect(subject.eventReasons).toEqual(['Available']);
        const mark = world.trace.length;
        await subject.passes(4);
        expect(new Set(world.trace.slice(mark))).toEqual(new Set(['GET images']));
      },
    }),
  ),
  ...dialects.map(
    (dialect): SpecialCase => ({
      name: `speaking ${dialect}, is edited by what differs alone`,
      spec: tagged,
      options: { dialect },
      async run({ createReady }) {
        const subject = await createReady();
        const made = writes(subject).length;
        const since = () => writes(subject).slice(made);
        await subject.edit({ tags: ['vanilla', '2.4.1'] });
        await subject.ready();
        expect(since()).toEqual(['untag 1.2.1', 'tag 2.4.1']);
        await subject.edit({ tags: [] });
        await subject.ready();
        expect(since().slice(2)).toEqual(['untag 2.4.1 vanilla']);
        await subject.edit({ description: 'new', tags: ['spark'] });
        await subject.ready();
        expect(since().slice(3)).toEqual(['register', 'tag spark']);
        await subject.edit({ username: 'cloud-user', description: null });
        await subject.ready();
        // The interface as written takes the tags off with each registration.
        const again = dialect === 'neutral' ? ['register', 'tag spark'] : ['register'];
        expect(since().slice(5)).toEqual(again);
        expect(subject.row).toMatchObject({ username: 'cloud-user', description: 'new' });
        expect(tagsOf(subject)).toEqual(['spark']);
        expect(subject.eventReasons).not.toContain('CorrectingDrift');
      },
    }),
  ),
  {
    name: 'of an image that the cloud does not have says so',
    spec: () => ({ imageID: 'ffffffff-0000-4000-8000-000000000000', username: 'ubuntu' }),
    async run({ create }) {
      const subject = await create();
      await subject.passes(2);
      expect(subject.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'ExternalRejected',
        message: expect.stringMatching(/ffffffff-0000-4000-8000-000000000000: the service has no such object: .*image/),
      });
      await subject.remove();
      await subject.gone();
      expect(writes(subject)).not.toContain('delete');
    },
  },
];

const contested: readonly SpecialCase[] = [
  {
    name: 'is put right when somebody else takes a tag off, and tells what was changed',
    spec: tagged,
    async run(trial) {
      const subject = await trial.createReady();
      await retagged(trial, 'untag', 'vanilla');
      await retagged(trial, 'tag', 'theirs');
      await looked(subject);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'CorrectingDrift' });
      expect(subject.condition('Drifted')).toMatchObject({ status: 'True' });
      expect(subject.status['drift']).toEqual([
        { path: 'spec.tags', want: '[1.2.1, vanilla]', have: '[1.2.1, theirs]', fixable: true },
      ]);
      await subject.ready();
      expect(writes(subject).slice(2)).toEqual(['untag theirs', 'tag vanilla']);
      expect(subject.status['drift']).toBeUndefined();
      expect(subject.eventReasons).toContain('CorrectingDrift');
    },
  },
  {
    name: 'is put right, too, when somebody else registers it otherwise',
    spec: (names) => ({ ...plain(names), description: 'ours', tags: ['vanilla'] }),
    async run(trial) {
      const subject = await trial.createReady();
      await registered(trial);
      await looked(subject);
      await subject.ready();
      expect(subject.row).toMatchObject({ username: 'ubuntu', description: 'ours' });
      expect(writes(subject).slice(2)).toEqual(['register', 'tag vanilla']);
    },
  },
];

const before: readonly SpecialCase[] = [
  {
    name: 'that was there before is taken over, with all its changes told before the first, and only released when it is deleted',
    spec: tagged,
    async run(trial) {
      await registered(trial);
      await retagged(trial, 'tag', '1.2.1', 'theirs');
      const subject = await trial.create();
      await subject.until('it is told', () => subject.status['plan'] !== undefined);
      expect(writes(subject)).toEqual([]);
      expect(subject.status['plan']).toMatchObject({
        verb: 'Update',
        destructive: true,
        changes: [
          { path: 'spec.username', from: '"root"', to: '"ubuntu"' },
          { path: 'spec.tags', from: '[1.2.1, theirs]', to: '[1.2.1, vanilla]' },
        ],
      });
      const note = expect.stringMatching(/tags from \[1\.2\.1, theirs\].*the first change since the adoption/);
      expect(subject.events.at(-1)).toMatchObject({ reason: 'PlanPending', note });
      await subject.ready();
      expect(subject.eventReasons.filter((reason) => reason === 'PlanPending')).toHaveLength(1);
      expect(subject.claim).toMatchObject({ origin: 'preexisting' });
      expect(subject.eventReasons).toContain('Adopted');
      // The description is theirs, and the spec names none.
      expect(subject.row).toMatchObject({ username: 'ubuntu', description: 'theirs' });
      expect(tagsOf(subject)).toEqual(vanilla);
      subject.mayLeave = true;
      await subject.remove();
      await subject.gone();
      expect(writes(subject)).not.toContain('delete');
      expect(subject.rows).toHaveLength(1);
      expect(subject.eventReasons.at(-1)).toBe('Released');
    },
  },
];

/** Another registration of the same image; it may go, and leave what belongs to the first. */
const second = async ({ world, names, sample }: Trial): Promise<Subject> => {
  const spec = { ...sample.spec(names), username: 'other' };
  const subject = await world.apply('ImageRegistration', `second-${world.bench.next()}`, spec);
  subject.mayLeave = true;
  return subject;
};

const doubles: readonly SpecialCase[] = [
  {
    name: 'is registered once by two that are applied together, and the other one says whose it is',
    async run(trial) {
      const pair = [await trial.create(), await second(trial)];
      await Promise.all(pair.map((one) => one.passes(1)));
      for (const one of pair) await one.passes(3);
      expect(writes(pair[0] as Subject)).toEqual(['register']);
      const [owner, other] = pair[0]?.isReady ? pair : pair.toReversed();
      expect(owner?.isReady).toBe(true);
      const message = expect.stringContaining(`/${owner?.key.name}, which claimed it first`);
      expect(other?.condition('Stalled')).toMatchObject({ reason: 'DuplicateClaim', message });
      expect(other?.eventReasons).toEqual(['DuplicateClaim']);
      // Two events where the clock went on by the long wait of the other one in between.
      expect(owner?.eventReasons.filter((reason) => reason !== 'Created')).toEqual(['Available']);
    },
  },
  {
    name: 'stays registered when the first leaves it to the second with Orphan',
    spec: tagged,
    async run(trial) {
      const first = await trial.createReady();
      const other = await second(trial);
      await other.passes(3);
      first.mayLeave = true;
      await first.patch({ spec: { deletionPolicy: 'Orphan' } });
      await first.remove();
      await first.gone();
      await other.ready();
      expect(other.row).toMatchObject({ username: 'other' });
      expect(other.claim).toMatchObject({ origin: 'preexisting' });
      expect(writes(first)).not.toContain('delete');
      await other.patch({ spec: { deletionPolicy: 'Delete' } });
      await other.remove();
      await other.gone();
      expect(other.rows).toEqual([]);
    },
  },
  {
    name: 'is not deleted by the second, whose request was lost, when the first has it on record, whichever is older',
    async run(trial) {
      const first = await trial.createReady();
      const other = await second(trial);
      // As if both had looked, and sent, at the same time.
      const attempts = { open: 1, lastSentAt: new Date(trial.world.clock.wall()).toISOString() };
      const claims = [{ ...first.claim, id: undefined, attempts }];
      await other.annotate(JSON.stringify({ ...first.ledger, uid: other.uid, claims }));
      await other.patch({ metadata: { finalizers: [finalizer] } });
      other.mayLeave = true;
      await other.remove();
      await other.gone();
      expect(writes(other)).not.toContain('delete');
      await first.ready();
    },
  },
];

for (const [title, cases] of Object.entries({ making, contested, before, doubles }))
  runTable({ title: `an image: ${title}`, namespace: `images-${title}`, sample: imageRegistrationSample, cases });
