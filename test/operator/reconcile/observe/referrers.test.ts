// Who refers to the revisions of a template: objects of the service, other resources by their words, and creates under way.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import type { View } from '../../../../src/operator/client/list/list-view.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { listReferrers } from '../../../../src/operator/reconcile/execute/reads.ts';
import type { Kind, RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import type { Claim, Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { observe } from '../../../../src/operator/reconcile/observe/observe.ts';
import {
  isAwaited,
  listReferencedIds,
  referringUsers,
  usersOf,
} from '../../../../src/operator/reconcile/observe/referrers.ts';
import type { Key, PassPorts } from '../../../../src/operator/reconcile/pass-ports.ts';
import { PassState } from '../../../../src/operator/reconcile/pass-state.ts';
import {
  attempts,
  claimOf,
  clusterSpec,
  installation,
  iso,
  ledgerOf,
  monotonic,
  quarantineMs,
  resourceOf,
  templateSpec,
  usable,
  viewOf,
  wall,
} from '../support.ts';

const current = claimOf({ role: 'main', name: 'n-now', id: 'id-now', hash: 'now00000' });
const former = claimOf({ role: 'revision', name: 'n-then', id: 'id-then', hash: 'then0000' });
const template = resourceOf({ kind: nodeGroupTemplateKind, spec: templateSpec, ledger: ledgerOf([former, current]) });

const referring = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [{ name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'etl' } }],
};
interface Other {
  readonly spec?: unknown;
  readonly claim?: Partial<Claim>;
  readonly ledger?: Partial<Ledger> | string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly deleting?: boolean;
  readonly held?: boolean;
}
const other = ({
  spec = referring,
  claim = {},
  ledger = {},
  namespace = 'team-a',
  uid = 'other',
  ...state
}: Other = {}) =>
  resourceOf({
    kind: clusterTemplateKind,
    spec,
    ...state,
    ledger: typeof ledger === 'string' ? ledger : ledgerOf([claimOf(claim)], { uid, ...ledger }),
    metadata: { uid, name: 'small', namespace },
  });

interface Around {
  readonly others?: readonly RawResource[];
  readonly clusters?: View<RemoteObject>;
  readonly templates?: View<RemoteObject>;
  readonly connected?: boolean;
  /** What a GET shows that no list does. */
  readonly unlisted?: readonly RemoteObject[];
  readonly now?: () => number;
}

function runAmong(around: Around, kind: Kind = nodeGroupTemplateKind, resource = template) {
  const {
    others = [],
    clusters = viewOf([]),
    templates = viewOf([]),
    connected = true,
    now = () => monotonic,
    unlisted = [],
  } = around;
  const asked: { readonly path: string; readonly notBefore: number }[] = [];
  const observe = ({ path }: { readonly path: string }, wanted: { readonly notBefore: number }) => {
    asked.push({ path, notBefore: wanted.notBefore });
    return Promise.resolve(path === 'clusters' ? clusters : templates);
  };
  const gets: string[] = [];
  const getById = async ({ path }: { readonly path: string }, id: string) => {
    gets.push(`${path}/${id}`);
    return { sentAt: monotonic, row: unlisted.find((row) => row.id === id) };
  };
  const budget = { limits: { requestsPerSecond: Number.POSITIVE_INFINITY } };
  const isGone = ({ path }: { readonly path: string }, id: string) => gets.includes(`${path}/${id}`);
  const service = usable({
    service: { inventory: { observe, getById, isGone, droppedAt: () => undefined }, budget } as never,
  });
  const kinds = [clusterKind, clusterTemplateKind, nodeGroupTemplateKind, jobExecutionKind];
  const listed: (readonly [kind: string, of: Key | undefined])[] = [];
  const list = (of: string, key?: Key) => {
    listed.push([of, key]);
    return [...others, resource].filter((one) => one.kind === of);
  };
  const ports = {
    store: { read: () => undefined, list },
    services: { lookup: () => (connected ? service : { state: 'missing', message: 'none', credentials: false }) },
    clock: { wall: () => wall, monotonic: now, after: () => () => undefined },
    kinds: new Map(kinds.map((one) => [one.definition.kind, one])),
    installation,
    quarantineMs,
  } as unknown as PassPorts;
  const context = { signal: new AbortController().signal, pollMs: 0 };
  return {
    run: new PassState(ports, { kind, resource, memory: { uid: 'x' }, context }),
    asked,
    listed,
    gets,
  };
}

