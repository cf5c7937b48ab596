// Every request that the adapter can make, as one table: how it is called, and what has to go over the wire for it.

import type { Service } from '../../../../src/operator/client/service.ts';
import type { Permit } from '../../../../src/operator/client/throttle/budget.ts';
import { routes } from '../../../../src/wire/routes.ts';

export interface Made {
  readonly service: Service;
  readonly permit: Permit;
}

export interface Call {
  readonly name: string;
  /** `V` stands for the prefix of clusters, which depends on the dialect. */
  readonly line: string;
  /** The key of a good answer; undefined: bytes, or nothing. */
  readonly key?: string;
  readonly effect: boolean;
  readonly make: (made: Made) => Promise<unknown>;
}

export const id = 'c5755a43-0b6c-4f0e-8d1e-3f6a7b8c9d0e';
const bytes = Buffer.from([0, 255, 10, 13, 34]);

/** Create, show and delete; lists are read by way of the inventory. */
const rowCalls: readonly Call[] = Object.values(routes)
  .filter((route) => route.path !== 'plugins')
  .flatMap((route) => {
    const version = 'version' in route ? route.version : 'V';
    const line = `/${version}/t/${route.path}`;
    const list: Call = {
      name: `list ${route.path}`,
      line: `GET ${line}`,
      key: route.plural,
      effect: false,
      make: ({ service }) => service.inventory.observe(route, { notBefore: 0, list: true }),
    };
    const show: Call = {
      name: `show ${route.path}`,
      line: `GET ${line}/${id}`,
      key: route.single,
      effect: false,
      make: ({ service }) => service.get(route, id),
    };
    const create: Call = {
      name: `create ${route.path}`,
      line: `POST ${line}`,
      key: route.single,
      effect: true,
      make: ({ service, permit }) => service.create(route, { name: 'x' }, permit),
    };
    const remove: Call = {
      name: `delete ${route.path}`,
      line: `DELETE ${line}/${id}`,
      effect: true,
      make: ({ service, permit }) => service.remove(route, id, permit),
    };
    const created = !['images', 'job-binary-internals', 'job-executions'].includes(route.path);
    return [list, show, remove, ...(created ? [create] : [])];
  });

type Row = readonly [name: string, line: string, key: string | undefined, make: Call['make']];

const reads: readonly Row[] = [
  ['plugins', 'GET /V/t/plugins', 'plugins', ({ service }) => service.plugins()],
  ['plugin in short', 'GET /V/t/plugins/p', 'plugin', ({ service }) => service.pluginSummary('p')],
  ['plugin', 'GET /V/t/plugins/p/1.2.1', 'plugin', ({ service }) => service.plugin('p', '1.2.1')],
  ['hints', 'GET /v1.1/t/jobs/config-hints/Pig', 'job_config', ({ service }) => service.jobHints('Pig')],
  [
    'refresh',
    `GET /v1.1/t/job-executions/${id}/refresh-status`,
    'job_execution',
    ({ service }) => service.refreshExecution(id),
  ],
  [
    'bytes of a binary',
    `GET /v1.1/t/job-binaries/${id}/data`,
    undefined,
    ({ service }) => service.downloadBinary(routes.jobBinaries, id),
  ],
  [
    'bytes of an internal binary',
    `GET /v1.1/t/job-binary-internals/${id}/data`,
    undefined,
    ({ service }) => service.downloadBinary(routes.jobBinaryInternals, id),
  ],
];

const writes: readonly Row[] = [
  ['scale', `PUT /V/t/clusters/${id}`, 'cluster', ({ service, permit }) => service.scaleCluster(id, {}, permit)],
  [
    'register',
    `POST /V/t/images/${id}`,
    'image',
    ({ service, permit }) => service.registerImage(id, { username: 'u' }, permit),
  ],
  ['tag', `POST /V/t/images/${id}/tag`, 'image', ({ service, permit }) => service.tagImage(id, { tags: [] }, permit)],
  [
    'untag',
    `POST /V/t/images/${id}/untag`,
    'image',
    ({ service, permit }) => service.untagImage(id, { tags: [] }, permit),
  ],
  [
    'convert',
    'POST /V/t/plugins/p/1/convert-config',
    'cluster_template',
    ({ service, permit }) => service.convertConfig({ plugin: 'p', version: '1' }, bytes, permit),
  ],
  [
    'convert by name',
    'POST /V/t/plugins/p/1/convert-config/small',
    'cluster_template',
    ({ service, permit }) => service.convertConfig({ plugin: 'p', version: '1', template: 'small' }, bytes, permit),
  ],
  [
    'upload',
    'PUT /v1.1/t/job-binary-internals/script.pig',
    'job_binary_internal',
    ({ service, permit }) => service.uploadBinary('script.pig', bytes, permit),
  ],
  [
    'execute',
    `POST /v1.1/t/jobs/${id}/execute`,
    'job_execution',
    ({ service, permit }) => service.executeJob(id, { cluster_id: id }, permit),
  ],
  [
    'cancel',
    `GET /v1.1/t/job-executions/${id}/cancel`,
    'job_execution',
    ({ service, permit }) => service.cancelExecution(id, permit),
  ],
];

const callOf =
  (effect: boolean) =>
  ([name, line, key, make]: Row): Call => ({ name, line, effect, make, ...(key !== undefined && { key }) });

export const calls: readonly Call[] = [...rowCalls, ...reads.map(callOf(false)), ...writes.map(callOf(true))];

/** A good answer to the call. */
export function goodAnswer({ line, key }: Call): string {
  if (key === undefined) return line.startsWith('DELETE') ? '' : bytes.toString('latin1');
  const row = { id, name: 'x' };
  const lists = ['plugins', 'images', 'binaries', 'jobs', 'clusters', 'data_sources', 'job_executions'];
  const isList = lists.includes(key) || key.endsWith('_templates');
  return JSON.stringify({ [key]: isList ? [row] : row });
}
