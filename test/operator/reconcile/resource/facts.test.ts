// A resource as a pass sees it: each part read on its own, however broken the others are.
import { describe, expect, test } from 'vitest';
import { defaultStatus } from '../../../../dev/generate/crd.ts';
import { isReady } from '../../../../src/operator/reconcile/resource/facts.ts';
import { conditionOf } from '../../../../src/operator/reconcile/resource/read-conditions.ts';
import { busyStatus, readyStatus } from '../status/concluding.ts';
import { claimOf, clusterSpec, factsOf, iso, ledgerOf, type ResourceOptions, wall } from '../support.ts';

const ledger = ledgerOf([claimOf({ id: 'id-1' })]);
const at = 'dataprocessing.dev/reconcile-requested-at';
const flux = 'reconcile.fluxcd.io/requestedAt';
const asked = (annotations: Readonly<Record<string, string>>, handled?: unknown): ResourceOptions => ({
  metadata: { annotations },
  status: { ...readyStatus, ...(handled === undefined ? {} : { lastHandledReconcileAt: handled }) },
});

describe('facts', () => {
  test.each<readonly [string, ResourceOptions, object]>([
    [
      'a newborn',
      {},
      {
        neverManaged: true,
        hasFinalizer: false,
        hasFinalizerAndLedger: false,
        deleting: false,
        ledger: { state: 'none' },
        observedGeneration: -1,
        connection: { kind: 'Connection', name: 'default' },
        deletionPolicy: undefined,
        progressDeadlineMs: 3_600_000,
      },
    ],
    ['a default that nobody wrote', { status: defaultStatus }, { neverManaged: true, conditions: [] }],
    [
      'one that we hold',
      { ledger },
      { neverManaged: false, hasFinalizer: true, hasFinalizerAndLedger: true, ledger: { state: 'ours' } },
    ],
    [
      'a finalizer alone: something may be in the service',
      { held: true },
      { neverManaged: false, hasFinalizerAndLedger: false },
    ],
    ['a status alone, too', { status: { observedGeneration: 0 } }, { neverManaged: false }],
    [
      'a mirror alone, too',
      { status: { observedGeneration: -1, ledger: JSON.stringify(ledger) } },
      { neverManaged: false, hasFinalizerAndLedger: false, ledger: { state: 'ours' } },
    ],
    [
      'a finalizer of others is not ours',
      { metadata: { finalizers: ['foregroundDeletion'] } },
      { neverManaged: true, hasFinalizer: false },
    ],
    ['deleting', { deleting: true, ledger }, { deleting: true, hasFinalizer: true }],
    [
      'a lifecycle in a broken spec',
      { spec: { nodeGroups: 7, lifecycle: { deleteAfterSeconds: 60 } } },
      { lifecycle: { ageMs: 60_000, releases: false }, spec: { ok: false } },
    ],
    [
      'a lifecycle beside what may restrain it and cannot be read',
      { spec: { suspend: 'yes', lifecycle: { deleteAfterSeconds: 60 } } },
      { lifecycle: undefined, spec: { ok: false } },
    ],
    [
      'a broken lifecycle',
      { spec: { ...clusterSpec, lifecycle: { deleteAfterSeconds: 'soon' } } },
      { lifecycle: undefined, spec: { ok: false } },
    ],
    [
      'a policy in a broken spec',
      { spec: { nodeGroups: 7, deletionPolicy: 'Orphan' } },
      { deletionPolicy: 'Orphan', spec: { ok: false } },
    ],
    ['a policy that is none', { spec: { ...clusterSpec, deletionPolicy: 'Keep' } }, { deletionPolicy: undefined }],
    ['a deadline', { spec: { ...clusterSpec, progressDeadlineSeconds: 60 } }, { progressDeadlineMs: 60_000 }],
    ['a deadline below zero', { spec: { progressDeadlineSeconds: -1 } }, { progressDeadlineMs: 3_600_000 }],
    ['no spec', { spec: null }, { deletionPolicy: undefined, connection: { kind: 'Connection', name: 'default' } }],
    ['a time of creation', { metadata: { creationTimestamp: iso(wall) } }, { createdAt: wall }],
    ['none', { metadata: { creationTimestamp: 'x' } }, { createdAt: 0 }],
    ['nobody asks for a look', {}, { requestedAt: undefined, isRequestHandled: true }],
    ['somebody asks for one', asked({ [at]: 'now' }), { requestedAt: 'now', isRequestHandled: false }],
    ['Flux asks for one', asked({ [flux]: 'now' }), { requestedAt: 'now', isRequestHandled: false }],
    ['ours before that of Flux', asked({ [flux]: 'a', [at]: 'b' }), { requestedAt: 'b' }],
    ['it was taken', asked({ [at]: 'now' }, 'now'), { isRequestHandled: true }],
    ['another one was', asked({ [at]: 'now' }, 'then'), { isRequestHandled: false }],
    [
      'a long request is echoed as far as status takes it',
      asked({ [at]: 'x'.repeat(300) }, 'x'.repeat(256)),
      { requestedAt: 'x'.repeat(256), isRequestHandled: true },
    ],
  ])('%s', (_name, options, expected) => {
    expect(factsOf(options)).toMatchObject(expected);
  });

  test('what is wrong with a spec: the first three, each with its path', () => {
    const { spec } = factsOf({
      spec: { ...clusterSpec, pluginName: 1, bigdataVersion: 2, userKeypairID: 3, description: 4 },
    });
    expect(spec.ok ? '' : spec.message.split('; ').map((part) => part.split(':')[0])).toHaveLength(3);
    expect(spec).toMatchObject({ message: expect.stringMatching(/^spec\.\w+: /) });
  });

  test.each<readonly [string, ResourceOptions, boolean]>([
    ['for its generation', { status: readyStatus }, true],
    ['for an older one', { status: readyStatus, metadata: { generation: 2 } }, false],
    ['not at all', { status: busyStatus }, false],
    ['never looked at', {}, false],
  ])('ready: %s', (_name, options, expected) => {
    expect(isReady(factsOf(options))).toBe(expected);
  });

  test('a status mangled by hand counts as far as it can be read', () => {
    const [good] = readyStatus.conditions;
    const facts = factsOf({ status: { observedGeneration: 'x', conditions: [null, { type: 'Synced' }, good] } });
    expect([facts.observedGeneration, facts.conditions]).toEqual([-1, [good]]);
    expect(conditionOf(facts, 'Ready')).toEqual(good);
    expect(factsOf({ status: { conditions: 'x' } }).conditions).toEqual([]);
  });
});
