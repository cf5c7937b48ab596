// Where the output of a run can be read: at the service itself, or through the API server where the service is in the cluster.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import type { OpenAnswer, PodTransport } from '../../kube/http/transport.ts';
import type { Connection, Execution, Objects } from '../objects.ts';
import { ofService } from './log-refusal.ts';

export interface LogQuery {
  readonly follow: boolean;
  readonly tailLines: number | undefined;
}

export interface LogSource {
  /** The base URL of the service, for messages. */
  readonly endpoint: string;
  /** Resolves when the answer begins, whatever its status is. */
  open(id: string, query: LogQuery, signal: AbortSignal): Promise<OpenAnswer>;
}

export interface LogAccess {
  readonly objects: Objects;
  readonly transport: PodTransport;
  readonly tokenFile: string | undefined;
  /** Names of Services are those of the cluster here. Elsewhere any resolver may answer for them, and its server must not get the token. */
  readonly isInCluster: boolean;
}

interface Place {
  readonly endpoint: string;
  readonly token: string | undefined;
  readonly ca: string | undefined;
  readonly insecure: boolean;
}

const tokenHeader = 'x-auth-token';
/** A service sends something at least as often when a log is followed, or has nothing to say for long. */
const idleMs = 3_600_000;

export async function openSource(access: LogAccess, execution: Execution): Promise<LogSource> {
  const { objects, transport, isInCluster } = access;
  const connection = await objects.get('Connection', execution.spec.connectionRef?.name ?? 'default');
  const { spec, status } = connection;
  const endpoint = (status?.endpoint ?? spec.endpoint ?? '').replace(/\/+$/, '');
  const tenant = status?.tenantID ?? spec.tenantID;
  if (endpoint === '' || tenant === undefined)
    throw new Error(`Connection ${JSON.stringify(connection.metadata.name)} does not know its endpoint yet: try again`);
  const { caSecretRef, insecureSkipVerify: insecure = false } = spec.tls ?? {};
  const token = await tokenOf(access, connection);
  const ca = caSecretRef && (await valueIn(objects, caSecretRef.name, 'ca.crt'));
  const place = { endpoint, token, ca, insecure };
  const service = serviceOf(endpoint);
  const pathOf = (id: string) => `/v1.1/${encodeURIComponent(tenant)}/job-executions/${encodeURIComponent(id)}/logs`;
  return {
    endpoint,
    open: (id, query, signal) =>
      service === undefined || isInCluster
        ? direct(place, pathOf(id), { query, signal })
        : proxied(transport, { place, service, path: pathOf(id), query, signal }),
  };
}

async function tokenOf({ objects, tokenFile }: LogAccess, { spec, metadata }: Connection): Promise<string | undefined> {
  if (tokenFile !== undefined) return (await readFile(tokenFile, 'utf8')).trim();
  const { type = 'None', secretRef } = spec.auth ?? {};
  if (type === 'None' || secretRef === undefined) return undefined;
  if (type === 'Token') return valueIn(objects, secretRef.name, 'token');
  const what = `Connection ${JSON.stringify(metadata.name)} uses Keystone`;
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

interface ReadInput {
  readonly query: LogQuery;
  readonly signal: AbortSignal;
}

function queryOf({ follow, tailLines }: LogQuery) {
  return {
    ...(follow && { follow: 'true' }),
    ...(tailLines !== undefined && { tailLines: `${tailLines}` }),
  };
}

async function direct(
  { endpoint, token, ca, insecure }: Place,
  path: string,
  { query, signal }: ReadInput,
): Promise<OpenAnswer> {
  const connect = { ...(ca !== undefined && { ca }), rejectUnauthorized: !insecure };
  const dispatcher = new Agent({ connect, bodyTimeout: idleMs });
  const headers = token === undefined ? {} : { [tokenHeader]: token };
  const answer = await request(`${endpoint}${path}`, { query: queryOf(query), headers, dispatcher, signal });
  return { status: answer.statusCode, bytes: answer.body };
}

interface Proxied extends ReadInput {
  readonly place: Place;
  readonly service: ClusterService;
  readonly path: string;
}

/** Whoever asks needs the verb "get" on services/proxy. */
async function proxied(transport: PodTransport, { place, service, path, query, signal }: Proxied): Promise<OpenAnswer> {
  const { endpoint, token } = place;
  const base = new URL(endpoint).pathname.replace(/\/+$/, '');
  const at = `/api/v1/namespaces/${service.namespace}/services/${service.target}/proxy${base}${path}`;
  const headers = token === undefined ? {} : { [tokenHeader]: token };
  const call = { method: 'GET', path: at, query: queryOf(query), headers, signal, timeoutMs: idleMs } as const;
  return ofService(await transport.open(call), service);
}