const sentAgo = (ms: number) => attempts(1, iso(wall - ms));
const change = (ms: number) => ({ change: { generation: 1, target: {}, sentAt: iso(wall - ms), tries: 1 } });

describe('a request may still name it', () => {
  test.each<readonly [string, readonly Other[], boolean]>([
    ['nobody is there', [], false],
    ['one that is made, and nothing is open', [{ claim: { id: 'id-1' } }], false],
    ['its create is under way', [{ claim: sentAgo(0) }], true],
    ['its create was lost just now', [{ claim: sentAgo(quarantineMs - 1) }], true],
    ['its create is as old as the quarantine', [{ claim: sentAgo(quarantineMs) }], false],
    ['its create is of a time that cannot be read', [{ claim: attempts(1, 'once') }], true],
    ['its create was closed', [{ claim: attempts(0, iso(wall)) }], false],
    ['a change of it is under way', [{ claim: { id: 'id-1' }, ledger: change(0) }], true],
    ['a change of it is long over', [{ claim: { id: 'id-1' }, ledger: change(quarantineMs) }], false],
    [
      'it refers to another',
      [
        {
          spec: { ...referring, nodeGroups: [{ ...referring.nodeGroups[0], nodeGroupTemplateRef: { name: 'b' } }] },
          claim: sentAgo(0),
        },
      ],
      false,
    ],
    ['it is of another namespace', [{ claim: sentAgo(0), namespace: 'team-b' }], false],
    ['its spec cannot be read', [{ spec: { nodeGroups: 7 }, claim: sentAgo(0) }], false],
    ['its ledger cannot be read', [{ ledger: 'nonsense' }], false],
    ['its ledger was restored, and is not owned yet', [{ claim: sentAgo(0), ledger: { uid: 'before' } }], true],
    ['one of several', [{ claim: { id: 'id-1' } }, { claim: sentAgo(0), uid: 'second' }], true],
  ])('%s', async (_name, others, awaited) => {
    expect(await isAwaited(runAmong({ others: others.map(other) }).run)).toBe(awaited);
  });

  test('its own creates are none', async () => {
    const { uid } = template.metadata;
    expect(await isAwaited(runAmong({ others: [other({ claim: sentAgo(0), uid })] }).run)).toBe(false);
  });
});

describe('who may use it in the service', () => {
  const made = { id: 'id-1' };
  const elsewhere = { ...referring, nodeGroups: [{ name: 'w', count: 1, nodeGroupTemplateRef: { name: 'b' } }] };
  const baseline = [{ name: 'w', count: 1, nodeGroupTemplateId: 'id-then' }];
  test.each<readonly [string, Other, boolean]>([
    ['one that refers to it, and is made', { claim: made }, true],
    ['one that refers to it, and may be made', { claim: sentAgo(0) }, true],
    ['one that refers to it, of which nothing was made', {}, false],
    ['one that refers to another', { spec: elsewhere, claim: made }, false],
    ['one whose ledger names its id', { spec: elsewhere, claim: made, ledger: { baseline } }, true],
    ['one of another namespace', { claim: made, namespace: 'team-b' }, false],
    ['one whose ledger cannot be read', { ledger: 'id-then' }, false],
  ])('%s', async (_name, of, uses) => {
    const users = await usersOf(runAmong({ others: [other(of)] }).run, 'id-then');
    expect(users).toEqual(uses ? [{ kind: 'ClusterTemplate', name: 'small' }] : []);
  });

  test('no more than can be read, in the same order each time', async () => {
    const many = Array.from({ length: 30 }, (_, n) => {
      const one = other({ claim: made, uid: `u-${n}` });
      return { ...one, metadata: { ...one.metadata, name: `t-${String(29 - n).padStart(2, '0')}` } };
    });
    const { run, asked } = runAmong({ others: many });
    const names = (await usersOf(run, 'id-now')).map(({ name }) => name);
    expect(names).toEqual(Array.from({ length: 20 }, (_, n) => `t-${String(n).padStart(2, '0')}`));
    expect(asked).toEqual([]);
  });
});

