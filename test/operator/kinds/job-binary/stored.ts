// Bytes of a JobBinary in the service: nothing of them is left or doubled, wherever the process dies or an answer is lost.
import { expect } from 'vitest';
import type { Fault } from '../../../support/service/service-proxy.ts';
import type { CrashPoint } from '../support/gate.ts';
import { own } from '../support/replies.ts';
import type { Sample, Trial } from '../support/sample.ts';
import { storedBinarySample } from '../support/samples.ts';
import type { Subject } from '../support/subject.ts';
import { runTable, type SpecialCase } from '../support/table.ts';
import { quarantineMs } from '../support/world.ts';

const files = 'job-binary-internals';
const { isStored: _first, ...sample } = storedBinarySample satisfies Sample;
const edited = { content: { inline: '7' } };

/** The job binary has these bytes, and the service nothing else. */
async function has(subject: Subject, bytes: string): Promise<void> {
  await subject.ready();
  const one = () => subject.rows.length === 1 && subject.ledger?.claims.length === 2;
  await subject.until('the former ones are gone', () => one() && subject.isReady);
  const [file, ...others] = subject.privateRows;
  expect(others).toEqual([]);
  expect(subject.row).toMatchObject({ url: `internal-db://${file?.id}` });
  expect(subject.world.backend.bytes(file?.id ?? '')).toBe(bytes);
}

const nothing = (subject: Subject): void => expect([...subject.rows, ...subject.privateRows]).toEqual([]);

/** A whole life, in which the process dies once. */
async function liveThrough({ world, create }: Trial, point: CrashPoint): Promise<void> {
  let isPending = true;
  const through = async (subject: Subject, phase: () => Promise<void>): Promise<void> => {
    try {
      await phase();
    } catch (error) {
      if (!isPending || !(error instanceof Error) || error.message !== 'the process died') throw error;
      isPending = false;
      await world.restart();
      world.clock.leap(quarantineMs);
      await phase();
    }
    subject.check();
  };
  const subject = await create();
  subject.most = 2;
  world.crashAt(point.at, point.side, point.nth);
  await through(subject, () => has(subject, '2'));
  await subject.edit(edited);
  await through(subject, () => has(subject, '7'));
  await subject.remove();
  await through(subject, () => subject.gone());
  nothing(subject);
  expect(isPending).toBe(false);
}

const times: Readonly<Record<string, number>> = { claim: 11, PUT: 2, POST: 2, DELETE: 4, status: 2, release: 1 };
const points = Object.entries(times).flatMap(([at, most]) =>
  Array.from({ length: most }, (_, n) => n + 1).flatMap((nth) =>
    (['before', 'after'] as const).map((side): CrashPoint => ({ at: at as CrashPoint['at'], side, nth })),
  ),
);

const crashes = points.map(
  (point): SpecialCase => ({
    name: `nothing is left when the process dies ${point.side} the ${point.at} ${point.nth}`,
    run: (trial) => liveThrough(trial, point),
  }),
);

