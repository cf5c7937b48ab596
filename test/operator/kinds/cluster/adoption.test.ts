// What an existing cluster must have in common with the spec that adopts it, in each dialect: its template, and the groups of the entries.
import { describe, expect, test } from 'vitest';
import { fixedFields } from '../../../../src/operator/kinds/cluster/adoption.ts';
import { objectDifference } from '../../../../src/operator/reconcile/observe/object-difference.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import type { NodeGroup } from '../../../../src/wire/cluster-template.ts';
import { dialects } from '../../../../src/wire/dialect.ts';
import {
  clusterSpecOf,
  fromTemplate,
  type GivenOptions,
  givenOf,
  image,
  masterId,
  small,
  templateId,
  workerId,
} from '../support/mapping.ts';

const otherId = 'dddddddd-2222-4333-8444-555555555555';
const formerId = 'eeeeeeee-2222-4333-8444-555555555555';

const [worker, master] = small.node_groups as readonly [NodeGroup, NodeGroup];
const body = {
  name: 'analytics',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  user_keypair_id: 'demo',
  default_image_id: image,
  cluster_configs: small.cluster_configs,
  anti_affinity: small.anti_affinity,
};

/** A cluster with the content of `small`, as a GET answers it: as if it had been started from groups alone, unless told otherwise. */
const clusterOf = (more: object = {}): Cluster =>
  ({ id: 'id-1', status: 'Active', ...body, node_groups: [worker, master], ...more }) as Cluster;

const differing = (spec: object, remote: Cluster, options: GivenOptions = {}) => {
  const wanted = fixedFields(clusterSpecOf({ ...fromTemplate, ...spec }), remote, givenOf(options));
  return objectDifference(wanted, remote as object as Record<string, unknown>).map(
    ({ path, want, have }) => `${path}: ${want}, not ${have}`,
  );
};

const counted = { nodeGroups: [{ name: 'worker', count: 7 }] };
const extra = { name: 'extra', count: 1, nodeGroupTemplateRef: { name: 'worker' } };
const specs: readonly (readonly [string, object])[] = [
  ['the template alone', {}],
  ['other counts', counted],
  ['a group of its own', { nodeGroups: [extra] }],
];

describe.each(dialects)('a cluster that names its template, in the dialect %s', (dialect) => {
  test.each(specs)('is adopted by a spec with the same one: %s', (_what, spec) => {
    const added = { ...worker, name: 'extra', count: 1 };
    const node_groups = 'nodeGroups' in spec && spec !== counted ? [worker, master, added] : [worker, master];
    expect(differing(spec, clusterOf({ cluster_template_id: templateId, node_groups }), { dialect })).toEqual([]);
  });

  test.each(specs)('is not adopted by a spec with another one, whatever its groups: %s', (_what, spec) => {
    const remote = clusterOf({
      cluster_template_id: otherId,
      node_groups: [worker, master, { ...worker, name: 'extra' }],
    });
    expect(differing(spec, remote, { dialect })).toEqual([`spec.clusterTemplateID: ${templateId}, not ${otherId}`]);
  });

  test.each(specs)('is adopted by a spec with a later revision of it: %s', (_what, spec) => {
    const former = { small: formerId, worker: masterId };
    const added = { ...worker, name: 'extra', node_group_template_id: masterId };
    const node_groups = 'nodeGroups' in spec && spec !== counted ? [worker, master, added] : [worker, master];
    const remote = clusterOf({ cluster_template_id: formerId, node_groups });
    expect(differing(spec, remote, { dialect, former })).toEqual([]);
    expect(differing(spec, remote, { dialect })).toContain(`spec.clusterTemplateID: ${templateId}, not ${formerId}`);
  });

  test('keeps groups that were added or taken away, if no entry names them', () => {
    const node_groups = [master, { ...worker, name: 'added' }];
    expect(differing({}, clusterOf({ cluster_template_id: templateId, node_groups }), { dialect })).toEqual([]);
  });

  test('is not adopted by a spec with an entry for a group that it does not have', () => {
    const spec = { nodeGroups: [{ name: 'workr', count: 7 }] };
    const remote = clusterOf({ cluster_template_id: templateId });
    expect(differing(spec, remote, { dialect })).toEqual(['spec.nodeGroups[workr]: an entry, not none']);
  });
});

