// The operator and the API server read one specification: what one of them takes, the other must not refuse.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../dev/generate/fields.ts';
import { toStructural } from '../../../dev/generate/structural-schema.ts';
import { nodeAttributes, nodeGroupShape } from '../../../src/operator/api/node-group.ts';
import { configs as configsOf, recordID } from '../../../src/operator/api/shared-api.ts';
import { cluster } from '../../../src/operator/kinds/cluster/schema.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { clusterCreate } from '../../../src/wire/cluster.ts';
import { clusterTemplateCreate, nodeGroupRequest } from '../../../src/wire/cluster-template.ts';
import { nodeGroupTemplateCreate } from '../../../src/wire/node-group-template.ts';
import { accepts, values } from './structural.ts';

const configs = configsOf();

/** Parsing refuses two things that no rule can. One is a configuration named `__proto__`. */
function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.keys(value).some((key) => hasPrototypeKey(value[key as never]));
}

/** The other one: configurations of a group whose nodes come from a template. */
function hasStrayConfigs(value: unknown): boolean {
  const spec = value as { nodeGroups?: unknown; cluster?: unknown; template?: { spec?: unknown } } | null | undefined;
  // An execution may have a cluster of its own, and a schedule has a template of executions.
  if (spec?.cluster !== undefined || spec?.template?.spec !== undefined)
    return hasStrayConfigs(spec.cluster) || hasStrayConfigs(spec.template?.spec);
  const groups = spec?.nodeGroups;
  if (!Array.isArray(groups)) return false;
  return groups.some((group) => group?.nodeConfigs !== undefined && group.flavorID === undefined);
}

describe('each spec, parsed by the operator and checked by the API server', () => {
  test.each(definitions.map((definition) => [definition.kind, definition.spec] as const))('%s', (_, spec) => {
    const schema = toStructural(spec) as Schema;
    let [taken, refused] = [0, 0];
    const judge = (value: unknown) => {
      const parsed = spec.safeParse(value).success;
      if (accepts(schema, value)) taken += 1;
      else refused += 1;
      expect(parsed).toBe(accepts(schema, value) && !hasStrayConfigs(value) && !hasPrototypeKey(value));
    };
    fc.assert(fc.property(values(schema), judge), { numRuns: 600 });
    // A property that only ever sees one side proves nothing.
    expect(Math.min(taken, refused)).toBeGreaterThan(30);
  });
});

describe('what the API server takes, the service is sent in a form that it knows', () => {
  const field = (schema: Parameters<typeof toStructural>[0]) => toStructural(schema) as Schema;
  const request = nodeGroupRequest.shape;

  test.each([
    ['identifiers', recordID, request.node_group_template_id],
    ['configurations', configs, nodeGroupTemplateCreate.shape.node_configs],
    ['names of groups', nodeGroupShape.name, request.name],
    ['processes', nodeAttributes.nodeProcesses, nodeGroupTemplateCreate.shape.node_processes],
    ['flavors', nodeAttributes.flavorID, nodeGroupTemplateCreate.shape.flavor_id],
    ['numbers of volumes', nodeAttributes.volumesPerNode, request.volumes_per_node],
    ['sizes of volumes', nodeAttributes.volumesSize, request.volumes_size],
    ['mount paths', nodeAttributes.volumeMountPrefix, request.volume_mount_prefix],
    ['pools', nodeAttributes.floatingIPPool, request.floating_ip_pool],
    ['counts', nodeGroupShape.count, request.count],
    ['images', cluster.spec.shape.defaultImageID, clusterCreate.shape.default_image_id],
    ['key pairs', cluster.spec.shape.userKeypairID, clusterCreate.shape.user_keypair_id],
    ['networks', cluster.spec.shape.networkManagementNetwork, clusterTemplateCreate.shape.network_management_network],
    ['processes kept apart', cluster.spec.shape.antiAffinity, clusterCreate.shape.anti_affinity],
  ] as const)('%s', (_, ours, theirs) => {
    const schema = field(ours);
    const taken = values(schema).filter((value) => accepts(schema, value));
    fc.assert(
      fc.property(taken, (value) => {
        expect(theirs.safeParse(value).error?.issues ?? []).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('configurations', () => {
  const issues = (value: unknown) =>
    (configs.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

  test('text, integers and true or false pass unchanged', () => {
    const value = { HDFS: { a: 'x', b: 3, c: false, 'dfs.replication': '3' }, general: {} };
    expect(configs.parse(value)).toEqual(value);
  });

  test.each([
    ['a fraction', 1.5],
    ['null', null],
    ['a list', []],
    ['an object', {}],
    ['what is no safe integer', 2 ** 60],
  ])('%s does not, and the message names the place', (_, value) => {
    expect(issues({ HDFS: { 'dfs.replication': value } })).toEqual([
      'HDFS.dfs.replication: must be a string, an integer or true/false: put anything else in quotes',
    ]);
  });

  test('inside a spec the message names the whole path', () => {
    const spec = { nodeGroups: [{ name: 'a', count: 1, flavorID: '2', nodeConfigs: { HDFS: { x: {} } } }] };
    const found = cluster.spec.safeParse(spec).error?.issues.map(({ message, path }) => [path.join('.'), message]);
    expect(found).toEqual([
      ['nodeGroups.0.nodeConfigs.HDFS.x', expect.stringMatching(/^must be a string, an integer or true\/false: put/)],
    ]);
  });

  test('a value in place of a target', () => {
    expect(issues({ 'dfs.replication': 3 })).toHaveLength(1);
  });

  test('a group by template has none of its own', () => {
    const group = { name: 'a', count: 1, nodeGroupTemplateRef: { name: 't' }, nodeConfigs: { HDFS: { x: 1 } } };
    const parsed = cluster.spec.safeParse({ nodeGroups: [group] });
    expect(parsed.error?.issues.map(({ path }) => path)).toEqual([['nodeGroups', 0, 'nodeConfigs']]);
    expect(parsed.error?.issues[0]?.message).toContain('node group template');
  });
});

test('parsing drops fields that the schema does not know, as the API server does', () => {
  expect(cluster.spec.parse({ clusterTemplateRef: { name: 't', kind: 'X' }, hello: 1 })).toEqual({
    clusterTemplateRef: { name: 't' },
  });
});
