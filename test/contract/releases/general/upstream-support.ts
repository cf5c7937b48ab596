// One resource of each kind in late releases, from literal bodies: what the tests of late releases begin with.
import { expect } from 'vitest';

import {
  imageId,
  type Json,
  networkId,
  type Peer,
  type Reply,
  scene,
  serve,
  smallGroup,
  unknownId,
  worker,
} from '../../support.ts';

/** Where a kind is, how one is wrapped, and its list. */
export interface Kind {
  readonly path: string;
  readonly single: string;
  readonly plural: string;
  /** Makes one of this tenant, with more fields than it needs. */
  create(peer: Peer, fields?: object, tenant?: string): Promise<Reply>;
}

export const at = (path: string, tenant = 't') => `/v1.1/${tenant}/${path}`;

export const groupTemplate = {
  name: 'workers',
  plugin_name: scene.plugin,
  hadoop_version: scene.version,
  node_processes: [worker],
  flavor_id: scene.flavors.workers,
};
export const inline = {
  name: 'master',
  count: 1,
  flavor_id: scene.flavors.masters,
  node_processes: smallGroup.node_processes,
};
export const template = {
  name: 'small',
  plugin_name: scene.plugin,
  hadoop_version: scene.version,
  node_groups: [inline],
};
export const cluster = {
  ...template,
  name: 'cluster-1',
  default_image_id: imageId,
  neutron_management_network: networkId,
};
export const source = { name: 'input', type: 'hdfs', url: '/data/input' };

const posted =
  (path: string, body: object): Kind['create'] =>
  (peer, fields = {}, tenant = 't') =>
    peer.post(at(path, tenant), { ...body, ...fields });

/** A Shell job of this tenant, with a script of its own. */
async function createJob(peer: Peer, fields: object = {}, tenant = 't'): Promise<Reply> {
  const binary = { name: `script-${Math.random().toString(36).slice(2)}`, url: `manila://${unknownId}/script` };
  const { body } = await peer.post(at('job-binaries', tenant), binary);
  return peer.post(at('jobs', tenant), { name: 'job', type: 'Shell', mains: [body.job_binary.id], ...fields });
}

/** A run of a new job on a new cluster. */
async function execute(peer: Peer, fields: object = {}, tenant = 't'): Promise<Reply> {
  const name = `c-${Math.random().toString(36).slice(2)}`;
  const { body: started } = await peer.post(at('clusters', tenant), { ...cluster, name });
  const { body: made } = await createJob(peer, { name }, tenant);
  return peer.post(at(`jobs/${made.job.id}/execute`, tenant), { cluster_id: started.cluster.id, ...fields });
}

export const kinds = {
  'node-group-templates': {
    path: 'node-group-templates',
    single: 'node_group_template',
    plural: 'node_group_templates',
    create: posted('node-group-templates', groupTemplate),
  },
  'cluster-templates': {
    path: 'cluster-templates',
    single: 'cluster_template',
    plural: 'cluster_templates',
    create: posted('cluster-templates', template),
  },
  clusters: { path: 'clusters', single: 'cluster', plural: 'clusters', create: posted('clusters', cluster) },
  'data-sources': {
    path: 'data-sources',
    single: 'data_source',
    plural: 'data_sources',
    create: posted('data-sources', source),
  },
  'job-binaries': {
    path: 'job-binaries',
    single: 'job_binary',
    plural: 'binaries',
    create: posted('job-binaries', { name: 'script', url: `manila://${unknownId}/script` }),
  },
  jobs: { path: 'jobs', single: 'job', plural: 'jobs', create: createJob },
  'job-executions': {
    path: 'job-executions',
    single: 'job_execution',
    plural: 'job_executions',
    create: execute,
  },
} as const satisfies Readonly<Record<string, Kind>>;
export type Path = keyof typeof kinds;
export const paths = Object.keys(kinds) as readonly Path[];

/** Made, and of the tenant `t`; resolves to the row. */
export async function make(peer: Peer, path: Path, fields: object = {}): Promise<Json> {
  const { status, text, body } = await kinds[path].create(peer, fields);
  expect([status, text]).toEqual([202, text]);
  return body[kinds[path].single];
}

/** The row as it is shown; undefined: the tenant does not see it. */
export const show = async (peer: Peer, path: Path, id: string, tenant = 't'): Promise<Json> =>
  (await peer.get(at(`${path}/${id}`, tenant))).body[kinds[path].single];

export const late = () => serve({ dialect: 'sahara' });