describe.each(['sahara', 'savanna'] as const)('a cluster that names no template, in the dialect %s', (dialect) => {
  test.each(specs)('is not adopted by a spec with one: %s', (_what, spec) => {
    const remote = clusterOf({ node_groups: [worker, master, { ...worker, name: 'extra' }] });
    expect(differing(spec, remote, { dialect })).toEqual([`spec.clusterTemplateID: ${templateId}, not none`]);
  });
});

describe('a cluster whose groups were merged from a template and entries', () => {
  test('is adopted by a spec that means the same groups, of whatever counts', () => {
    const node_groups = [{ ...worker, count: 1 }, master, { ...worker, name: 'extra' }];
    expect(differing(counted, clusterOf())).toEqual([]);
    expect(differing({ nodeGroups: [...counted.nodeGroups, extra] }, clusterOf({ node_groups }))).toEqual([]);
    const own = { clusterConfigs: { HDFS: { 'dfs.replication': '3' } }, antiAffinity: [] };
    const configs = { HDFS: { 'dfs.replication': 3, 'dfs.trash': 1 }, general: { 'Enable NTP service': true } };
    const remote = clusterOf({ cluster_configs: configs, anti_affinity: [] });
    expect(differing({ ...counted, ...own }, remote)).toEqual([]);
  });

  test('may lack groups of the template that no entry names: their count is 0', () => {
    expect(differing(counted, clusterOf({ node_groups: [worker] }))).toEqual([]);
    expect(differing(counted, clusterOf({ node_groups: [worker, { ...master, name: 'gone', count: 0 }] }))).toEqual([]);
  });

  test.each<readonly [string, object, readonly string[]]>([
    [
      'another flavor and other processes',
      { node_groups: [worker, { ...master, flavor_id: '4', node_processes: ['client'] }] },
      [
        'spec.nodeGroups[master].flavorID: 3, not 4',
        'spec.nodeGroups[master].nodeProcesses: ["namenode"], not ["client"]',
      ],
    ],
    [
      'another template of a group',
      { node_groups: [{ ...worker, node_group_template_id: masterId }, master] },
      [`spec.nodeGroups[worker].nodeGroupTemplateID: ${workerId}, not ${masterId}`],
    ],
    [
      'a group that neither the template nor an entry has',
      { node_groups: [worker, master, { ...worker, name: 'more' }] },
      ['spec.nodeGroups[more]: none, not an entry'],
    ],
    [
      'no group of the template',
      { node_groups: [{ ...worker, name: 'other' }] },
      [`spec.clusterTemplateID: ${templateId}, not none`, 'spec.nodeGroups[worker]: an entry, not none'],
    ],
    ['another plugin', { plugin_name: 'spark' }, ['spec.pluginName: vanilla, not spark']],
    ['another version', { bigdata_version: '2' }, ['spec.bigdataVersion: 1.2.1, not 2']],
    [
      'other configs',
      {
        cluster_configs: { HDFS: { 'dfs.replication': '1', 'dfs.trash': 1 }, general: { 'Enable NTP service': true } },
      },
      ['spec.clusterConfigs[HDFS][dfs.replication]: 2, not 1'],
    ],
    ['another affinity', { anti_affinity: [] }, ['spec.antiAffinity: ["datanode"], not []']],
  ])('is not adopted with %s', (_what, more, expected) => {
    expect(differing(counted, clusterOf(more))).toEqual(expected);
  });

  test('is not adopted by a spec with an entry for a group that it does not have', () => {
    const spec = { nodeGroups: [...counted.nodeGroups, { name: 'mastr', count: 1 }] };
    expect(differing(spec, clusterOf())).toEqual(['spec.nodeGroups[mastr]: an entry, not none']);
  });

  test('is not adopted while the service does not list the template', () => {
    const template = { ...small, id: otherId };
    expect(differing(counted, clusterOf(), { template })).toEqual([`spec.clusterTemplateID: ${templateId}, not none`]);
  });

  test('is not adopted by a spec without entries, which would have started it from the template', () => {
    expect(differing({}, clusterOf())).toEqual([`spec.clusterTemplateID: ${templateId}, not none`]);
  });

  test('is adopted by a spec with all of its groups and no template', () => {
    const spec = {
      clusterTemplateRef: undefined,
      pluginName: 'vanilla',
      bigdataVersion: '1.2.1',
      nodeGroups: [
        { ...extra, name: 'worker' },
        { name: 'master', count: 2, flavorID: '3', nodeProcesses: ['namenode'] },
      ],
    };
    expect(differing(spec, clusterOf())).toEqual([]);
  });
});
