// References: what they resolve to, and what is awaited, in words that name the field and the cause.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { ledgerAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import {
  connectionOf,
  ledgerTexts,
  referenceText,
  resolveReference,
} from '../../../../src/operator/reconcile/resource/references.ts';
import { busyStatus } from '../status/concluding.ts';
import { attempts, claimOf, conditionsAs, installation, ledgerOf, resourceOf, templateSpec, wall } from '../support.ts';

const reference = { field: 'spec.nodeGroups[worker].nodeGroupTemplateRef', kind: 'NodeGroupTemplate', name: 'worker' };
const referrer = { connection: connectionOf(resourceOf()), installation };
const made = ledgerOf([claimOf({ role: 'revision', id: 'ngt-1', hash: 'abcdefgh' })]);
const template = (options: Parameters<typeof resourceOf>[0] = {}): RawResource =>
  resourceOf({ kind: nodeGroupTemplateKind, spec: templateSpec, ledger: made, ...options });
const retried = (reason: string) => ({
  observedGeneration: 1,
  conditions: conditionsAs(1, wall, [
    ['Ready', 'False', reason, 'the service does not know the flavor'],
    ['Reconciling', 'True', 'ProgressingWithRetry', 'see the condition Ready'],
  ]),
});
const waitingStatus = {
  observedGeneration: 1,
  conditions: conditionsAs(1, wall, [
    ['Ready', 'False', 'DependencyNotReady', 'spec.imageRef: it does not exist'],
    ['Reconciling', 'True', 'Progressing', 'see the condition Ready'],
    ['DependenciesReady', 'False', 'DependencyNotReady', 'see the condition Ready'],
  ]),
};
const unready = (reason: string, message: string) => ({
  observedGeneration: 1,
  conditions: conditionsAs(1, wall, [['Ready', 'False', reason, message]]),
});
const stalled = {
  observedGeneration: 1,
  conditions: conditionsAs(1, wall, [
    ['Ready', 'False', 'InvalidSpec'],
    ['Stalled', 'True', 'InvalidSpec', 'spec.flavorID is wrong'],
  ]),
};

