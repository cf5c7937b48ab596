// Something of everything in a service that is to be attacked, and good values to draw from.
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Json, Peer } from '../contract/peer.ts';
import type { Pool } from './values.ts';

export const tenant = 'fuzzed';
const image = 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4';
const network = '6a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';

/** Creates it, and resolves to its identifier. */
async function make(peer: Peer, path: string, body: unknown, more: Readonly<Record<string, string>>): Promise<string> {
  const raw = typeof body === 'string';
  const { status, body: answer, text } = await peer.send(raw ? 'PUT' : 'POST', `/v1.1/${tenant}/${path}`, body, more);
  if (status !== 202) throw new Error(`cannot make ${path}: ${text}`);
  return (Object.values(answer as object)[0] as Json).id;
}

const unknown = '00000000-0000-4000-8000-000000000000';

export async function furnish(peer: Peer, dialect: Dialect, token: string | undefined): Promise<Pool> {
  const headers = token === undefined ? {} : { 'x-auth-token': token };
  const create = (path: string, body: unknown) => make(peer, path, body, headers);
  const version = dialect === 'neutral' ? 'bigdata_version' : 'hadoop_version';
  const fake = { plugin_name: 'fake', [version]: '0.1' };
  const shape = { flavor_id: '2', node_processes: ['namenode', 'datanode'] };
  const template = await create('node-group-templates', { name: 'group', ...fake, ...shape });
  const groups = [{ name: 'a', count: 1, node_group_template_id: template }];
  const clusterTemplate = await create('cluster-templates', { name: 'whole', ...fake, node_groups: groups });
  const late = dialect === 'sahara' ? { neutron_management_network: network } : {};
  const start = {
    ...fake,
    default_image_id: image,
    user_keypair_id: 'key',
    cluster_template_id: clusterTemplate,
    ...late,
  };
  const cluster = await create('clusters', { name: 'running', ...start });
  const bytes = { ...headers, 'content-type': 'application/octet-stream' };
  const internal = await make(peer, 'job-binary-internals/script', 'echo', bytes);
  const scheme = dialect === 'savanna' ? 'savanna-db://' : 'internal-db://';
  const binary = await create('job-binaries', { name: 'script', url: scheme + internal });
  const credentials = { user: 'u', password: 'p' };
  const source = (name: string) =>
    create('data-sources', { name, type: 'swift', url: `swift://c/${name}`, credentials });
  const [input, output] = [await source('in'), await source('out')];
  const job = await create('jobs', { name: 'pig', type: 'Pig', mains: [binary] });
  const run = { cluster_id: cluster, input_id: input, output_id: output };
  const execution = await create(`jobs/${job}/execute`, run);
  return poolOf({
    version,
    template,
    clusterTemplate,
    cluster,
    internal,
    binary,
    input,
    output,
    job,
    execution,
    scheme,
  });
}

function poolOf(ids: Readonly<Record<string, string>>): Pool {
  const {
    version = '',
    template,
    clusterTemplate,
    cluster,
    internal,
    binary,
    input,
    output,
    job,
    execution,
    scheme,
  } = ids;
  return {
    plugin_name: ['fake'],
    [version]: ['0.1'],
    version: ['0.1'],
    name: ['a', 'b', 'group', 'whole', 'running', 'script', 'in', 'pig', 'other-1', 'other-2', 'other-3'],
    template_name: ['converted', 'whole'],
    node_processes: [['namenode'], ['datanode', 'tasktracker']],
    flavor_id: ['1', '2'],
    user_keypair_id: ['key'],
    node_group_template_id: [template, unknown],
    cluster_template_id: [clusterTemplate],
    cluster_id: [cluster],
    default_image_id: [image],
    image_id: [image, '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58'],
    neutron_management_network: [network],
    job_binary_internal_id: [internal, 'script', 'another'],
    job_binary_id: [binary],
    mains: [[binary], []],
    libs: [[], [binary]],
    data_source_id: [input, output],
    input_id: [input],
    output_id: [output],
    job_id: [job],
    job_execution_id: [execution],
    job_type: ['Pig', 'Hive', 'Shell'],
    url: [`${scheme}${internal}`, 'swift://c/o', 'hdfs://h/p', '/tmp/%RANDSTR(4)%'],
  };
}
