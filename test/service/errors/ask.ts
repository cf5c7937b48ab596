// A request that is to be refused: where the path of its route leads to, and what is sent.
import type { Endpoint } from '../../../src/service/resources/endpoints/endpoint.ts';
import type { Peer, Reply } from '../../contract/support.ts';
import type { Scene } from './scene.ts';

/** Besides what every request to the route has. */
export interface Ask {
  /** In place of the variable parts of the path. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rows that a request to the route is taken for, by collection. */
const usual: Readonly<Record<string, string>> = {
  'node-group-templates': 'spare-worker',
  'cluster-templates': 'spare-small',
  clusters: 'active',
  'data-sources': 'spare-source',
  'job-binaries': 'spare-script',
  'job-binary-internals': 'more-bytes',
  jobs: 'spare-job',
  'job-executions': 'fresh',
};
const image = 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4';

export const collectionOf = ({ path }: Endpoint): string => path.split('/')[0] ?? '';

function usualId(endpoint: Endpoint, scene: Scene): string {
  const collection = collectionOf(endpoint);
  if (collection === 'plugins') return 'vanilla';
  if (collection === 'images') return image;
  return endpoint.path.includes('config-hints') ? 'Pig' : scene.idOf(usual[collection] ?? '');
}

/** Every route is asked for under v1.1, which has them all. */
export function pathOf(endpoint: Endpoint, scene: Scene, { parts = {}, query = '' }: Ask): string {
  const filled = { tenant: 't', id: usualId(endpoint, scene), version: '1.2.1', name: 'new', ...parts };
  const path = `/v1.1/:tenant/${endpoint.path}`;
  return path.replaceAll(/:(\w+)/g, (_text, part: keyof typeof filled) => filled[part]) + query;
}

export const ask = (peer: Peer, endpoint: Endpoint, scene: Scene, what: Ask): Promise<Reply> =>
  peer.send(endpoint.method, pathOf(endpoint, scene, what), what.body, what.headers);
