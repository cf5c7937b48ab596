// Plans for what is not known to the service yet: what is awaited, what is found again, and what the intent writes down.
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../src/kinds/cluster/index.ts';
import { clusterTemplateKind } from '../../src/kinds/cluster-template/index.ts';
import { nodeGroupTemplateKind } from '../../src/kinds/node-group-template/index.ts';
import { clusterName, contentHash, isOwnName, revisionName } from '../../src/reconcile/naming.ts';
import { plan } from '../../src/reconcile/plan.ts';
import type { Resolution } from '../../src/reconcile/references.ts';
import { remoteKey } from '../../src/reconcile/situation.ts';
import type { ClusterTemplate } from '../../src/wire/cluster-template.ts';
import {
  attempts,
  claimOf,
  clusterRow,
  clusterSpec,
  endpoint,
  installation,
  ledgerOf,
  resourceOf,
  type SituationOptions,
  situationOf,
  templateSpec,
  tenant,
  uid,
  usable,
  viewOf,
} from './support.ts';

const identity = { name: 'etl', uid, installation };
const template = { kind: nodeGroupTemplateKind, spec: templateSpec } as const;
const templateHash = contentHash(
  nodeGroupTemplateKind.content(nodeGroupTemplateKind.definition.spec.parse(templateSpec), () => ''),
);

const workerReference = {
  field: 'spec.nodeGroups[worker].nodeGroupTemplateRef',
  kind: 'NodeGroupTemplate',
  name: 'worker',
};
const byReference = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [{ name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } }],
};
const resolved: Resolution = {
  state: 'resolved',
  reference: workerReference,
  resource: resourceOf(template),
  id: 'ngt-1',
  hash: 'aaaaaaaa',
};
const awaited: Resolution = {
  state: 'awaited',
  reference: workerReference,
  message: 'NodeGroupTemplate worker is not ready yet',
};
const wrong: Resolution = { state: 'wrong', reference: workerReference, message: 'both must use the same' };

function planned(options: SituationOptions) {
  const result = plan(situationOf(options));
  return result.action === 'none' ? result.outcome : result;
}

describe('the name', () => {
  test('of a cluster carries installation and uid, and leaves room for its longest group', () => {
    expect(planned({ view: undefined })).toMatchObject({
      action: 'create',
      claim: { role: 'main', collection: 'clusters', name: clusterName(identity, 'master'.length) },
    });
    const long = { ...clusterSpec, nodeGroups: [{ ...clusterSpec.nodeGroups[0], name: 'g'.repeat(30) }] };
    const metadata = { name: 'nightly-aggregation-of-events' };
    expect(planned({ spec: long, metadata, view: undefined })).toMatchObject({
      claim: { name: clusterName({ ...identity, ...metadata }, 30) },
    });
  });

  test('of a template carries its content, too', () => {
    const name = revisionName(identity, templateHash);
    expect(planned({ ...template, view: undefined })).toMatchObject({
      action: 'create',
      claim: { role: 'revision', collection: 'node-group-templates', name, hash: templateHash },
      body: { name },
    });
  });

  test.each<readonly [string, SituationOptions, string]>([
    ['a pinned name of a cluster never changes', { ledger: ledgerOf([claimOf()]) }, claimOf().name],
    ['not even with a closed attempt', { ledger: ledgerOf([claimOf(attempts(0))]) }, claimOf().name],
    [
      'a template with an open create keeps its name whatever its spec says',
      { ...template, ledger: ledgerOf([claimOf({ role: 'revision', name: 'old-name', hash: 'x', ...attempts(1) })]) },
      'old-name',
    ],
    [
      'a template of which nothing came gets the name of its content',
      { ...template, ledger: ledgerOf([claimOf({ role: 'revision', name: 'old-name', hash: 'x', ...attempts(0) })]) },
      revisionName(identity, templateHash),
    ],
  ])('%s', (_name, options, name) => {
    expect(planned(options)).toMatchObject({ action: 'create', claim: { name } });
  });

  test('claims that came to nothing under other names leave the ledger', () => {
    const old = claimOf({ role: 'revision', name: 'old-name', ...attempts(0) });
    const result = planned({ ...template, ledger: ledgerOf([old]) });
    expect(result).toMatchObject({ ledger: { claims: [] } });
  });
});

