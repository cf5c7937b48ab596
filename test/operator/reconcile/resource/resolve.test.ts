// References as the specs of now have them: what was edited, or refers to what was, is awaited until its new revision is there.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { ContentKind, Kind, ResourceReference } from '../../../../src/operator/reconcile/kind/kind.ts';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { contentHash } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { type Key, keyText } from '../../../../src/operator/reconcile/pass-ports.ts';
import { leadElsewhere } from '../../../../src/operator/reconcile/resource/references.ts';
import { resolve } from '../../../../src/operator/reconcile/resource/resolve.ts';
import { claimOf, conditionsAs, image, installation, ledgerOf, resourceOf, templateSpec, wall } from '../support.ts';

const all = new Map([clusterKind, clusterTemplateKind, nodeGroupTemplateKind].map((one) => [one.definition.kind, one]));
const small = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [{ name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } }],
};
const larger = { ...templateSpec, flavorID: '4' };
const never = () => {
  throw new Error('it refers to nothing');
};
const hashOf = (kind: ContentKind, spec: unknown, of: (reference: ResourceReference) => string = never) =>
  contentHash(kind.content(spec as Record<string, unknown>, of));
const workerHash = hashOf(nodeGroupTemplateKind, templateSpec);
const smallHash = hashOf(clusterTemplateKind, small, () => workerHash);

const made = (hash: string, role: Claim['role'] = 'main') =>
  claimOf({ role, name: `n-${hash}`, id: `id-${hash}`, hash });
const worker = (spec: unknown = templateSpec, claims: readonly Claim[] = [made(workerHash)], deleting = false) =>
  resourceOf({ kind: nodeGroupTemplateKind, spec, ledger: ledgerOf(claims), deleting, metadata: { name: 'worker' } });
const template = (spec: unknown = small, claims: readonly Claim[] = [made(smallHash)], more: object = {}) =>
  resourceOf({ kind: clusterTemplateKind, spec, ledger: ledgerOf(claims), metadata: { name: 'small' }, ...more });