describe('who keeps it from being deleted', () => {
  const made = { id: 'id-1' };
  const elsewhere = { ...referring, nodeGroups: [{ name: 'w', count: 1, nodeGroupTemplateRef: { name: 'b' } }] };
  test.each<readonly [string, Other, boolean]>([
    ['one that refers to it, and is made', { claim: made }, true],
    ['one that refers to it, and may be made', { claim: sentAgo(0) }, true],
    ['one that is being deleted, and may still be there', { claim: made, deleting: true }, true],
    ['one that is being deleted, and that we let go', { claim: made, deleting: true, held: false }, false],
    ['one of which nothing was made: it waits for what has this name next', {}, false],
    ['one that refers to another', { spec: elsewhere, claim: made }, false],
    ['one of another namespace', { claim: made, namespace: 'team-b' }, false],
  ])('%s', async (_name, of, keeps) => {
    const users = await referringUsers(runAmong({ others: [other(of)] }).run);
    expect(users).toMatchObject(keeps ? [{ kind: 'ClusterTemplate', name: 'small' }] : []);
    expect(users.map(({ ends }) => ends)).toEqual(keeps ? [of.deleting ? 'deletion' : undefined] : []);
  });

  test('the ledger of one that does not mention it is not read, because there may be thousands', async () => {
    const one = other({ spec: elsewhere, claim: made });
    const metadata = { ...one.metadata };
    Object.defineProperty(metadata, 'annotations', { get: () => expect.unreachable('its ledger was read') });
    expect(await referringUsers(runAmong({ others: [{ ...one, metadata }] }).run)).toEqual([]);
  });
});

describe('which runs keep their cluster from being deleted', () => {
  const cluster = resourceOf({ kind: clusterKind, spec: clusterSpec, ledger: ledgerOf([claimOf({ id: 'id-1' })]) });
  const runOn = (spec: object, of: { readonly namespace?: string; readonly ledger?: Ledger } = {}) =>
    resourceOf({
      kind: jobExecutionKind,
      spec,
      ledger: of.ledger ?? ledgerOf([claimOf({ name: 'marker', ...attempts(1) })], { uid: 'run' }),
      metadata: { uid: 'run', name: 'report', namespace: of.namespace ?? 'team-a' },
    });
  const onIt = { jobID: 'j', clusterRef: { name: 'etl' } };
  test.each<readonly [string, RawResource, boolean]>([
    ['one that may be in progress', runOn(onIt), true],
    ['one whose spec cannot be read', runOn({ clusterRef: { name: 'etl' }, args: 7 }), true],
    ['one on another cluster', runOn({ ...onIt, clusterRef: { name: 'other' } }), false],
    ['one of another namespace', runOn(onIt, { namespace: 'team-b' }), false],
    ['one of which nothing was begun', runOn(onIt, { ledger: ledgerOf([], { uid: 'run' }) }), false],
    ['a template that mentions the name', other({ claim: { id: 'id-1' } }), false],
  ])('%s', async (_name, one, keeps) => {
    const { run, listed } = runAmong({ others: [one] }, clusterKind, cluster);
    listed.length = 0;
    expect((await referringUsers(run)).map(({ name }) => name)).toEqual(keeps ? ['report'] : []);
    // There may be thousands of others.
    expect(listed).toEqual([['JobExecution', run.facts.key]]);
  });
});

describe('it is referred to', () => {
  const group = (id: string) => ({
    id: 'x',
    name: 'x',
    node_groups: [{ name: 'w', count: 1, node_group_template_id: id }],
  });
  test.each<readonly [string, Around, readonly string[] | undefined]>([
    ['by nobody', {}, []],
    ['by a cluster template of the service', { templates: viewOf([group('id-then')]) }, ['id-then']],
    ['by a cluster of the service', { clusters: viewOf([group('id-then')]) }, ['id-then']],
    ['by both, and another by one', { clusters: viewOf([group('b')]), templates: viewOf([group('a')]) }, ['b', 'a']],
    [
      'by the ledger of a cluster that may want a group of it back',
      { others: [other({ ledger: { baseline: [{ name: 'w', count: 1, nodeGroupTemplateId: 'id-then' }] } })] },
      ['id-then'],
    ],
    [
      'by a spec that names its id, of which nothing was made yet',
      {
        others: [
          other({ spec: { ...referring, nodeGroups: [{ name: 'w', count: 1, nodeGroupTemplateID: 'id-then' }] } }),
        ],
      },
      ['id-then'],
    ],
    ['by another namespace in words only', { others: [other({ ledger: 'id-then', namespace: 'team-b' })] }, []],
    ['perhaps by what cannot be read', { clusters: viewOf([], { complete: false }) }, undefined],
    ['nobody knows, because there is no service', { connected: false }, undefined],
  ])('%s', async (_name, around, ids) => {
    const found = await listReferencedIds(runAmong(around).run, nodeGroupTemplateKind, { notBefore: 7 });
    expect(found && [...found]).toEqual(ids);
  });

  test('by lists that were begun when they were asked for', async () => {
    const { run, asked } = runAmong({});
    await listReferencedIds(run, nodeGroupTemplateKind, { notBefore: 7 });
    expect(asked).toEqual([
      { path: 'clusters', notBefore: 7 },
      { path: 'cluster-templates', notBefore: 7 },
    ]);
  });
});

