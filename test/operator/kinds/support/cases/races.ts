// Races: somebody writes, deletes or takes the lead while a request is under way.
import { expect } from 'vitest';
import type { Case } from '../case.ts';

const meanwhile: readonly Case[] = [
  {
    name: 'tells the newest generation when the spec is edited while the request is under way',
    async run({ create, world }) {
      const subject = await create();
      world.meanwhile = async ({ method }) =>
        method === 'POST' ? subject.edit({ progressDeadlineSeconds: 77 }) : undefined;
      await subject.ready();
      expect(subject.status.observedGeneration).toBe(2);
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
];

const leading: readonly Case[] = [
  {
    name: 'is sent by no replica that lost the lead after it wrote the intent',
    async run({ create, world }) {
      const subject = await create();
      world.claiming = () => void (world.leads = false);
      await subject.passes(3);
      expect(subject.sent('POST')).toEqual([]);
      expect(subject.claim).toMatchObject({ attempts: { open: 1 } });
      world.claiming = () => {};
      world.leads = true;
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
];

const shared: readonly Case[] = [
  {
    name: 'belongs to whom it was made for, and another that has its id on record never touches it',
    async run({ createReady, world, sample, names }) {
      const older = await createReady();
      const name = `two-${world.bench.next()}`;
      const younger = await world.apply(
        sample.kind.definition.kind,
        name,
        sample.spec({ ...names, number: String(world.bench.next()) }),
      );
      await younger.ready();
      // Creation times are whole seconds: the uid decides between equal ones.
      const ages = [older, younger].map(
        ({ resource }) => `${resource?.metadata.creationTimestamp} ${resource?.metadata.uid}`,
      );
      const [first, second] = (ages[0] ?? '') < (ages[1] ?? '') ? [older, younger] : [younger, older];
      second.mayLeave = true;
      const { id } = first.row;
      await second.annotate(JSON.stringify({ ...second.ledger, claims: [{ ...second.claim, id }] }));
      await second.passes(2);
      const message = expect.stringContaining(`/${first.key.name}, which claimed it first`);
      expect(second.condition('Stalled')).toMatchObject({ reason: 'DuplicateClaim', message });
      await second.remove();
      await second.gone();
      expect(second.eventReasons.at(-1)).toBe('Released');
      // Of its own name, which nobody disputes, it has an object: that goes. An image has no name but its id.
      expect(second.sent('DELETE').map((sent) => sent.id)).not.toContain(id);
      await first.passes(2);
      expect(first.isReady).toBe(true);
      expect(first.row.id).toBe(id);
    },
  },
  {
    name: 'is believed in again when it comes back after it was missed',
    async run({ createReady, world }) {
      const subject = await createReady();
      const { row } = subject;
      world.backend.drop(subject.route, row.id);
      world.clock.leap(120_000);
      await subject.pass();
      world.backend.put(subject.route, row);
      world.clock.leap(30_000);
      await subject.ready();
      expect(subject.row.id).toBe(row.id);
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
];

export const raceCases: readonly Case[] = [...meanwhile, ...leading, ...shared];
