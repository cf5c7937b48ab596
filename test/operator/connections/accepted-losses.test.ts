// What counts as lost: the current objects of the resources of a Connection, not the former revisions of templates.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { MassDeletions } from '../../../src/operator/connections/accepted-losses.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../src/operator/kinds/node-group-template/index.ts';
import type { Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import type { Claim } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { turnsDuring } from '../../support/turns.ts';
import { claimOf, installation, ledgerOf, resourceOf, templateSpec, usable, viewOf } from '../reconcile/support.ts';

const kind = nodeGroupTemplateKind;
const inTemplates = { kind, collection: 'node-group-templates' };
const numbers = [1, 2, 3, 4];
const claim = (role: Claim['role'], id: string, hash: string) =>
  claimOf({ role, collection: 'node-group-templates', name: `n-${id}`, id, hash });
const templates = numbers.map((number) => {
  const uid = `uid-${number}`;
  const claims = [claim('revision', `then-${number}`, 'then0000'), claim('main', `now-${number}`, 'now00000')];
  return resourceOf({ kind, spec: templateSpec, metadata: { uid, name: uid }, ledger: ledgerOf(claims, { uid }) });
});

function lossOf(
  rows: readonly string[],
  resources: readonly RawResource[] = templates,
  { kind: shown, collection }: { readonly kind: Kind; readonly collection: string } = inTemplates,
) {
  const view = viewOf(rows.map((id) => ({ id, name: `n-${id}` })));
  const peek = ({ path }: { readonly path: string }) => (path === collection ? view : undefined);
  const service = usable({ service: { inventory: { peek } } as never });
  const losses = new MassDeletions({
    store: { read: () => undefined, list: (of) => (of === shown.definition.kind ? resources : []) },
    connections: { lookup: () => service },
    installation,
    check: () => undefined,
  });
  return losses.of({ kind: 'Connection', namespace: 'team-a', name: 'default' });
}

/** Through a SharedConnection: which namespaces are held up, of those that lack so many of their five objects each. */
async function heldUp(lacking: readonly number[]): Promise<readonly boolean[]> {
  const shared = { ...templateSpec, connectionRef: { kind: 'SharedConnection', name: 'platform' } };
  const idOf = (team: number, number: number) => `${team}-${number}`;
  const five = [0, 1, 2, 3, 4];
  const resources = lacking.flatMap((_, team) =>
    five.map((number) => {
      const uid = `uid-${team}-${number}`;
      const ledger = ledgerOf([claim('main', idOf(team, number), 'now00000')], { uid });
      return resourceOf({ kind, spec: shared, metadata: { uid, name: uid, namespace: `team-${team}` }, ledger });
    }),
  );
  const left = lacking.flatMap((lost, team) => five.slice(lost).map((number) => idOf(team, number)));
  const view = viewOf(left.map((id) => ({ id, name: `n-${id}` })));
  const peek = ({ path }: { readonly path: string }) => (path === inTemplates.collection ? view : undefined);
  const losses = new MassDeletions({
    store: { read: () => undefined, list: (of) => (of === kind.definition.kind ? resources : []) },
    connections: { lookup: () => usable({ service: { inventory: { peek } } as never }) },
    installation,
    check: () => undefined,
  });
  const key = { kind: 'SharedConnection', namespace: '', name: 'platform' };
  const held = await Promise.all(lacking.map((_, team) => losses.of(key, `team-${team}`)));
  const all = await losses.of(key);
  for (const one of held) if (one !== undefined) expect(one.hash).toBe(all?.hash);
  return held.map((one) => one !== undefined);
}

test.each<readonly [string, readonly number[], readonly boolean[]]>([
  ['nothing is lost', [0, 0, 0], [false, false, false]],
  ['of one namespace, which may have forged its ledgers', [5, 0, 0], [true, false, false]],
  ['a few of another one are no part of that', [5, 1, 0], [true, false, false]],
  ['of several, each of which lacks a few', [2, 2, 2], [true, true, true]],
  ['of all', [5, 5, 5], [true, true, true]],
])('namespaces that share a connection: %s', async (_what, lacking, expected) => {
  expect(await heldUp(lacking)).toEqual(expected);
});

const now = numbers.map((number) => `now-${number}`);
const then = numbers.map((number) => `then-${number}`);

test('former revisions that are gone are no loss', async () => {
  expect(await lossOf(now)).toBeUndefined();
});

test('current ones are, whatever is left of former ones', async () => {
  expect(await lossOf(then)).toMatchObject({ of: 4, gone: now.map((id) => `node-group-templates ${id}`) });
});

test('a current one that is being made again is lost no more, and no former one counts in its place', async () => {
  const again = templates.map((one, index) => {
    const { uid } = one.metadata;
    const { id: _gone, ...place } = claim('main', `now-${index}`, 'now00000');
    const ledger = ledgerOf([claim('revision', `then-${index}`, 'then0000'), place], { uid });
    return resourceOf({ kind, spec: templateSpec, metadata: { uid, name: uid }, ledger });
  });
  expect(await lossOf([], again)).toBeUndefined();
});

test('runs that are gone are no loss: they are never made again, and services delete old ones', async () => {
  const inRuns = { kind: jobExecutionKind, collection: 'job-executions' };
  const executions = numbers.map((number) => {
    const uid = `run-${number}`;
    const claims = [claimOf({ collection: 'job-executions', name: `${uid}-1`, id: uid })];
    const spec = { jobID: 'j', clusterID: 'c' };
    return resourceOf({
      kind: jobExecutionKind,
      spec,
      metadata: { uid, name: uid },
      ledger: ledgerOf(claims, { uid }),
    });
  });
  expect(await lossOf([], executions, inRuns)).toBeUndefined();
});

test('thousands that have nothing in the service yet leave the event loop its turns, too', async () => {
  const many = Array.from({ length: 3_200 }, () => resourceOf({ kind, spec: templateSpec }));
  const { turns, answer } = await turnsDuring(() => lossOf([], many));
  expect(answer).toBeUndefined();
  expect(turns).toBeGreaterThanOrEqual(50);
});
