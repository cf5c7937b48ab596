// How a service is asked with the rights of the user: directly, or through the API server where the service is in the cluster.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { type ApiQuery, queryText } from '../../kube/http/call.ts';
import type { OpenAnswer, PodTransport } from '../../kube/http/transport.ts';
import { type Dialect, dialectName, dialects } from '../../wire/dialect.ts';
import type { Connection, Objects } from '../objects.ts';
import type { ConnectionName } from '../observed.ts';
import type { Reach } from '../reach.ts';
import { ofService } from './service-refusal.ts';

export interface ServiceSource {
  /** The base URL of the service. */
  readonly endpoint: string;
  /** Others of the same service, which ledgers may name. */
  readonly formerEndpoints?: readonly string[];
  readonly tenant: string;
  readonly dialect: Dialect;
  /** With which it is asked. A service may repeat it in its answers. */
  readonly token?: string;
  /** A GET of a path below the endpoint. Resolves when the answer begins, whatever its status is. */
  get(path: string, wish: GetWish): Promise<OpenAnswer>;
}

export interface GetWish {
  readonly query?: ApiQuery;
  readonly signal: AbortSignal;
  /** The request fails after this many ms without a byte. */
  readonly idleMs: number;
}

interface Address {
  readonly endpoint: string;
  readonly token: string | undefined;
  readonly ca: string | undefined;
  readonly insecure: boolean;
}

const tokenHeader = 'x-auth-token';

/** Rejects with what is missing in one line. */
export async function openService(reach: Reach, { kind, name }: ConnectionName): Promise<ServiceSource> {
  const { objects, transport, isInCluster } = reach;
  const connection = await objects.get(kind, name);
  const { spec } = connection;
  const { endpoint, formerEndpoints, tenant, dialect } = placeOf(connection);
  if (endpoint === '' || tenant === undefined)
    throw new Error(`${kind} ${JSON.stringify(name)} does not know its endpoint yet: try again`);
  const { caSecretRef, insecureSkipVerify: insecure = false } = spec.tls ?? {};
  const { credentialsNamespace } = spec;
  const secrets = credentialsNamespace === undefined ? objects : objects.within(credentialsNamespace);
  const token = await tokenOf({ ...reach, objects: secrets }, connection, kind);
  const ca = caSecretRef && (await valueIn(secrets, caSecretRef.name, 'ca.crt'));
  const place = { endpoint, token, ca, insecure };
  const service = serviceOf(endpoint);
  return {
    endpoint,
    formerEndpoints,
    tenant,
    dialect,
    ...(token !== undefined && { token }),
    get: (path, wish) =>
      service === undefined || isInCluster
        ? direct(place, path, wish)
        : proxied(transport, { place, service, path, wish }),
  };
}

/** Where the service is. With Keystone, the operator finds it out. */
export function placeOf({ spec, status }: Pick<Connection, 'spec' | 'status'>) {
  return {
    endpoint: trimmed(status?.endpoint ?? spec.endpoint ?? ''),
    formerEndpoints: (spec.formerEndpoints ?? []).map(trimmed),
    tenant: status?.tenantID ?? spec.tenantID,
    dialect: dialects.find((one) => dialectName(one) === spec.dialect) ?? ('neutral' as const),
  };
}

/** As ledgers have it. */
function trimmed(endpoint: string): string {
  return endpoint.replace(/\/+$/, '');
}

async function tokenOf(
  { objects, tokenFile }: Reach,
  { spec, metadata }: Connection,
  kind: ConnectionName['kind'],
): Promise<string | undefined> {
  if (tokenFile !== undefined) return (await readFile(tokenFile, 'utf8')).trim();
  const { type = 'None', secretRef } = spec.auth ?? {};
  if (type === 'None' || secretRef === undefined) return undefined;
  if (type === 'Token') return valueIn(objects, secretRef.name, 'token');
  const what = `${kind} ${JSON.stringify(metadata.name)} uses Keystone`;
  throw new Error(`${what}: give a token with --token-file, such as that of "openstack token issue -f value -c id"`);
}

async function valueIn(objects: Objects, name: string, key: string): Promise<string> {
  const { data = {} } = await objects.get('Secret', name, ', or give a token with --token-file');
  const value = data[key];
  if (value === undefined) throw new Error(`Secret ${JSON.stringify(name)} has no key ${JSON.stringify(key)}`);
  return Buffer.from(value, 'base64').toString().trim();
}

interface ClusterService {
  readonly namespace: string;
  readonly name: string;
  /** `https:name:port`, as the proxy of the API server has it. */
  readonly target: string;
}

/** The Service of the cluster that the endpoint names. */
function serviceOf(endpoint: string): ClusterService | undefined {
  const { protocol, hostname, port } = new URL(endpoint);
  const [, name = '', namespace = ''] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\.|$)/.exec(hostname) ?? [];
  if (name === '') return undefined;
  const isTls = protocol === 'https:';
  const target = `${isTls ? 'https' : 'http'}:${name}:${port === '' ? (isTls ? '443' : '80') : port}`;
  return { namespace, name, target };
}

async function direct({ endpoint, token, ca, insecure }: Address, path: string, wish: GetWish): Promise<OpenAnswer> {
  const { query, signal, idleMs } = wish;
  const connect = { ...(ca !== undefined && { ca }), rejectUnauthorized: !insecure };
  const dispatcher = new Agent({ connect, bodyTimeout: idleMs, headersTimeout: idleMs });
  const headers = token === undefined ? {} : { [tokenHeader]: token };
  const answer = await request(`${endpoint}${path}${queryText(query)}`, { headers, dispatcher, signal });
  return { status: answer.statusCode, date: [answer.headers['date']].flat()[0], bytes: answer.body };
}

interface Proxied {
  readonly place: Address;
  readonly service: ClusterService;
  readonly path: string;
  readonly wish: GetWish;
}

/** Whoever asks needs the verb "get" on services/proxy. */
async function proxied(transport: PodTransport, { place, service, path, wish }: Proxied): Promise<OpenAnswer> {
  const { endpoint, token } = place;
  const base = new URL(endpoint).pathname.replace(/\/+$/, '');
  const at = `/api/v1/namespaces/${service.namespace}/services/${service.target}/proxy${base}${path}`;
  const headers = token === undefined ? {} : { [tokenHeader]: token };
  const { query = {}, signal, idleMs: timeoutMs } = wish;
  return ofService(await transport.open({ method: 'GET', path: at, query, headers, signal, timeoutMs }), service);
}