test('the lists are begun when all who may still name it were asked, however long that took', async () => {
  let now = monotonic;
  const others = Array.from({ length: 200 }, (_, at) => other({ claim: { id: `id-${at}` }, uid: `other-${at}` }));
  const { run, asked } = runAmong({ others, now: () => now });
  setImmediate(() => (now += 1));
  expect(await listReferrers(run, nodeGroupTemplateKind, monotonic)).toMatchObject({ awaited: false });
  expect(asked.length).toBeGreaterThan(0);
  for (const { notBefore } of asked) expect(notBefore).toBeGreaterThan(monotonic);
});

test('the service is not asked while a request that may still name it is open', async () => {
  const { run, asked, gets } = runAmong({ others: [other({ claim: sentAgo(0) })] });
  expect(await listReferrers(run, nodeGroupTemplateKind, monotonic)).toMatchObject({ awaited: true });
  expect([...asked, ...gets]).toEqual([]);
});

test.each([
  ['not asked for by id while such a request is open', sentAgo(0), []],
  ['asked for by id otherwise', {}, ['cluster-templates/id-9']],
] as const)('at each poll, what no list has is %s', async (_name, claim, expected) => {
  const lost = { collection: 'cluster-templates', name: 'small', id: 'id-9' };
  const { run, asked, gets } = runAmong({ others: [other({ claim: lost, uid: 'lost' }), other({ claim })] });
  await observe(run);
  expect(gets).toEqual(expected);
  expect(asked.map(({ path }) => path)).toEqual(['node-group-templates', 'clusters', 'cluster-templates']);
});

test.each([clusterSpec, 7])('what refers to nothing is not asked (%#)', async (spec) => {
  const cluster = resourceOf({ spec, ledger: ledgerOf([claimOf(sentAgo(0))]), metadata: { uid: 'c', name: 'c' } });
  expect(await isAwaited(runAmong({ others: [cluster] }).run)).toBe(false);
});

describe('a recorded object of another resource that the list lacks', () => {
  const referrer = { collection: 'cluster-templates', name: 'small', id: 'id-9' };
  const row = { id: 'id-9', name: 'small', node_groups: [{ name: 'w', count: 1, node_group_template_id: 'id-1' }] };

  test.each<readonly [string, readonly RemoteObject[], readonly string[]]>([
    ['is there by a GET: what it refers to is in use', [row], ['id-1']],
    ['is gone by a GET, too', [], []],
  ])('%s', async (_name, unlisted, ids) => {
    const { run, gets } = runAmong({ others: [other({ claim: referrer })], unlisted });
    expect([...((await listReferencedIds(run, nodeGroupTemplateKind, { notBefore: 7 })) ?? [])]).toEqual(ids);
    expect(gets).toEqual(['cluster-templates/id-9']);
  });

  test('of another service or tenant is in no list of this one, and not asked for', async () => {
    const pins: readonly Partial<Ledger>[] = [{ endpoint: 'http://elsewhere' }, { tenant: 'elsewhere' }];
    const others = pins.map((ledger, at) => other({ uid: `o-${at}`, claim: referrer, ledger }));
    const { run, gets } = runAmong({ others });
    expect([...((await listReferencedIds(run, nodeGroupTemplateKind, { notBefore: 7 })) ?? [])]).toEqual([]);
    expect(gets).toEqual([]);
  });

  test.each([21, 250])(
    'is one of %i that are gone: each is asked for once, and then nothing is in use',
    async (many) => {
      const others = Array.from({ length: many }, (_, at) =>
        other({ uid: `o-${at}`, claim: { ...referrer, id: `id-${at}` } }),
      );
      const { run, gets } = runAmong({ others });
      const search = () => listReferencedIds(run, nodeGroupTemplateKind, { notBefore: 7 });
      for (let asked = 100; asked < many; asked += 100) {
        expect(await search()).toBeUndefined();
        expect(gets).toHaveLength(asked);
      }
      for (let again = 0; again < 3; again += 1) {
        expect([...((await search()) ?? ['unknown'])]).toEqual([]);
        expect(new Set(gets).size).toBe(gets.length);
        expect(gets).toHaveLength(many);
      }
    },
  );
});
