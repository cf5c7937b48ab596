// What is told of the plans for a file, and with which exit code.
import { describe, expect, test } from 'vitest';
import type { Observed } from '../../../src/cli/observed.ts';
import { painter } from '../../../src/cli/output/page.ts';
import { applyPatch } from '../../../src/cli/preview/apply-patch.ts';
import { exitCodeOf, type FilePlan, type InFile, toldOf, untagged } from '../../../src/cli/preview/file-plans.ts';
import { filePlansPage } from '../../../src/cli/preview/file-plans-page.ts';
import { SeenObjects } from '../../../src/cli/preview/seen-objects.ts';
import { specChanges } from '../../../src/cli/preview/spec-changes.ts';
import { clusterName } from '../../../src/operator/reconcile/ledger/naming.ts';
import { refuse, waiting } from '../../../src/operator/reconcile/outcome.ts';
import type { Preview } from '../../../src/operator/reconcile/preview.ts';
import { scaling } from '../plan/objects.ts';

const write = { ...scaling, verb: 'Scale' } as const;
const blocker = {
  kind: 'ClusterTemplate',
  name: 'small',
  reason: 'DependencyNotReady',
  message: 'it is not there',
} as const;
const notReady = waiting('kubernetes', 'DependencyNotReady', 'it is not there', [blocker]);
const ofFile: InFile = ({ kind, name }) => (`${kind} ${name}` === 'ClusterTemplate small' ? 'creates' : undefined);

const told = (given: Omit<Preview, 'notes'>, more: { readonly policy?: string; readonly isNew?: boolean } = {}) =>
  toldOf({ preview: { notes: [], ...given }, policy: 'Manage', isNew: false, inFile: ofFile, ...more });

describe('what comes of an object', () => {
  test.each<[string, Omit<Preview, 'notes'>, object]>([
    ['a write', { write }, { state: 'changes', plan: write }],
    ['a write in Kubernetes', { doing: 'creates a Cluster' }, { state: 'changes', message: 'creates a Cluster' }],
    ['all is there', { outcome: { result: 'settled' } }, { state: 'nothing' }],
    [
      'it is suspended',
      { outcome: { result: 'held', message: 'suspended' } },
      { state: 'nothing', message: 'suspended' },
    ],
    [
      'it waits for what is in the file',
      { outcome: notReady },
      { state: 'waits', message: 'waits for ClusterTemplate small, which FILE creates' },
    ],
    [
      'it waits for what is nowhere',
      { outcome: { ...notReady, blockedOn: [{ ...blocker, name: 'large' }] } },
      { state: 'waits', message: 'it is not there' },
    ],
    ['it is refused', { outcome: refuse('InvalidSpec', 'no') }, { state: 'refused', message: 'InvalidSpec: no' }],
    [
      'the service does not answer',
      { outcome: { result: 'failed', reason: 'UpstreamError', message: 'no answer', cause: undefined } },
      { state: 'unknown', message: 'no answer' },
    ],
    ['one look is not enough', { outcome: { result: 'requeue' } }, { state: 'unknown' }],
  ])('%s', (_what, given, expected) => {
    expect(told(given)).toMatchObject(expected);
  });

  test('a plan that waits for approval changes something, and one that is only observed does not', () => {
    const held = { outcome: { result: 'held', message: 'held', plan: write } } as const;
    expect(told(held, { policy: 'Plan' })).toMatchObject({ state: 'changes', plan: write });
    expect(told(held, { policy: 'Observe' })).toMatchObject({ state: 'nothing', plan: write, message: 'held' });
  });

  test('of a new object, nothing is shown that depends on its uid', () => {
    const of = { uid: '7d3f', installation: 'tests' };
    const name = clusterName({ name: 'etl', ...of }, 6);
    const plan = { ...write, object: `Cluster ${name}`, changes: [{ path: 'name', to: name }] };
    const shown = untagged(told({ write: plan }), of);
    expect(shown.plan).toEqual({
      verb: 'Scale',
      object: 'Cluster etl-(generated)',
      destructive: true,
      changes: [{ path: 'name', to: 'etl-(generated)' }],
    });
  });
});

const planned = (state: FilePlan['state'], more: Partial<FilePlan> = {}): FilePlan => ({
  kind: 'Cluster',
  namespace: 'team',
  name: 'etl',
  object: 'changed',
  state,
  notes: [],
  ...more,
});

