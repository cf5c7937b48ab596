// Specs and answers that the mapping tests share, and a Given that resolves what it is told.
import type { Spec } from '../../../../src/operator/api/definition.ts';
import { cluster } from '../../../../src/operator/kinds/cluster/schema.ts';
import {
  type MappingContext,
  type RemoteObject,
  type ResourceReference,
  remoteKey,
} from '../../../../src/operator/reconcile/kind/kind.ts';
import type { ClusterTemplate } from '../../../../src/wire/cluster-template.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';
import { resourceOf } from '../../reconcile/support.ts';

export const image = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
export const otherImage = '0c0c0c0c-3c52-4e0b-9d57-5f0c8e2b4a61';
export const network = '11111111-2222-4333-8444-555555555555';
export const templateId = 'aaaaaaaa-2222-4333-8444-555555555555';
export const masterId = 'bbbbbbbb-2222-4333-8444-555555555555';
export const workerId = 'cccccccc-2222-4333-8444-555555555555';

/** Ids of the referenced resources, by name. */
const ids: Readonly<Record<string, string>> = {
  small: templateId,
  master: masterId,
  worker: workerId,
  ubuntu: otherImage,
};

/** The template `small` as the service answers it: one group by template, one of its own. */
export const small: ClusterTemplate = {
  id: templateId,
  name: 'small-x',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  cluster_configs: { HDFS: { 'dfs.replication': '2', 'dfs.trash': 1 }, general: { 'Enable NTP service': true } },
  anti_affinity: ['datanode'],
  node_groups: [
    {
      name: 'worker',
      count: 2,
      node_group_template_id: workerId,
      flavor_id: '2',
      node_processes: ['datanode'],
      volumes_per_node: 2,
    },
    {
      name: 'master',
      count: 1,
      flavor_id: '3',
      node_processes: ['namenode'],
      node_configs: { HDFS: { heap: 1024 } },
      volumes_per_node: 0,
      volumes_size: 0,
      volume_mount_prefix: '/volumes/disk',
    },
  ],
};

export interface GivenOptions {
  readonly dialect?: Dialect;
  /** The template in the service. */
  readonly template?: ClusterTemplate;
  /** Spec of the referenced ClusterTemplate. */
  readonly templateSpec?: unknown;
  /** What each referenced Secret has. */
  readonly secret?: Readonly<Record<string, string>>;
  /** What each key of a ConfigMap or Secret has that is a file. */
  readonly file?: Buffer;
  readonly privateId?: string;
  /** Ids of former revisions of the referenced resources, by name. */
  readonly former?: Readonly<Record<string, string>>;
}

export function givenOf({
  dialect = 'neutral',
  template = small,
  templateSpec = {},
  secret = {},
  file,
  privateId,
  former = {},
}: GivenOptions = {}): MappingContext {
  const idOf = ({ name }: ResourceReference): string => {
    const id = ids[name];
    if (id === undefined) throw new Error(`nobody may ask for ${name}`);
    return id;
  };
  const remotes = new Map<string, RemoteObject>([[remoteKey('clusterTemplates', template.id), template]]);
  return {
    name: 'etl',
    externalName: 'etl-name',
    dialect,
    idOf,
    idsOf: (reference) => [...[former[reference.name]].flatMap((id) => id ?? []), idOf(reference)],
    resourceOf: () => resourceOf({ spec: templateSpec }),
    secretOf: () => secret,
    fileOf: () => file,
    ...(privateId !== undefined && { privateId }),
    remote: (route, id) => remotes.get(remoteKey(route, id)),
  };
}

export type ClusterSpec = Spec<typeof cluster>;

/** A cluster from `small`, as a user writes it. */
export const fromTemplate = {
  clusterTemplateRef: { name: 'small' },
  userKeypairID: 'demo',
  defaultImageID: image,
} as const;

/** A cluster of its own. */
export const ownCluster = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  userKeypairID: 'demo',
  defaultImageID: image,
  nodeGroups: [
    { name: 'master', count: 1, flavorID: '3', nodeProcesses: ['namenode'] },
    { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } },
  ],
} as const;

export function clusterSpecOf(spec: unknown): ClusterSpec {
  return cluster.spec.parse(spec);
}