const cluster = resourceOf({ spec: { clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo' } });

function resolved(resources: readonly RawResource[], kinds: ReadonlyMap<string, Kind> = all) {
  const known = new Map(resources.map((one) => [keyText({ ...one.metadata, kind: one.kind } as Key), one]));
  const list = (kind: string) => resources.filter((one) => one.kind === kind);
  const store = { read: (key: Key) => known.get(keyText(key)), list };
  return resolve({ store, kinds, installation }, clusterKind, cluster);
}

const another = { ...small, description: 'x', pluginName: 'hdp' };
const message = 'spec.clusterTemplateRef: the new revision of ClusterTemplate small does not exist yet';

describe('what a cluster refers to', () => {
  test.each<readonly [string, readonly RawResource[], object]>([
    [
      'is there as its spec says',
      [template(), worker()],
      { state: 'resolved', id: `id-${smallHash}`, hash: smallHash },
    ],
    [
      'differs in words for people only',
      [template({ ...small, description: 'new words' }), worker()],
      { state: 'resolved' },
    ],
    [
      'was edited',
      [template(another), worker()],
      { state: 'awaited', message, former: { hash: smallHash, claims: [{ hash: smallHash }] } },
    ],
    [
      'refers to what was edited',
      [template(), worker(larger)],
      { state: 'awaited', message, former: { hash: smallHash } },
    ],
    [
      'refers to what was edited, of which the new revision is there',
      [template(), worker(larger, [made(hashOf(nodeGroupTemplateKind, larger)), made(workerHash, 'revision')])],
      { state: 'awaited', former: { hash: smallHash } },
    ],
    ['refers to what is gone: it keeps what it has', [template()], { state: 'resolved', id: `id-${smallHash}` }],
    ['refers to what is going', [template(), worker(larger, [made(workerHash)], true)], { state: 'resolved' }],
    ['has a spec that cannot be read', [template({ nodeGroups: 7 }), worker()], { state: 'resolved' }],
    [
      'is of a ledger that tells no content',
      [template(another, [claimOf({ id: 'id-1' })]), worker()],
      { state: 'resolved' },
    ],
    [
      'has only a former revision, and the one of its spec is made again',
      [template(small, [made('former00', 'revision'), claimOf({ name: 'n', hash: smallHash })]), worker()],
      { state: 'awaited', message: expect.stringContaining('is not ready yet') },
    ],
  ])('%s', (_name, resources, expected) => {
    expect(resolved(resources)).toMatchObject([expected]);
  });

  test('is told with the reason why its new revision is not there', () => {
    const conditions = conditionsAs(2, wall, [['Stalled', 'True', 'InvalidSpec', 'spec.pluginName is wrong']]);
    const stalled = template(another, [made(smallHash)], { status: { observedGeneration: 2, conditions } });
    const told = expect.stringMatching(/does not exist yet: InvalidSpec: spec\.pluginName is wrong$/);
    expect(resolved([stalled, worker()])).toMatchObject([{ state: 'awaited', message: told }]);
  });

  test('does not exist: a similar name in the same namespace may have been meant', () => {
    const named = (name: string, namespace = 'team-a') => template(small, [], { metadata: { name, namespace } });
    const messageOf = (...others: readonly RawResource[]) => (resolved(others)[0] as { message: string }).message;
    const missing = 'spec.clusterTemplateRef: ClusterTemplate small does not exist in this namespace';
    const remedy =
      'Create it, or, because spec.clusterTemplateRef is immutable, delete this Cluster (nothing was created yet) and apply it with the right name';
    expect(messageOf(named('smal'), named('large'))).toBe(`${missing}: did you mean smal? ${remedy}`);
    expect(messageOf(named('smal', 'team-b'), named('large'))).toBe(`${missing}. ${remedy}`);
  });

  test('does not exist any more: who was made of it is not told to start again', () => {
    const claims = [claimOf({ id: 'id-1', name: 'etl' })];
    const existing = resourceOf({ spec: cluster.spec, ledger: ledgerOf(claims) });
    const store = { read: () => undefined, list: () => [] };
    expect(resolve({ store, kinds: all, installation }, clusterKind, existing)).toMatchObject([
      { message: 'spec.clusterTemplateRef: ClusterTemplate small does not exist in this namespace. Create it' },
    ]);
  });

  test('does not exist, and its field can be edited', () => {
    const spec = { ...small, nodeGroups: [{ name: 'all', count: 1, nodeGroupTemplateRef: { name: 'worker' } }] };
    const store = {
      read: () => undefined,
      list: () => [{ ...worker(), metadata: { ...worker().metadata, name: 'workers' } }],
    };
    const referrer = resourceOf({ kind: clusterTemplateKind, spec });
    expect(resolve({ store, kinds: all, installation }, clusterTemplateKind, referrer)).toMatchObject([
      {
        message: expect.stringMatching(
          /NodeGroupTemplate worker does not exist in this namespace: did you mean workers\? Create it, or set spec\.nodeGroups\[all\]\.nodeGroupTemplateRef to the right name$/,
        ),
      },
    ]);
  });

  test('is being deleted: it is applied again, or another one takes its place', () => {
    const leaving = template(small, [made(smallHash)], { deleting: true });
    const [found] = resolved([leaving, worker()]);
    expect((found as { message: string }).message).toBe(
      'spec.clusterTemplateRef: ClusterTemplate small is being deleted. Apply ClusterTemplate small again once it is gone, or, because spec.clusterTemplateRef is immutable, delete this Cluster (nothing was created yet) and apply it with another name',
    );
  });

  test('does not exist for a run of a schedule: the next one is made from a corrected template', () => {
    const controller = {
      apiVersion: cluster.apiVersion,
      kind: 'JobSchedule',
      name: 'daily',
      uid: 's',
      controller: true,
    };
    const spec = { jobRef: { name: 'words' }, clusterID: image };
    const run = resourceOf({ kind: jobExecutionKind, spec, metadata: { ownerReferences: [controller] } });
    const store = { read: () => undefined, list: () => [] };
    expect(resolve({ store, kinds: all, installation }, jobExecutionKind, run)).toMatchObject([
      {
        message: expect.stringMatching(
          /Create it, or, because spec\.jobRef is immutable, delete this JobExecution \(nothing was created yet\) and correct spec\.template of JobSchedule daily, for its next run$/,
        ),
      },
    ]);
  });

  test('is taken as it is where its kind is not known', () => {
    expect(resolved([template(another), worker()], new Map())).toMatchObject([{ state: 'resolved' }]);
  });
});

test('nothing is resolved of a spec that cannot be read', () => {
  const odd = resourceOf({ spec: { clusterTemplateRef: 7 } });
  expect(resolve({ store: { read: never, list: never }, kinds: all, installation }, clusterKind, odd)).toEqual([]);
});

describe('what was resolved before', () => {
  const one = resolved([template(), worker()]);
  test.each<readonly [string, readonly RawResource[], boolean]>([
    ['is still there', [template(), worker()], false],
    [
      'is another object by now',
      [
        template(
          small,
          [made(smallHash)].map((claim) => ({ ...claim, id: 'x' })),
        ),
        worker(),
      ],
      true,
    ],
    ['was edited meanwhile', [template(another), worker()], true],
    ['is gone', [], true],
    ['refers to what was edited meanwhile', [template(), worker(larger)], true],
  ])('%s', (_name, now, elsewhere) => {
    expect(leadElsewhere(one, resolved(now))).toBe(elsewhere);
  });

  test('and led nowhere cannot lead elsewhere', () => {
    expect(leadElsewhere(resolved([]), one)).toBe(false);
    expect(leadElsewhere([], one)).toBe(false);
  });
});
