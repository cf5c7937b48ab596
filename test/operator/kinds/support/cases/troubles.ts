// Every kind of trouble at every call of a whole life: said in the conditions, nothing is doubled, and all is well when it is over.
import { expect } from 'vitest';
import type { Match, Rule } from '../../../../support/service/service-proxy.ts';
import { type Case, forLate, forMade } from '../case.ts';
import { type NamedFault, troubles } from '../replies.ts';
import type { Trial } from '../sample.ts';
import type { Subject } from '../subject.ts';
import { quarantineMs } from '../world.ts';

interface Act {
  readonly subject: Subject;
  readonly trial: Trial;
  readonly trouble: NamedFault;
  /** The trouble begins, at this call. */
  readonly strike: (method: string, single?: boolean) => Rule;
}

/** What the conditions must say of a fault that is being retried. */
function expectRetry({ subject }: Act, call: string, { reason, says }: Pick<NamedFault, 'reason' | 'says'>): void {
  const seen = `at ${call}:\n${subject.describe()}`;
  expect(subject.condition('Ready'), seen).toMatchObject({ status: 'False', reason });
  expect(subject.condition('Ready')?.message, seen).toMatch(says);
  const abnormal = ['Reconciling', 'Stalled'].filter((type) => subject.condition(type)?.status === 'True');
  expect(abnormal, seen).toHaveLength(1);
}

async function lookUp(act: Act): Promise<void> {
  const { subject, trouble, trial } = act;
  const collection = trial.sample.readsReferent;
  if (collection === undefined) return;
  const rule = trial.world.proxy.on({ method: 'GET', collection }, trouble.fault);
  await subject.passes(2);
  expectRetry(act, 'the look at what it is made from', trouble);
  expect(subject.sent('POST')).toEqual([]);
  rule.lift();
}

async function create(act: Act): Promise<void> {
  const { subject, trouble, strike, trial } = act;
  const rule = strike('POST');
  await subject.passes(2);
  expectRetry(
    act,
    'the create',
    trial.sample.kind.identity === 'given' ? { ...trouble, ...trouble.onObject } : trouble,
  );
  rule.lift();
  const list = strike('GET');
  await subject.passes(1);
  expectRetry(act, 'the list of the create', trouble);
  list.lift();
  await subject.ready();
  await trial.world.proxy.deliver();
  await subject.passes(1);
  expect(subject.status.id).toBe(subject.row.id);
}

/** A blip is not shown; after three misses and five minutes it is. */
async function look({ subject, trouble, strike, trial }: Act): Promise<void> {
  const { world } = trial;
  const rule = strike('GET');
  world.clock.leap(120_000);
  const mark = world.trace.length;
  await subject.passes(2);
  expect(world.trace.slice(mark).filter((line) => line.startsWith('status'))).toEqual([]);
  expect(subject.isReady).toBe(true);
  world.clock.leap(300_000);
  await subject.passes(1);
  const lost = { status: 'Unknown', reason: 'ObservationFailed', message: expect.stringMatching(trouble.says) };
  expect(subject.condition('Ready')).toMatchObject(lost);
  expect(subject.condition('Synced')).toMatchObject({ status: 'Unknown', reason: 'ObservationFailed' });
  rule.lift();
  await subject.ready();
}

async function change(act: Act): Promise<void> {
  const { subject, trouble, trial } = act;
  const { change: wanted, kind } = trial.sample;
  if (!wanted) return;
  await subject.edit(wanted.edit);
  const rule = trial.world.proxy.on({ ...wanted.request, collection: subject.collection }, trouble.fault);
  // However often: a request that the service may not have heard is not one without effect.
  for (const passes of [1, 4]) {
    await subject.passes(passes);
    expectRetry(act, 'the change', { ...trouble, ...trouble.onObject });
  }
  rule.lift();
  await subject.ready();
  await trial.world.proxy.deliver();
  await subject.passes(1);
  expect(wanted.shows(subject)).toEqual(wanted.leadsTo);
  // Somebody else may undo what is done to a given object: that would be the next try.
  if (kind.identity !== 'given') expect(subject.ledger?.change).toBeUndefined();
}

async function end(act: Act): Promise<void> {
  const { subject, trouble, strike, trial } = act;
  // What the create left open has had its time.
  trial.world.clock.leap(quarantineMs);
  const list = strike('GET', false);
  await subject.remove();
  await subject.passes(2);
  expectRetry(act, 'the list of the deletion', trouble);
  list.lift();
  const rule = strike('DELETE');
  await subject.passes(2);
  expectRetry(act, 'the DELETE', { ...trouble, ...trouble.onDelete });
  rule.lift();
  if (trouble.provesAbsence || forMade(trial.sample) !== undefined) return subject.gone();
  const sight = strike('GET');
  await subject.until('it is looked for', () => sight.hits > 0);
  expectRetry(act, 'the look that confirms the deletion', trouble);
  sight.lift();
  await subject.gone();
}

const throughout: readonly Case[] = troubles.map((trouble) => ({
  name: `gets over ${trouble.name} at each of its calls`,
  isLong: trouble.isUsual !== true,
  without(sample) {
    const unmade = forMade(sample);
    return [
      ...(sample.readsReferent === undefined ? ['the look at what it is made from: there is none'] : []),
      ...(sample.change ? [] : ['the change: it cannot be changed']),
      ...(unmade === undefined ? [] : [`the look that confirms the deletion: ${unmade}`]),
      ...(trouble.provesAbsence && unmade === undefined
        ? ['the look that confirms the deletion: it is the proof']
        : []),
    ];
  },
  async run(trial) {
    const { world } = trial;
    const subject = await trial.create();
    const strike = (method: string, single?: boolean) => {
      const match: Match = { method, collection: subject.collection, ...(single === undefined ? {} : { single }) };
      return world.proxy.on(match, trouble.fault);
    };
    const act = { subject, trial, trouble, strike };
    for (const stage of [lookUp, create, look, change, end]) await stage(act);
    expect(subject.rows).toEqual([]);
  },
}));

const absent: Case = {
  name: 'says that its service has no such objects at all, sends it nothing, and can be deleted',
  isExact: true,
  void: forLate,
  async run({ create, world }) {
    const subject = await create();
    const fault = troubles.find(({ name }) => name === '404 of its framework')?.fault;
    if (!fault) throw new Error('no such trouble');
    world.proxy.on({ collection: subject.collection }, fault);
    await subject.passes(3);
    expect(subject.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'UpstreamError',
      message: expect.stringContaining('its service has no jobs (API v1.1): use a service that has, or delete'),
    });
    expect(world.proxy.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
    await subject.remove();
    expect(subject.isGone).toBe(true);
  },
};

export const troubleCases: readonly Case[] = [...throughout, absent];