test.each([
  [0, ['nothing', 'nothing']],
  [1, ['nothing', 'changes']],
  [1, ['waits']],
  [2, ['changes', 'unknown']],
  [2, ['refused']],
] as const)('exits with %i for %j', (code, states) => {
  const plans = states.map((state) => planned(state));
  expect(exitCodeOf({ plans, notLookedAt: [], warnings: [] })).toBe(code);
});

test('the page has a block for each object, and what was not looked at', () => {
  const plans = [
    planned('changes', { plan: write }),
    planned('nothing', { object: 'unchanged', message: 'the service has what the spec asks for' }),
    planned('unknown', { message: 'no Secret\u001b[2J', spec: [{ path: 'spec.count', from: '1', to: '2' }] }),
  ];
  const notLookedAt = [{ kind: 'Secret', namespace: 'team', name: 'keys' }];
  expect(filePlansPage({ plans, notLookedAt, warnings: [] }, painter(false))).toBe(`\
Plan for Cluster team/etl, which FILE changes
Does       Scale Cluster etl-x1 (id-1)
Risk       destructive: it deletes, cancels, removes or scales down something
Changes    spec.nodeGroups[worker].count: 5 -> 3
Hash       1f0c2d3e4b5a6978

No change for Cluster team/etl, which FILE leaves as it is
Because    the service has what the spec asks for

Plan for Cluster team/etl, which FILE changes
Unknown    no Secret?[2J
Changes    spec.count: 1 -> 2

Not looked at: Secret team/keys

1 object changes something in the service, 1 object changes nothing there, 1 object is not known. Nothing was written.
`);
});

describe('an object is applied as before', () => {
  const object = { apiVersion: 'v1', kind: 'Cluster', metadata: { name: 'etl' }, spec: { a: 1 } };
  const before = (metadata: object) => ({ ...object, metadata: { name: 'etl', ...metadata } }) as unknown as Observed;
  const applied = (manager: string, time: string, more: object = {}) => ({
    manager,
    time,
    operation: 'Apply',
    fieldsV1: { 'f:spec': {} },
    ...more,
  });

  test('on the server, by the manager that did so last', () => {
    const managedFields = [
      applied('flux', '2026-01-01T00:00:00Z'),
      applied('argocd', '2026-01-02T00:00:00Z'),
      applied('operator', '2026-01-03T00:00:00Z', { fieldsV1: { 'f:metadata': {} } }),
      applied('operator', '2026-01-03T00:00:00Z', { subresource: 'status' }),
    ];
    expect(applyPatch(object, before({ managedFields }))).toMatchObject({
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'argocd', force: true },
      body: object,
    });
    expect(applyPatch(object, undefined).query).toEqual({ fieldManager: 'kubectl', force: true });
  });

  test('by kubectl, so that what was applied before and is not any more is removed', () => {
    const last = JSON.stringify({ ...object, spec: { a: 0, b: { c: 1, d: 1 }, e: [1] } });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': last };
    const wanted = { ...object, spec: { a: 1, b: { c: 2 } } };
    expect(applyPatch(wanted, before({ annotations }))).toMatchObject({
      contentType: 'application/merge-patch+json',
      body: { spec: { a: 1, b: { c: 2, d: null }, e: null } },
    });
  });
});

test('specs are compared field by field, and lists by the names of their entries', () => {
  const group = (name: string, count: number) => ({ name, count });
  expect(
    specChanges(
      { a: 'x', nodeGroups: [group('m', 1), group('w', 2)], tags: ['a'] },
      { a: 'x', nodeGroups: [group('m', 1), group('w', 3)], tags: ['a', 'b'], more: { b: true } },
    ),
  ).toEqual([
    { path: 'spec.nodeGroups[w].count', from: '2', to: '3' },
    { path: 'spec.tags', from: '["a"]', to: '["a","b"]' },
    { path: 'spec.more', to: '{"b":true}' },
  ]);
});

test('what a preview keeps of a ledger stays with it', async () => {
  const metadata = { name: 'etl', namespace: 'team', uid: 'u', resourceVersion: '1', generation: 1 };
  const resource = { apiVersion: 'v1', kind: 'Cluster', metadata };
  const store = new SeenObjects([resource]);
  await store.claim(resource, '{}');
  expect(store.read({ kind: 'Cluster', namespace: 'team', name: 'etl' })?.metadata).toMatchObject({
    finalizers: ['dataprocessing.dev/external'],
    annotations: { 'dataprocessing.dev/ledger': '{}' },
  });
  await expect(store.writeStatus()).rejects.toThrow('writes nothing');
});
