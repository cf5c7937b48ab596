// What a dialect cannot carry, or only the template can tell: messages that name the field and the remedy.
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';
import {
  clusterSpecOf,
  fromTemplate,
  type GivenOptions,
  givenOf,
  image,
  network,
  otherImage,
  ownCluster,
  small,
  templateId,
} from '../support/mapping.ts';

const check = (spec: unknown, dialect: Dialect) => clusterKind.check(clusterSpecOf(spec), dialect);
const checkCreate = (spec: unknown, options: GivenOptions = {}) =>
  clusterKind.checkCreate(clusterSpecOf(spec), givenOf(options));

const keyless = { ...ownCluster, userKeypairID: undefined };
const networked = { ...ownCluster, networkManagementNetwork: network };
const pooled = {
  ...ownCluster,
  nodeGroups: [{ name: 'data', count: 1, flavorID: '2', nodeProcesses: ['a'], floatingIPPool: 'public' }],
};

describe('told from the spec alone', () => {
  test.each<readonly [string, object, RegExp | undefined, RegExp | undefined]>([
    ['a cluster of its own', ownCluster, undefined, undefined],
    ['a cluster from a template', fromTemplate, undefined, undefined],
    [
      'no key pair',
      keyless,
      /^spec\.userKeypairID: .*dialect Neutral.*apply a corrected one with userKeypairID/,
      undefined,
    ],
    [
      'a network without a template',
      networked,
      /^spec\.networkManagementNetwork: .*apply a corrected one: without this field, from a ClusterTemplate/,
      undefined,
    ],
    ['a network with a template', { ...fromTemplate, networkManagementNetwork: network }, undefined, undefined],
    ['a description', { ...ownCluster, description: 'x' }, undefined, undefined],
    [
      'a floating IP pool of an inline group',
      pooled,
      /^spec\.nodeGroups\[data\]\.floatingIPPool: .*NodeGroupTemplate and refer to that in a group of another name$/,
      undefined,
    ],
    [
      'volumes of an inline group',
      { ...ownCluster, nodeGroups: [{ ...ownCluster.nodeGroups[0], volumesPerNode: 1, volumesSize: 5 }] },
      undefined,
      undefined,
    ],
  ])('%s', (_name, spec, inNeutral, inBranded) => {
    for (const [dialect, expected] of [
      ['neutral', inNeutral],
      ['sahara', inBranded],
      ['savanna', inBranded],
    ] as const) {
      const wrong = check(spec, dialect);
      if (expected) expect(wrong).toMatch(expected);
      else expect(wrong).toBeUndefined();
    }
  });
});

describe('told with the template at hand', () => {
  const imageless = { ...fromTemplate, defaultImageID: undefined };
  const at = { ...fromTemplate, networkManagementNetwork: network };
  test.each<readonly [string, object, GivenOptions, RegExp | undefined]>([
    ['all is there', fromTemplate, {}, undefined],
    [
      'no image anywhere',
      imageless,
      {},
      /^spec\.defaultImageID: .*: add one to the ClusterTemplate, or delete this Cluster \(nothing was made yet\) and apply a corrected one with defaultImageID or imageRef/,
    ],
    [
      'no image anywhere, without a template',
      { ...ownCluster, defaultImageID: undefined },
      {},
      /^spec\.defaultImageID: .*neither this Cluster nor a ClusterTemplate names an image: delete this Cluster .* with defaultImageID or imageRef/,
    ],
    [
      'no image anywhere is refused by the branded ones, too',
      imageless,
      { dialect: 'sahara' },
      /^spec\.defaultImageID/,
    ],
    ['an ImageRegistration', { ...imageless, imageRef: { name: 'ubuntu' } }, {}, undefined],
    ['an image of the template resource', imageless, { templateSpec: { defaultImageID: image } }, undefined],
    [
      'an image of the template in the service',
      imageless,
      { template: { ...small, default_image_id: otherImage } },
      undefined,
    ],
    [
      'a network that the template lacks',
      at,
      {},
      /^spec\.networkManagementNetwork: .*put the same network into the ClusterTemplate, or /,
    ],
    [
      'another network than the template',
      at,
      { template: { ...small, network_management_network: image } },
      /^spec\.networkManagementNetwork: /,
    ],
    ['the network of the template', at, { template: { ...small, network_management_network: network } }, undefined],
    [
      'groups of its own on a template with a network, in a dialect that takes one of both',
      { ...fromTemplate, nodeGroups: [{ name: 'worker', count: 5 }] },
      { template: { ...small, network_management_network: network } },
      /^spec\.nodeGroups: the ClusterTemplate names a network.*: put the groups into the ClusterTemplate/,
    ],
    [
      'the same in a dialect that takes both',
      { ...fromTemplate, nodeGroups: [{ name: 'worker', count: 5 }] },
      { template: { ...small, network_management_network: network }, dialect: 'sahara' },
      undefined,
    ],
    ['a network that the dialect carries', at, { dialect: 'sahara' }, undefined],
    [
      'a count for a group that the template has not',
      { ...fromTemplate, nodeGroups: [{ name: 'wroker', count: 5 }] },
      {},
      /^spec\.nodeGroups\[wroker\]: the template has no group of this name \(its groups: worker, master\): correct the name, or describe its nodes: set/,
    ],
  ])('%s', (_name, spec, options, expected) => {
    const wrong = checkCreate(spec, options);
    if (expected) expect(wrong).toMatch(expected);
    else expect(wrong).toBeUndefined();
  });
});

describe('what a cluster refers to', () => {
  test('its template and the templates of its groups', () => {
    const spec = clusterSpecOf({ ...fromTemplate, nodeGroups: ownCluster.nodeGroups });
    expect(clusterKind.references(spec, '')).toEqual([
      { field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate', name: 'small', fixed: true },
      { field: 'spec.nodeGroups[worker].nodeGroupTemplateRef', kind: 'NodeGroupTemplate', name: 'worker' },
    ]);
  });

  test('the registration of its image, which must be Ready', () => {
    const spec = clusterSpecOf({ ...ownCluster, defaultImageID: undefined, imageRef: { name: 'ubuntu' } });
    expect(clusterKind.references(spec, '')[0]).toEqual({
      field: 'spec.imageRef',
      kind: 'ImageRegistration',
      name: 'ubuntu',
      ready: true,
      fixed: true,
    });
  });

  test.each<readonly [string, object, readonly object[]]>([
    [
      'the template by reference',
      fromTemplate,
      [{ route: 'clusterTemplates', id: templateId, field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate' }],
    ],
    [
      'the template by raw id',
      { clusterTemplateID: image },
      [{ route: 'clusterTemplates', id: image, field: 'spec.clusterTemplateID', kind: 'ClusterTemplate' }],
    ],
    ['no template', ownCluster, []],
  ])('what is looked up: %s', (_name, spec, expected) => {
    expect(clusterKind.lookups(clusterSpecOf(spec), () => templateId)).toEqual(expected);
  });

  test('configurations by their path', () => {
    const spec = clusterSpecOf({ ...ownCluster, clusterConfigs: { a: { b: 1 } } });
    expect(clusterKind.fixedConfigs.of(spec)).toEqual({
      clusterConfigs: { a: { b: 1 } },
      'nodeGroups[master].nodeConfigs': undefined,
    });
  });
});