const lost: readonly (readonly [name: string, fault: Fault])[] = [
  ['was lost after the commit', { act: 'lose', after: 'commit' }],
  ['was lost before the commit', { act: 'lose', after: 'nothing' }],
  ['is a 500', own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error')],
];

const losses = (['PUT', 'POST', 'DELETE'] as const).flatMap((method) =>
  lost.flatMap(([what, fault]) =>
    [files, 'job-binaries'].map(
      (collection): SpecialCase => ({
        name: `nothing is left when the answer to a ${method} of ${collection} ${what}`,
        async run({ world, create }) {
          world.proxy.on({ method, collection }, fault, 1);
          const subject = await create();
          subject.most = 2;
          await has(subject, '2');
          world.proxy.on({ method, collection }, fault, 1);
          await subject.edit(edited);
          await subject.ready();
          world.clock.leap(quarantineMs);
          await subject.until('the former ones are gone', () => subject.ledger?.claims.length === 2);
          await has(subject, '7');
          world.proxy.on({ method, collection }, fault, 1);
          await subject.remove();
          await subject.gone();
          nothing(subject);
        },
      }),
    ),
  ),
);

const late: SpecialCase = {
  name: 'bytes that come late, when others are wanted, are deleted',
  async run({ world, create }) {
    world.proxy.on({ method: 'PUT', collection: files }, { act: 'hang' }, 1);
    const subject = await create();
    await subject.passes(1);
    await subject.edit(edited);
    await subject.ready();
    await world.proxy.deliver();
    expect(subject.privateRows).toHaveLength(2);
    await has(subject, '7');
  },
};

const back: SpecialCase = {
  name: 'bytes that are wanted again while they are perhaps being deleted are stored anew',
  async run({ world, createReady }) {
    const subject = await createReady();
    subject.most = 2;
    const [file] = subject.privateRows;
    await subject.edit(edited);
    const rule = world.proxy.on({ method: 'DELETE', collection: files }, { act: 'hang' }, 1);
    await subject.until('a DELETE is under way', () => rule.hits === 1);
    await subject.edit({ content: { inline: '2' } });
    await subject.passes(3);
    expect(subject.condition('Ready')?.message).toContain(`waiting for the old Internal binary ${file?.name}`);
    expect(subject.sent('POST')).toHaveLength(2);
    await world.proxy.deliver();
    await has(subject, '2');
    expect(subject.privateRows.map(({ id }) => id)).not.toContain(file?.id);
  },
};

const theft: readonly SpecialCase[] = [
  {
    name: 'bytes that somebody deletes before the job binary refers to them are stored again',
    async run({ world, create }) {
      const subject = await create();
      await subject.pass();
      expect([subject.privateRows.length, subject.rows.length]).toEqual([1, 0]);
      world.backend.drop('jobBinaryInternals', subject.privateRows[0]?.id ?? '');
      await has(subject, '2');
    },
  },
  {
    name: 'bytes that somebody deletes afterwards are reported with the remedy, which works',
    async run({ world, createReady }) {
      const subject = await createReady();
      subject.most = 2;
      const [file] = subject.privateRows;
      world.backend.drop('jobBinaryInternals', file?.id ?? '');
      await subject.until('reported', () => !subject.isReady);
      expect(subject.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'ExternalDeleted',
        message: `Internal binary ${file?.name} (${file?.id}) was deleted in the service, not by this operator, and the object that exists refers to it. To create another one, change spec.content, or delete this resource and apply it again`,
      });
      await subject.edit(edited);
      await has(subject, '7');
      await subject.remove();
      await subject.gone();
      nothing(subject);
    },
  },
  {
    name: 'bytes that a job binary of somebody else refers to stay',
    async run({ world, createReady }) {
      const subject = await createReady();
      subject.most = 2;
      const [file] = subject.privateRows;
      const stranger = { ...subject.row, id: '5f3c2a10-98ab-4a5f-9d3e-0123456789ab', name: 'stranger' };
      world.backend.put('jobBinaries', stranger as never);
      await subject.edit(edited);
      await subject.ready();
      await subject.passes(8);
      expect(subject.privateRows.map(({ id }) => id)).toContain(file?.id);
      world.backend.drop('jobBinaries', stranger.id);
      await has(subject, '7');
    },
  },
];

const refusals: readonly SpecialCase[] = [
  {
    name: 'too many bytes are InvalidSpec with both numbers',
    async run({ world, create }) {
      const words = 'cannot keep binary: it is larger than 1024 bytes';
      const rule = world.proxy.on({ method: 'PUT', collection: files }, own(400, 'DATA_TOO_BIG', words));
      const subject = await create();
      await subject.passes(2);
      expect(subject.condition('Stalled')).toMatchObject({
        reason: 'InvalidSpec',
        message: `spec.content: the file has 1 bytes, which is more than the service stores. The usual limit of a service is 5242880 bytes. It reports: ${words}. Make the file smaller, or put it where the service can read it and set spec.url`,
      });
      rule.lift();
      await subject.edit(edited);
      await has(subject, '7');
    },
  },
  {
    name: 'a service without jobs is sent nothing',
    async run({ world, create }) {
      for (const collection of [files, 'job-binaries'])
        world.proxy.on(
          { collection },
          { act: 'answer', reply: { status: 404, body: '{"error": 404, "error_message": "no"}' } },
        );
      const subject = await create();
      await subject.passes(3);
      expect(subject.condition('Ready')?.message).toContain('its service has no jobs (API v1.1)');
      expect(world.proxy.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
      await subject.remove();
      expect(subject.isGone).toBe(true);
    },
  },
];

/** `some`: without the lives in which the process dies or the service does not answer. */
export function storedBytes(share: 'some' | 'all'): void {
  const interrupted = share === 'all' ? [...crashes, ...losses] : [];
  runTable({
    title: 'the stored bytes of a JobBinary',
    namespace: `stored-bytes-${share}`,
    sample,
    cases: [...interrupted, late, back, ...theft, ...refusals],
  });
}
