// Content hashes, frozen. They are part of the names of templates: a change here re-makes the templates of every user on upgrade.
import { describe, expect, test } from 'vitest';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { ContentKind, ResourceReference } from '../../../../src/operator/reconcile/kind/kind.ts';
import { contentHash } from '../../../../src/operator/reconcile/ledger/naming.ts';

const hashOf = (reference: ResourceReference): string => `hash-of-${reference.name}`;

function hash(kind: ContentKind, spec: unknown): string {
  return contentHash(kind.content(kind.definition.spec.parse(spec), hashOf));
}

const worker = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  flavorID: '2',
  nodeProcesses: ['datanode', 'tasktracker'],
} as const;
const full = {
  ...worker,
  floatingIPPool: 'public',
  volumesPerNode: 2,
  volumesSize: 100,
  volumeMountPrefix: '/volumes/disk',
  nodeConfigs: { HDFS: { 'Data Node Heap Size': 1024 }, MapReduce: { debug: true, dir: '/tmp' } },
} as const;
const small = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [
    { name: 'master', count: 1, flavorID: '3', nodeProcesses: ['namenode'] },
    { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } },
  ],
} as const;
const network = '11111111-2222-4333-8444-555555555555';
const large = {
  ...small,
  clusterConfigs: { HDFS: { 'dfs.replication': '2' }, general: { 'Enable NTP service': true } },
  antiAffinity: ['datanode', 'tasktracker'],
  networkManagementNetwork: network,
  defaultImageID: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
} as const;

// Do not edit a hash to make a test pass: find out why the content of an unchanged spec has changed.
describe('golden', () => {
  test.each<readonly [string, ContentKind, unknown, string]>([
    ['the shortest node group template', nodeGroupTemplateKind, worker, 'ts4kuydj'],
    ['a full node group template', nodeGroupTemplateKind, full, 'lggpes2m'],
    ['a cluster template of one inline and one referenced group', clusterTemplateKind, small, 'ycrpdzbc'],
    ['a cluster template with all fields', clusterTemplateKind, large, 'r7xnxyml'],
    [
      'a cluster template by raw id',
      clusterTemplateKind,
      { ...small, nodeGroups: [{ name: 'worker', count: 2, nodeGroupTemplateID: network }] },
      'wtzanzcs',
    ],
  ])('%s', (_name, kind, spec, expected) => {
    expect(hash(kind, spec)).toBe(expected);
  });
});

describe('what does not matter', () => {
  test.each<readonly [string, ContentKind, unknown, unknown]>([
    ['the order of keys', nodeGroupTemplateKind, full, Object.fromEntries(Object.entries(full).reverse())],
    [
      'the order of processes',
      nodeGroupTemplateKind,
      worker,
      { ...worker, nodeProcesses: ['tasktracker', 'datanode'] },
    ],
    [
      'the order of configs',
      nodeGroupTemplateKind,
      full,
      { ...full, nodeConfigs: { MapReduce: { dir: '/tmp', debug: true }, HDFS: { 'Data Node Heap Size': 1024 } } },
    ],
    ['the description', nodeGroupTemplateKind, worker, { ...worker, description: 'for people' }],
    ['the connection', nodeGroupTemplateKind, worker, { ...worker, connectionRef: { name: 'other' } }],
    ['policies', nodeGroupTemplateKind, worker, { ...worker, deletionPolicy: 'Orphan', progressDeadlineSeconds: 60 }],
    ['the order of groups', clusterTemplateKind, small, { ...small, nodeGroups: small.nodeGroups.toReversed() }],
    [
      'the order of the anti-affinity',
      clusterTemplateKind,
      large,
      { ...large, antiAffinity: ['tasktracker', 'datanode'] },
    ],
    ['the description of a cluster template', clusterTemplateKind, small, { ...small, description: 'x' }],
  ])('%s', (_name, kind, one, other) => {
    expect(hash(kind, other)).toBe(hash(kind, one));
  });
});

describe('what matters', () => {
  test.each<readonly [string, ContentKind, object, object]>([
    ['the flavor', nodeGroupTemplateKind, worker, { flavorID: '3' }],
    ['the plugin', nodeGroupTemplateKind, worker, { pluginName: 'spark' }],
    ['the version', nodeGroupTemplateKind, worker, { bigdataVersion: '2.0' }],
    ['a process', nodeGroupTemplateKind, worker, { nodeProcesses: ['datanode'] }],
    ['volumes set to what the service would choose', nodeGroupTemplateKind, worker, { volumesPerNode: 0 }],
    ['empty configs instead of none', nodeGroupTemplateKind, worker, { nodeConfigs: {} }],
    ['a number instead of its text', nodeGroupTemplateKind, full, { nodeConfigs: { HDFS: { a: '1' } } }],
    ['no image', clusterTemplateKind, large, { defaultImageID: undefined }],
    ['no network', clusterTemplateKind, large, { networkManagementNetwork: undefined }],
    ['an empty anti-affinity instead of none', clusterTemplateKind, small, { antiAffinity: [] }],
    ['a count', clusterTemplateKind, small, { nodeGroups: small.nodeGroups.map((group) => ({ ...group, count: 9 })) }],
  ])('%s', (_name, kind, spec, changes) => {
    expect(hash(kind, { ...spec, ...changes })).not.toBe(hash(kind, spec));
  });

  test('configurations of another type are another content', () => {
    const typed = (value: unknown) => hash(nodeGroupTemplateKind, { ...worker, nodeConfigs: { HDFS: { a: value } } });
    expect(new Set([typed(1), typed('1'), typed(true), typed('true')]).size).toBe(4);
  });

  test('a reference enters as the hash of what it refers to, not as a name', () => {
    const spec = clusterTemplateKind.definition.spec.parse(small);
    const under = (text: string) => contentHash(clusterTemplateKind.content(spec, () => text));
    expect(under('aaaaaaaa')).not.toBe(under('bbbbbbbb'));
    const renamed = {
      ...small,
      nodeGroups: [small.nodeGroups[0], { ...small.nodeGroups[1], nodeGroupTemplateRef: { name: 'other' } }],
    };
    const other = clusterTemplateKind.definition.spec.parse(renamed);
    expect(contentHash(clusterTemplateKind.content(other, () => 'aaaaaaaa'))).toBe(under('aaaaaaaa'));
  });
});