describe('what the intent writes down', () => {
  test('the pins of a new ledger', () => {
    expect(planned({ view: undefined })).toMatchObject({
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
    expect(planned({ ledger: ledgerOf(), service })).toMatchObject({ ledger: { endpoint } });
  });

  test('digests of the configurations, and unknown fields as they were', () => {
    const result = planned({ ledger: ledgerOf([claimOf()], { future: [1] }) });
    expect(result).toMatchObject({
      ledger: { future: [1], configs: { clusterConfigs: '-', 'nodeGroups[master].nodeConfigs': '-' } },
    });
  });
});

describe('what is awaited', () => {
  const kind = clusterTemplateKind;
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
      'references before the Connection',
      { kind, spec: byReference, resolutions: [awaited], service: usable({ mayCreate: false }) },
      { message: awaited.message },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned(options)).toMatchObject(expected);
  });

  test('the name of a cluster template changes with the content of what it refers to', () => {
    const other = { ...resolved, hash: 'bbbbbbbb' };
    const names = [resolved, other].map((one) =>
      planned({ kind, spec: byReference, resolutions: [one], view: undefined }),
    );
    expect(names[0]).toMatchObject({ action: 'create' });
    expect(names[0]).not.toMatchObject({ claim: (names[1] as { claim: object }).claim });
  });
});

describe('a cluster from a template by raw id', () => {
  const id = '11111111-2222-4333-8444-555555555555';
  const spec = { clusterTemplateID: id, userKeypairID: 'demo' };
  const row: ClusterTemplate = {
    id,
    name: 'small',
    plugin_name: 'vanilla',
    bigdata_version: '1.2.1',
    default_image_id: id,
    node_groups: [{ name: 'a-group-with-a-very-long-name', count: 2, node_group_template_id: 'ngt-1' }],
  };
  const remotes = new Map([[remoteKey('clusterTemplates', id), row]]);

  test('waits for the service to have it', () => {
    expect(planned({ spec, view: undefined })).toMatchObject({
      result: 'waiting',
      on: 'service',
      reason: 'DependencyNotReady',
      message: expect.stringContaining(id),
    });
  });

  test('pins the groups of the template, and leaves room for their names', () => {
    expect(planned({ spec, remotes, metadata: { name: 'nightly-aggregation' }, view: undefined })).toMatchObject({
      action: 'create',
      claim: { name: clusterName({ ...identity, name: 'nightly-aggregation' }, 29) },
      ledger: { baseline: [{ name: 'a-group-with-a-very-long-name', count: 2, nodeGroupTemplateId: 'ngt-1' }] },
      body: { cluster_template_id: id },
    });
  });

  test('refuses what only the template can tell', () => {
    const image = { ...row, default_image_id: undefined };
    const without = new Map([[remoteKey('clusterTemplates', id), image as unknown as ClusterTemplate]]);
    expect(planned({ spec, remotes: without, view: undefined })).toMatchObject({ reason: 'InvalidSpec' });
  });
});

describe('what is found again', () => {
  const own = clusterName(identity, 6);
  test.each<readonly [string, SituationOptions, object]>([
    [
      'by the pinned name, although its references are gone and the Connection may not create',
      { ledger: ledgerOf([claimOf(attempts(2))]), rows: [clusterRow()], service: usable({ mayCreate: false }) },
      { action: 'adopt', id: 'id-1', claim: { name: claimOf().name } },
    ],
    [
      'by the derived name, where the ledger is lost',
      { held: true, rows: [clusterRow({ name: own })] },
      { action: 'adopt', id: 'id-1', claim: { name: own }, ledger: { claims: [] } },
    ],
    [
      'by the tag in the name, where groups have changed since',
      { status: { observedGeneration: 3 }, rows: [clusterRow({ name: clusterName(identity, 30) })] },
      { action: 'adopt', claim: { name: clusterName(identity, 30) } },
    ],
    [
      'a name of another resource is not ours',
      { held: true, rows: [clusterRow({ name: 'etl' })] },
      { action: 'create' },
    ],
    [
      'of two with one content name, the one that is referred to',
      {
        ...template,
        held: true,
        rows: ['a', 'b'].map((id) => ({ id, name: revisionName(identity, templateHash) })),
        mentioned: new Set(['b']),
      },
      { action: 'adopt', id: 'b' },
    ],
    [
      'of two that nothing refers to, the one with the smaller id',
      { ...template, held: true, rows: ['b', 'a'].map((id) => ({ id, name: revisionName(identity, templateHash) })) },
      { action: 'adopt', id: 'a' },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned({ kind: clusterKind, ...options })).toMatchObject(expected);
  });

  test('the mirror stands in for a lost annotation', () => {
    const status = { observedGeneration: 1, ledger: JSON.stringify(ledgerOf([claimOf({ id: 'id-1' })])) };
    expect(planned({ status, held: true, view: viewOf([clusterRow()]) })).toMatchObject({ result: 'settled' });
  });

  test('a name of ours in the service is proven by its tag', () => {
    expect(isOwnName(own, identity)).toBe(true);
  });
});
