// The status: cases that need more than one pass. The rules of docs/concepts/status.md are checked after every pass.
import { expect } from 'vitest';
import { defaultStatus } from '../../../../../dev/generate/crd.ts';
import type { Case } from '../case.ts';
import { own } from '../replies.ts';
import type { Subject } from '../subject.ts';

const statusWrites = ({ world, key }: Subject, mark: number): readonly string[] =>
  world.trace.slice(mark).filter((line) => line.startsWith('status ') && line.endsWith(`/${key.name}`));

/** The status without what depends on when it was written. */
function timeless({ status }: Subject): unknown {
  const conditions = (status.conditions ?? []).map(({ lastTransitionTime: _time, ...rest }) => rest);
  return { ...status, conditions: conditions.toSorted((one, other) => (one.type < other.type ? -1 : 1)) };
}

const quiet: readonly Case[] = [
  {
    name: 'is not written, nor anything sent, by further passes over what is Ready',
    isExact: true,
    async run({ createReady, world }) {
      const subject = await createReady();
      await subject.pass();
      const mark = world.trace.length;
      await subject.passes(6);
      expect(new Set(world.trace.slice(mark))).toEqual(new Set([`GET ${subject.collection}`]));
    },
  },
  {
    name: 'is written once for a trouble that lasts',
    async run({ create, world }) {
      const subject = await create();
      world.proxy.on(
        { method: 'POST', collection: subject.collection },
        own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'),
      );
      await subject.passes(6);
      expect(statusWrites(subject, 0)).toHaveLength(1);
      expect(subject.eventReasons).toEqual(['UpstreamError']);
    },
  },
  {
    name: 'of a newborn that has to wait is first written after two seconds',
    async run({ create, world }) {
      world.connections.set('default', { state: 'missing', message: 'no Connection', credentials: false });
      const subject = await create();
      const end = await subject.pass();
      expect(end).toMatchObject({ next: 'at' });
      expect(world.trace).toEqual([]);
      expect(subject.status).toEqual(defaultStatus);
      // The API server's clock may be ahead of the one in this test.
      await subject.until('its first status', () => world.trace.length > 0);
      expect(world.trace).toHaveLength(1);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'DependencyNotReady' });
    },
  },
];

/** The user changes something that means nothing to the service. */
const touch = (subject: Subject): Promise<void> => subject.edit({ progressDeadlineSeconds: 1234 });

const generations: readonly Case[] = [
  {
    name: 'says that a new generation is being looked at before it is looked at',
    async run({ createReady, world }) {
      const subject = await createReady();
      await touch(subject);
      world.clock.leap(600_000);
      const mark = world.trace.length;
      world.crashAt('status', 'after');
      await subject.dies();
      expect(world.trace.slice(mark).map((line) => line.split(' ')[0])).toEqual(['status']);
      expect(subject.status.observedGeneration).toBe(2);
      expect(subject.condition('Ready')?.status).not.toBe('True');
      expect(subject.condition('Reconciling')).toMatchObject({ status: 'True', observedGeneration: 2 });
      await world.restart();
      await subject.ready();
      expect(subject.sent('POST')).toHaveLength(1);
    },
  },
  {
    name: 'takes over a new generation in one write when nothing has to be asked',
    async run({ createReady, world }) {
      const subject = await createReady();
      const before = subject.condition('Ready');
      await subject.pass();
      await touch(subject);
      const mark = world.trace.length;
      await subject.pass();
      expect(subject.isReady).toBe(true);
      expect(statusWrites(subject, mark)).toHaveLength(1);
      expect(subject.condition('Ready')).toEqual({ ...before, observedGeneration: 2 });
    },
  },
  {
    name: 'takes over a new generation also while the service fails',
    async run({ createReady, world }) {
      const subject = await createReady();
      world.proxy.on({ collection: subject.collection }, own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'));
      await touch(subject);
      world.clock.leap(600_000);
      await subject.passes(1);
      expect(subject.status.observedGeneration).toBe(2);
      expect(subject.condition('Ready')?.observedGeneration).toBe(2);
    },
  },
];

const byHand = {
  status: 'True',
  reason: 'Mangled',
  message: 'by hand',
  observedGeneration: 1,
  lastTransitionTime: '2020-01-01T00:00:00Z',
};

const mangled: readonly { readonly name: string; readonly status: object }[] = [
  { name: 'without conditions', status: { conditions: [] } },
  { name: 'without id and name', status: { id: null, externalName: null } },
  { name: 'with another id', status: { id: 'somebody else' } },
  { name: 'with the generation of the future', status: { observedGeneration: 99 } },
  { name: 'without a generation', status: { observedGeneration: null } },
  { name: 'with the generation before the first', status: { observedGeneration: -1 } },
  { name: 'with a copy of the ledger that is none', status: { ledger: '{"v":' } },
  {
    name: 'with something that it never has',
    status: { blockedOn: [{ kind: 'A', name: 'b', reason: 'C', message: 'd' }] },
  },
  {
    name: 'with conditions of somebody else',
    status: {
      conditions: [
        { ...byHand, type: 'Ready', status: 'False' },
        { ...byHand, type: 'Stalled' },
        { ...byHand, type: 'Invented', lastTransitionTime: 'never' },
      ],
    },
  },
];

const repairs = mangled.map(
  ({ name, status }): Case => ({
    name: `is put right when it is found ${name}`,
    async run({ createReady, world }) {
      const subject = await createReady();
      const before = timeless(subject);
      await subject.mangle(status);
      await subject.passes(1);
      expect(timeless(subject)).toEqual(before);
      expect(subject.isReady).toBe(true);
      expect(subject.sent('POST')).toHaveLength(1);
      const mark = world.trace.length;
      await subject.passes(2);
      expect(statusWrites(subject, mark)).toEqual([]);
    },
  }),
);

export const statusCases: readonly Case[] = [...quiet, ...generations, ...repairs];
