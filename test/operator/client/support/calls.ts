// Every request that the adapter can make, as one table: how it is called, and what has to go over the wire for it.
import type { Service } from '../../../../src/operator/client/service-client.ts';
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
  /** The key of a good answer; undefined if it is empty. */
  readonly key?: string;
  readonly effect: boolean;
  readonly make: (made: Made) => Promise<unknown>;
}

export const id = 'c5755a43-0b6c-4f0e-8d1e-3f6a7b8c9d0e';

/** Create, show and delete; lists are read by way of the inventory. */
const rowCalls: readonly Call[] = [
  routes.images,
  routes.nodeGroupTemplates,
  routes.clusterTemplates,
  routes.clusters,
].flatMap((route) => {
  const line = `/V/t/${route.path}`;
  const list: Call = {
    name: `list ${route.path}`,
    line: `GET ${line}`,
    key: route.plural,
    effect: false,
    make: ({ service }) => service.inventory.observe(route, { notBefore: 0 }),
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
  return [list, show, remove, ...(route.path === 'images' ? [] : [create])];
});

type Row = readonly [name: string, line: string, key: string, make: Call['make']];

const reads: readonly Row[] = [['plugins', 'GET /V/t/plugins', 'plugins', ({ service }) => service.plugins()]];

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
];

const callOf =
  (effect: boolean) =>
  ([name, line, key, make]: Row): Call => ({ name, line, effect, make, key });

export const calls: readonly Call[] = [...rowCalls, ...reads.map(callOf(false)), ...writes.map(callOf(true))];

/** A good answer to the call. */
export function goodAnswer({ key }: Call): string {
  if (key === undefined) return '';
  const row = { id, name: 'x' };
  const isList = ['plugins', 'images', 'clusters'].includes(key) || key.endsWith('_templates');
  return JSON.stringify({ [key]: isList ? [row] : row });
}
