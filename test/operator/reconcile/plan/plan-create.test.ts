// Plans for what is not known to the service yet: what is awaited, what is found again, and what the intent writes down.
import { describe, expect, test } from 'vitest';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { clusterName, contentHash, revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { waiting } from '../../../../src/operator/reconcile/outcome.ts';
import { referencePrecondition } from '../../../../src/operator/reconcile/plan/preconditions.ts';
import type { Resolution } from '../../../../src/operator/reconcile/resource/references.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import { byReference, workerReference } from '../resource/worker-reference.ts';
import {
  attempts,
  claimOf,
  clusterRow,
  clusterSpec,
  endpoint,
  image,
  installation,
  iso,
  ledgerOf,
  monotonic,
  resourceOf,
  revisionNamed,
  type SituationOptions,
  clusterName as supportName,
  templateSpec,
  tenant,
  uid,
  usable,
  wall,
} from '../support.ts';
import { adopts, deletesObject, planOf } from './matchers.ts';

const identity = { name: 'etl', uid, installation };
const template = { kind: nodeGroupTemplateKind, spec: templateSpec } as const;
const templateHash = contentHash(
  nodeGroupTemplateKind.content(nodeGroupTemplateKind.definition.spec.parse(templateSpec), () => ''),
);

const oldTemplate = { role: 'revision', collection: 'node-group-templates', name: revisionNamed('old') } as const;

const resolved: Resolution = {
  state: 'resolved',
  reference: workerReference,
  resource: resourceOf(template),
  id: 'ngt-1',
  hash: 'aaaaaaaa',
  claims: [],
};
const awaited: Resolution = {
  state: 'awaited',
  reference: workerReference,
  message: 'NodeGroupTemplate worker is not ready yet',
};
const wrong: Resolution = { state: 'wrong', reference: workerReference, message: 'both must use the same' };

const owned = resourceOf(template);

test.each<readonly [string, Partial<Extract<Resolution, { state: 'wrong' }>>, number]>([
  ['of another Connection', {}, 3_600_000],
  ['that somebody else made', { reason: 'NameConflict' }, 3_600_000],
  ['of its own that the service refuses', { reason: 'ExternalRejected', owned }, 3_600_000],
  ['of its own with a wrong value', { reason: 'ExternalRejected', owned, errorName: 'VALIDATION_ERROR' }, 5_000],
  ['of its own with a wrong id', { reason: 'ExternalRejected', owned, errorName: 'NOT_FOUND' }, 60_000],
  ['of its own that is too much', { reason: 'ExternalRejected', owned, errorName: 'DATA_TOO_BIG' }, 3_600_000],
  ['of its own that the operator refuses', { owned }, 5_000],
])('a run does not wait for ever for what it cannot use: a job %s', (_what, of, failsAfterMs) => {
  const spec = { jobRef: { name: 'words' }, clusterID: image };
  const reference = { kind: 'Job', name: 'words', field: 'spec.jobRef' };
  const options = { kind: jobExecutionKind, spec, resolutions: [{ ...wrong, reference, ...of }] };
  expect(planOf(options)).toMatchObject({ result: 'refused', message: wrong.message, failsAfterMs });
});

test.each([
  [{ hasFailed: true }, { failsAfterMs: 60_000 }],
  [{ hasFailed: true, isGone: true }, { failsAfterMs: 3_600_000 }],
  [{}, {}],
] as const)('nor for a cluster of its own that has failed or is gone: %o', (of, more) => {
  const reference = { kind: 'Cluster', name: 'etl', field: 'spec.cluster', owned: true } as const;
  const spec = { jobID: image, cluster: clusterSpec };
  const options = { kind: jobExecutionKind, spec, resolutions: [{ ...awaited, reference, ...of }] };
  const { message } = awaited;
  const blocker = { kind: 'Cluster', name: 'etl', reason: 'DependencyNotReady', message } as const;
  expect(planOf(options)).toEqual({ ...waiting('kubernetes', 'WaitingForCluster', message, [blocker]), ...more });
});

describe('what a refused create left', () => {
  const refused = { attempts: { open: 0, lastSentAt: iso(wall - 9_000), refusedAt: iso(wall - 8_000) } };
  const left = (changes: Partial<Cluster> = {}) =>
    clusterRow({
      name: supportName,
      status: 'Error',
      node_groups: [{ name: 'master', count: 1, instances: [] }],
      ...changes,
    });
  const machine = { instance_id: 'i-1', instance_name: 'one' } as never;

  test.each<readonly [string, Partial<Claim>, Cluster, object]>([
    ['goes', refused, left(), deletesObject('id-1')],
    [
      'has no machines: one that has some is taken',
      refused,
      left({ node_groups: [{ name: 'master', count: 1, instances: [machine] }] }),
      adopts('id-1'),
    ],
    [
      'says that it has none: one that is silent is taken',
      refused,
      left({ node_groups: [{ name: 'master', count: 1 }] }),
      adopts('id-1'),
    ],
    ['is in Error: one that is on its way is taken', refused, left({ status: 'Validating' }), adopts('id-1')],
    ['was refused: after a lost answer it is taken', attempts(0), left(), adopts('id-1')],
    [
      'goes even while another create may still take effect: it is ours, and has nothing',
      { attempts: { ...refused.attempts, open: 1 } },
      left(),
      deletesObject('id-1'),
    ],
  ])('%s', (_name, changes, row, expected) => {
    expect(planOf({ ledger: ledgerOf([claimOf(changes)]), rows: [row] })).toMatchObject(expected);
  });

  test.each<readonly [string, { readonly id: string; readonly at: number } | undefined, object]>([
    [
      'is waited for, each time longer',
      { id: 'id-1', at: monotonic - 59_000 },
      {
        result: 'failed',
        reason: 'ExternalRejected',
        message: 'what a refused create left in the service (id-1) is being deleted before the next try',
      },
    ],
    ['gets another DELETE where it has got stuck', { id: 'id-1', at: monotonic - 600_000 }, deletesObject('id-1')],
    ['gets one of this process', undefined, deletesObject('id-1')],
    ['is not mistaken for another object', { id: 'id-2', at: monotonic }, deletesObject('id-1')],
  ])('that is going %s', (_name, sent, expected) => {
    const memory = sent && { memory: { deletesSent: new Map([[sent.id, { at: sent.at }]]) } };
    // In Error where the service's lists lag.
    for (const status of ['Deleting', 'Error']) {
      const rows = [left({ status })];
      expect(planOf({ ledger: ledgerOf([claimOf(refused)]), rows, ...memory })).toMatchObject(expected);
    }
  });
});

describe('the name', () => {
  test('of a cluster carries installation and uid, and leaves room for its longest group', () => {
    expect(planOf({ view: undefined })).toMatchObject({
      action: 'create',
      claim: { role: 'main', collection: 'clusters', name: clusterName(identity, 'master'.length) },
    });
    const long = { ...clusterSpec, nodeGroups: [{ ...clusterSpec.nodeGroups[0], name: 'g'.repeat(30) }] };
    const metadata = { name: 'nightly-aggregation-of-events' };
    expect(planOf({ spec: long, metadata, view: undefined })).toMatchObject({
      claim: { name: clusterName({ ...identity, ...metadata }, 30) },
    });
  });

  test('of a template carries its content, too', () => {
    const name = revisionName(identity, templateHash);
    expect(planOf({ ...template, view: undefined })).toMatchObject({
      action: 'create',
      claim: { role: 'revision', collection: 'node-group-templates', name, hash: templateHash },
      body: { name },
    });
  });

  test.each<readonly [string, SituationOptions, string]>([
    ['a pinned name of a cluster never changes', { ledger: ledgerOf([claimOf()]) }, claimOf().name],
    ['not even with a closed attempt', { ledger: ledgerOf([claimOf(attempts(0))]) }, claimOf().name],
    [
      'a template with an open create keeps its name while its content is the same',
      {
        ...template,
        ledger: ledgerOf([claimOf({ ...oldTemplate, hash: templateHash, ...attempts(1) })]),
      },
      oldTemplate.name,
    ],
    [
      'a template with an open create of another content gets the name of its own',
      { ...template, ledger: ledgerOf([claimOf({ ...oldTemplate, hash: 'x', ...attempts(1) })]) },
      revisionName(identity, templateHash),
    ],
    [
      'a template of which nothing came gets the name of its content',
      { ...template, ledger: ledgerOf([claimOf({ ...oldTemplate, hash: 'x', ...attempts(0) })]) },
      revisionName(identity, templateHash),
    ],
  ])('%s', (_name, options, name) => {
    expect(planOf(options)).toMatchObject({ action: 'create', claim: { name } });
  });

  test('the claim that took the place of another keeps it, also for other content', () => {
    const place = claimOf({ ...oldTemplate, role: 'main', hash: 'x', ...attempts(0) });
    expect(planOf({ ...template, ledger: ledgerOf([place]) })).toMatchObject({
      claim: { role: 'main', hash: templateHash },
    });
  });

  test('a refusal stays on record until the next create', () => {
    const refused = claimOf({ attempts: { open: 0, lastSentAt: iso(wall), refusedAt: iso(wall) } });
    expect(planOf({ ledger: ledgerOf([refused]), rows: [] })).toMatchObject({
      action: 'create',
      ledger: { claims: [refused] },
    });
  });

  test('claims that came to nothing under other names leave the ledger', () => {
    const old = claimOf({ ...oldTemplate, ...attempts(0) });
    const result = planOf({ ...template, ledger: ledgerOf([old]) });
    expect(result).toMatchObject({ ledger: { claims: [] } });
  });
});

describe('what the intent writes down', () => {
  test('the pins of a new ledger', () => {
    expect(planOf({ view: undefined })).toMatchObject({
      earlyStatus: { result: 'waiting', on: 'service', reason: 'Provisioning', message: 'creating it in the service' },
      ledger: {
        v: 1,
        installation,
        uid,
        endpoint,
        tenant,
        base: 'etl',
        claims: [],
        madeFrom: { master: 'inline', worker: 'inline' },
      },
    });
  });

  test('pins of a known ledger stay, also where the endpoint has moved', () => {
    const service = usable({ endpoint: 'http://new', endpoints: ['http://new', endpoint] });
    expect(planOf({ ledger: ledgerOf(), service })).toMatchObject({ ledger: { endpoint } });
  });

  test.each([['aaaaaaaa'], [undefined]])(
    'of the template that a cluster is made from, the content, if it is known: %s',
    (hash) => {
      const reference = { field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate', name: 'small' };
      const { hash: _other, ...made } = resolved;
      const resource = resourceOf({ kind: clusterTemplateKind, spec: { ...byReference, defaultImageID: image } });
      const result = planOf({
        spec: { clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo' },
        resolutions: [{ ...made, reference, resource, ...(hash && { hash }) }],
        remotes: new Map([['clusterTemplates/ngt-1', { id: 'ngt-1', name: 'small' }]]),
        view: undefined,
      });
      expect(result).toMatchObject({ action: 'create' });
      expect('ledger' in result && result.ledger?.templateRevision).toBe(hash);
      expect('ledger' in result && result.ledger && 'templateRevision' in result.ledger).toBe(hash !== undefined);
    },
  );

  test('digests of the configurations, and unknown fields as they were', () => {
    const result = planOf({ ledger: ledgerOf([claimOf()], { future: [1] }) });
    expect(result).toMatchObject({
      ledger: { future: [1], configs: { clusterConfigs: '-', 'nodeGroups[master].nodeConfigs': '-' } },
    });
  });
});

describe('what is awaited', () => {
  const kind = clusterTemplateKind;
  const [group] = byReference.nodeGroups;
  const edge = { ...group, name: 'edge', nodeGroupTemplateRef: { name: 'edge' } };
  const twoReferences = { ...byReference, nodeGroups: [group, edge] };
  test.each<readonly [string, SituationOptions, object]>([
    [
      'a reference that is not there',
      { kind, spec: byReference, resolutions: [awaited] },
      {
        result: 'waiting',
        on: 'kubernetes',
        reason: 'DependencyNotReady',
        message: awaited.message,
        blockedOn: [{ kind: 'NodeGroupTemplate', name: 'worker' }],
      },
    ],
    [
      'a Connection that may not create and does not tell why',
      { service: usable({ mayCreate: false }) },
      { message: 'Connection default is not ready' },
    ],
    [
      'two references that are not there',
      {
        kind,
        spec: twoReferences,
        resolutions: [awaited, { ...awaited, reference: { ...workerReference, name: 'edge' } }],
      },
      {
        message: `${awaited.message}; ${awaited.message}`,
        blockedOn: ['worker', 'edge'].map((name) => ({
          kind: 'NodeGroupTemplate',
          name,
          reason: 'DependencyNotReady',
          message: awaited.message,
        })),
      },
    ],
    [
      'a reference to another connection',
      { kind, spec: byReference, resolutions: [wrong] },
      { result: 'refused', reason: 'InvalidSpec' },
    ],
    [
      'a wrong one is told before an awaited one',
      { kind, spec: byReference, resolutions: [awaited, { ...wrong, reference: { ...workerReference } }] },
      { reason: 'InvalidSpec' },
    ],
    [
      'a resolved one is used by its id',
      { kind, spec: byReference, resolutions: [resolved], view: undefined },
      { action: 'create', body: { node_groups: [{ name: 'worker', count: 2, node_group_template_id: 'ngt-1' }] } },
    ],
    [
      'a Connection that may not create',
      { service: usable({ mayCreate: false, message: 'Connection default is being deleted' }) },
      {
        result: 'waiting',
        on: 'kubernetes',
        reason: 'DependencyNotReady',
        message: 'Connection default is being deleted',
        blockedOn: [{ kind: 'Connection', name: 'default' }],
      },
    ],
    [
      'a Connection that is being deleted, and does not wait for what has nothing in the service',
      { service: usable({ mayCreate: false, leaving: true, message: 'Connection default is being deleted' }) },
      {
        message:
          'Connection default is being deleted. Apply Connection default again once it is gone: first delete what needs it (its status.blockedOn). Or, because connectionRef is immutable, delete this Cluster (nothing was created yet) and apply it with another one',
      },
    ],
    ...[false, true].map((held): [string, Parameters<typeof planOf>[0], object] => [
      `a SharedConnection that is being deleted, ${held ? 'and waits for this resource' : 'which only the administrator can apply again'}`,
      {
        held,
        spec: { ...clusterSpec, connectionRef: { kind: 'SharedConnection', name: 'platform' } },
        service: usable({ mayCreate: false, leaving: true, message: 'SharedConnection platform is being deleted' }),
      },
      {
        message: held
          ? 'SharedConnection platform is being deleted. Its deletion ends when no resource needs it any more: delete this Cluster, too, and apply it again once the administrator of the cluster has applied SharedConnection platform again'
          : 'SharedConnection platform is being deleted. Ask the administrator of the cluster to apply SharedConnection platform again once it is gone, or, because connectionRef is immutable, delete this Cluster (nothing was created yet) and apply it with another one',
      },
    ]),
    [
      'a Connection that is being deleted, and waits for this resource',
      {
        held: true,
        service: usable({ mayCreate: false, leaving: true, message: 'Connection default is being deleted' }),
      },
      {
        message:
          'Connection default is being deleted. Its deletion ends when no resource needs it any more: delete this Cluster, too, and then apply both again',
      },
    ],
    [
      'the Connection before references, which wait for it as well',
      { kind, spec: byReference, resolutions: [awaited], service: usable({ mayCreate: false, message: 'no token' }) },
      { message: 'no token', blockedOn: [{ kind: 'Connection' }] },
    ],
    [
      'a wrong reference before the Connection',
      { kind, spec: byReference, resolutions: [wrong], service: usable({ mayCreate: false }) },
      { result: 'refused', message: wrong.message },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planOf(options)).toMatchObject(expected);
  });

  test.each([
    ['of the same name and kind', workerReference, true],
    ['of another name', { ...workerReference, name: 'edge' }, false],
    ['of another kind', { ...workerReference, kind: 'ClusterTemplate' }, false],
  ])('only what is needed is waited for: %s', (_name, needed, waits) => {
    expect(referencePrecondition([awaited], [needed]) !== undefined).toBe(waits);
  });

  test('the name of a cluster template changes with the content of what it refers to', () => {
    const other = { ...resolved, hash: 'bbbbbbbb' };
    const names = [resolved, other].map((one) =>
      planOf({ kind, spec: byReference, resolutions: [one], view: undefined }),
    );
    expect(names[0]).toMatchObject({ action: 'create' });
    expect(names[0]).not.toMatchObject({ claim: (names[1] as { claim: object }).claim });
  });
});