describe('resolving', () => {
  test.each<readonly [string, RawResource | undefined, object]>([
    [
      'missing',
      undefined,
      { state: 'awaited', message: `${reference.field}: NodeGroupTemplate worker does not exist in this namespace` },
    ],
    [
      'deleting, although it still has its object',
      template({ deleting: true }),
      { state: 'awaited', message: expect.stringContaining('is being deleted') },
    ],
    [
      'never made',
      template({ ledger: ledgerOf([]) }),
      { state: 'awaited', message: expect.stringMatching(/is not ready yet$/) },
    ],
    ['being made', template({ ledger: ledgerOf([claimOf(attempts(1))]) }), { state: 'awaited' }],
    ['without any ledger', template({ ledger: undefined as never }), { state: 'awaited' }],
    [
      'stalled: with its own reason and text',
      template({ ledger: ledgerOf([]), status: stalled }),
      { state: 'awaited', message: expect.stringMatching(/not ready yet: InvalidSpec: spec\.flavorID is wrong$/) },
    ],
    [
      'refused, and tried again: with the text of the service',
      template({ ledger: ledgerOf([]), status: retried('ExternalRejected') }),
      {
        state: 'awaited',
        message: expect.stringMatching(/is not ready yet: ExternalRejected: the service does not know the flavor$/),
      },
    ],
    [
      'failed on the way to the service, and tried again: with its reason alone',
      template({ ledger: ledgerOf([]), status: retried('UpstreamError') }),
      { state: 'awaited', message: expect.stringMatching(/is not ready yet: UpstreamError$/) },
    ],
    [
      'waiting itself: with what it waits for',
      template({ ledger: ledgerOf([]), status: waitingStatus }),
      {
        state: 'awaited',
        message: expect.stringMatching(/is not ready yet: DependencyNotReady: spec\.imageRef: it does not exist$/),
      },
    ],
    [
      'waiting for the approval of its plan',
      template({ ledger: ledgerOf([]), status: unready('PlanPending', 'approve it with x=1') }),
      { state: 'awaited', message: expect.stringMatching(/is not ready yet: PlanPending: approve it with x=1$/) },
    ],
    [
      'waiting for what it is to adopt',
      template({ ledger: ledgerOf([]), status: unready('ExternalNotFound', 'the service has no template big') }),
      {
        state: 'awaited',
        message: expect.stringMatching(/is not ready yet: ExternalNotFound: the service has no template big$/),
      },
    ],
    [
      'expired, and its ledger is lost',
      template({ ledger: ledgerOf([]), status: unready('Expired', 'change spec.lifecycle') }),
      { state: 'awaited', message: expect.stringMatching(/is not ready yet: Expired: change spec\.lifecycle$/) },
    ],
    [
      'at work: nothing is wrong',
      template({ ledger: ledgerOf([]), status: busyStatus }),
      { state: 'awaited', message: expect.stringMatching(/is not ready yet$/) },
    ],
    [
      'of another connection',
      template({ spec: { ...templateSpec, connectionRef: { name: 'other' } } }),
      {
        state: 'wrong',
        message: expect.stringMatching(/Connection other.*uses Connection default; both must use the same/),
      },
    ],
    [
      'with a ledger that is not its own',
      template({ ledger: ledgerOf(made.claims, { uid: 'copied' }) }),
      { state: 'awaited' },
    ],
    ['made', template(), { state: 'resolved', id: 'ngt-1', hash: 'abcdefgh' }],
    [
      'made, and now stalled: its object is still there',
      template({ status: stalled }),
      { state: 'resolved', id: 'ngt-1' },
    ],
    [
      'made, with another create open',
      template({ ledger: ledgerOf([claimOf({ id: 'ngt-1', ...attempts(1) })]) }),
      { state: 'resolved', id: 'ngt-1' },
    ],
    [
      'known by the mirror alone',
      template({ ledger: undefined as never, status: { ledger: JSON.stringify(made) } }),
      { state: 'resolved', id: 'ngt-1' },
    ],
    [
      'with conditions mangled by hand',
      template({ ledger: ledgerOf([]), status: { conditions: [null, 7] } }),
      { state: 'awaited' },
    ],
    [
      'with conditions that are no list',
      template({ ledger: ledgerOf([]), status: { conditions: 'x' } }),
      { state: 'awaited' },
    ],
  ])('%s', (_name, resource, expected) => {
    expect(resolveReference(reference, resource, referrer)).toMatchObject({ ...expected, reference });
  });

  const ready = (generation: number, changes: object = {}) => ({
    status: {
      observedGeneration: generation,
      conditions: conditionsAs(generation, wall, [['Ready', 'True', 'Available']]),
    },
    ...changes,
  });
  test.each<readonly [string, RawResource, object]>([
    ['Ready', template(ready(1)), { state: 'resolved', id: 'ngt-1' }],
    ['there, and nothing is said of it yet', template(), { state: 'awaited' }],
    ['Ready for an older spec', template(ready(1, { metadata: { generation: 2 } })), { state: 'awaited' }],
    [
      'there, and not Ready: with its own reason and text',
      template({ status: stalled }),
      { state: 'awaited', message: expect.stringMatching(/not ready yet: InvalidSpec: spec\.flavorID is wrong$/) },
    ],
    ['Ready by its status alone', template({ ...ready(1), ledger: ledgerOf([]) }), { state: 'awaited' }],
    ['Ready and deleting', template({ ...ready(1), deleting: true }), { state: 'awaited' }],
  ])('what must be Ready: %s', (_name, resource, expected) => {
    expect(resolveReference({ ...reference, ready: true }, resource, referrer)).toMatchObject(expected);
  });

  test('the message names the field', () => {
    expect(resolveReference(reference, undefined, referrer)).toMatchObject({
      message: expect.stringMatching(/^spec\.nodeGroups\[worker\]/),
    });
  });
});

describe('reading leniently', () => {
  test.each<readonly [string, unknown, string]>([
    ['named', { connectionRef: { name: 'prod' } }, 'prod'],
    ['unset', {}, 'default'],
    ['no spec', undefined, 'default'],
    ['null', null, 'default'],
    ['a number', { connectionRef: { name: 7 } }, 'default'],
    ['empty', { connectionRef: { name: '' } }, 'default'],
    ['null inside', { connectionRef: null }, 'default'],
    ['of a kind that does not exist', { connectionRef: { kind: 'Secret', name: 'x' } }, 'x'],
  ])('the connection: %s', (_name, spec, name) => {
    const { namespace } = resourceOf().metadata;
    expect(connectionOf({ ...resourceOf(), spec })).toEqual({ kind: 'Connection', namespace, name });
  });

  test('a SharedConnection is in no namespace', () => {
    const spec = { connectionRef: { kind: 'SharedConnection', name: 'platform' } };
    expect(connectionOf({ ...resourceOf(), spec })).toEqual({
      kind: 'SharedConnection',
      namespace: '',
      name: 'platform',
    });
  });

  test('ledger texts', () => {
    expect(ledgerTexts(template(), ledgerAnnotation)).toEqual([JSON.stringify(made), undefined]);
    expect(ledgerTexts({ ...template(), status: null }, ledgerAnnotation)[1]).toBeUndefined();
    expect(ledgerTexts({ ...template(), status: { ledger: 7 } }, ledgerAnnotation)[1]).toBeUndefined();
    expect(ledgerTexts({ ...template(), status: { ledger: 'x' } }, 'other')).toEqual([undefined, 'x']);
  });

  test('as text a reference is its kind and name', () => {
    expect(referenceText(reference)).toBe('NodeGroupTemplate/worker');
  });
});
