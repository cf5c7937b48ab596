// What events tell of plans that wait, and of approvals of other ones.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import type { Outcome } from '../../../src/operator/reconcile/outcome.ts';
import type { EventNote } from '../../../src/operator/reconcile/pass-ports.ts';
import { report } from '../../../src/operator/reconcile/report.ts';
import { runOf } from './running.ts';
import { clusterSpec, resourceOf, usable } from './support.ts';

const ignoring = (value: string) => `The annotation is ignored, because its value is ${value}`;
const waitsFor = (hash: string, value?: string): Outcome => {
  const ignored = value === undefined ? undefined : ignoring(value);
  const plan = { hash, verb: 'Create', object: 'Cluster etl', destructive: false } as const;
  return { result: 'held', message: `waiting. ${ignored ?? ''} =${hash}`, plan, ignored };
};

/** Passes of one process after the other, each of which finds the status that the one before has written. */
function passes() {
  let resource: RawResource = resourceOf({ spec: { ...clusterSpec, policy: 'Plan' } });
  return async (outcome: Outcome): Promise<readonly string[]> => {
    const events: string[] = [];
    const emit = ({ reason, note }: EventNote) => void events.push(`${reason} ${note.split('=').at(-1)}`);
    const writeStatus = async (before: RawResource, status: object) => {
      resource = { ...before, status: { ...(before.status as object), ...status } };
      return resource;
    };
    const silent = () => undefined;
    const pass = runOf(
      usable(),
      resource,
      [],
      {},
      {
        events: { emit },
        log: { debug: silent, info: silent, warn: silent, error: silent },
      },
    );
    Object.assign(pass.ports.store, { writeStatus });
    await report(pass, outcome, []);
    return events;
  };
}

test('a plan is told once, and each approval that is ignored once, with the hash that waits', async () => {
  const after = passes();
  expect(await after(waitsFor('one'))).toEqual(['PlanPending one']);
  expect(await after(waitsFor('one'))).toEqual([]);
  expect(await after(waitsFor('one', 'old'))).toEqual(['PlanChanged one']);
  expect(await after(waitsFor('one', 'old'))).toEqual([]);
  expect(await after(waitsFor('two', 'old')), 'the same approval').toEqual(['PlanPending two']);
  expect(await after(waitsFor('two', 'one'))).toEqual(['PlanChanged two']);
  expect(await after(waitsFor('two'))).toEqual([]);
});

test('a plan that the next pass carries out is told once, too', async () => {
  const after = passes();
  const plan = { hash: 'one', verb: 'Scale', object: 'Cluster etl', destructive: false } as const;
  const told = { result: 'progressed', reason: 'Scaling', message: 'about to scale it =one', plan } as const;
  expect(await after(told)).toEqual(['PlanPending one']);
  expect(await after(told)).toEqual([]);
});
