// One log-in at a Keystone (Identity API v3): the request for a token, its answer, and what each way of failing means.
import type { Clock } from '../../../lib/ports.ts';
import { causeOf } from '../../../wire/errors/causes.ts';
import { type Category, ServiceError } from '../../../wire/errors/errors.ts';
import { cleanText, quotable, readErrorBody, redirectTarget } from '../../../wire/errors/shapes.ts';
import { retryAfterMs } from '../../../wire/errors/table.ts';
import { parseEndpoint } from '../http/address.ts';
import { parseBody, spellingsOf, withoutToken } from '../http/answer.ts';
import { type Exchanged, exchange, maxRefusalBytes } from '../http/exchange.ts';
import { knownSecrets } from '../http/known-secrets.ts';
import type { Transport } from '../http/proxied.ts';
import type { Size } from '../json/extent.ts';
import { Unreadable } from '../json/unreadable.ts';
import type { Cloud } from './cloud.ts';
import { type CatalogueEndpoint, isDataProcessing } from './service-catalogue.ts';

export interface KeystoneLogin {
  readonly token: string;
  /** Undefined: the token is for no project. */
  readonly project: { readonly id: string; readonly name: string } | undefined;
  /** From its issue to its end, by the clock of the identity service: ours may differ. */
  readonly lifetimeMs: number;
  readonly catalogue: readonly CatalogueEndpoint[];
}

export interface KeystoneWay {
  readonly clock: Clock;
  readonly transport: Transport;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs: number;
}

const request = { method: 'POST', path: '/v3/auth/tokens' } as const;
const largestLogin: Size = { bytes: 4 * 1024 * 1024, values: 100_000, depth: 64 };

type Failing = {
  readonly category: Category;
  readonly why: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
};

/** Nothing was done in the service for want of a token. */
export function loginError(failing: Failing): ServiceError {
  return new ServiceError(request, {
    ...failing,
    certainty: 'definite',
    detail: '',
    nameTaken: false,
    inUse: false,
    ownShape: false,
  });
}

const malformed = (what: string): Failing => ({
  category: 'malformed',
  why: `the identity service's answer ${what}: check auth_url`,
});

type KeystoneAnswer = Extract<Exchanged, { readonly phase: 'answered' }>;

type Secrets = readonly string[];

function judgeStatus({ status, headers, body }: KeystoneAnswer, secrets: Secrets): Failing {
  const { text } = readErrorBody(status, body.subarray(0, maxRefusalBytes).toString(), secrets);
  const said = text === '' ? '' : `: ${quotable(text)}`;
  if (status === 401)
    return { category: 'unauthorized', why: `the identity service does not accept the log-in${said}` };
  if (status === 403) return { category: 'unauthorized', why: `the identity service does not allow the log-in${said}` };
  if (status === 404 || status === 405) return malformed(`says that there is no such path${said}`);
  if (status === 429) return { category: 'throttled', why: 'the identity service asks for fewer log-ins' };
  if (status >= 500) return { category: 'serverFault', why: 'the identity service is not available' };
  if (status >= 400) return { category: 'rejected', why: `the identity service refuses the log-in${said}` };
  if (status >= 300)
    return malformed(`redirects to ${redirectTarget(headers.location, secrets)}, and redirects are not followed`);
  return malformed('is not what Keystone says');
}

function judge(exchanged: Exchanged, secrets: Secrets): Failing {
  if (exchanged.phase !== 'answered') {
    const { category, why } = causeOf(exchanged.code);
    const text = cleanText(exchanged.text ?? '', secrets);
    // The texts on causes speak of the service that a request is for, which is another one here.
    const told = why.replaceAll('the service', 'the identity service').replaceAll('the endpoint', 'auth_url');
    return { category, why: text === '' ? told : `${told}: ${text}` };
  }
  const { 'retry-after': retryAfter, date } = exchanged.headers;
  const wait = retryAfterMs({ status: exchanged.status, body: '', retryAfter, date });
  return {
    ...judgeStatus(exchanged, secrets),
    status: exchanged.status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

type KeystoneJson = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): KeystoneJson =>
  typeof value === 'object' && value !== null ? (value as KeystoneJson) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Nothing but a text is one: what else may stand there has no end, and may have no spelling. */
const textOf = (value: unknown): string => (typeof value === 'string' && value.length <= longestText ? value : '');
const longestText = 2_048;

/** No cloud has as many of one service. */
const endpointsKept = 100;

/** Of the whole catalogue where our service is. */
function readCatalogue(catalogue: unknown): readonly CatalogueEndpoint[] {
  const found = listOf(catalogue).flatMap((service) => {
    const { type, endpoints } = objectOf(service);
    if (!isDataProcessing(type)) return [];
    return listOf(endpoints).map((endpoint) => {
      const { interface: face, region, region_id: regionId, url } = objectOf(endpoint);
      return { type, interface: textOf(face), region: textOf(regionId ?? region), url: textOf(url) };
    });
  });
  return found.slice(0, endpointsKept);
}

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);

/** Undefined: that is not what Keystone answers. */
function readLogin({ headers, body }: KeystoneAnswer, secrets: Secrets): KeystoneLogin | undefined {
  const token = headers['x-subject-token'];
  if (typeof token !== 'string' || token === '') return undefined;
  let json: unknown;
  try {
    json = parseBody(withoutToken(body, spellingsOf(token)), largestLogin);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  const { project, expires_at: end, issued_at: start, catalog } = objectOf(objectOf(json)['token']);
  const lifetimeMs = timeOf(end) - timeOf(start ?? headers.date);
  if (Number.isNaN(lifetimeMs)) return undefined;
  const { id, name } = objectOf(project);
  const into = textOf(id) === '' ? undefined : { id: textOf(id), name: cleanText(textOf(name), secrets) };
  return { token, project: into, lifetimeMs, catalogue: readCatalogue(catalog) };
}

/** Sends the request once. `scope` may differ from that of the cloud. Rejects with a ServiceError that holds no secret. */
export async function requestToken(
  cloud: Cloud,
  way: KeystoneWay,
  scope: unknown = cloud.scope,
): Promise<KeystoneLogin> {
  const { origin, base } = parseEndpoint(cloud.authUrl);
  const auth = { identity: cloud.identity, ...(scope === undefined ? {} : { scope }) };
  const body = Buffer.from(JSON.stringify({ auth }));
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const message = { origin, path: `${base}/auth/tokens`, method: 'POST', headers, body } as const;
  const { transport, clock, timeoutMs } = way;
  const bounds = { clock, timeoutMs, maxBytes: largestLogin.bytes, signal: undefined };
  const exchanged = await exchange(transport, message, bounds);
  const good = exchanged.phase === 'answered' && exchanged.status >= 200 && exchanged.status < 300;
  const sent = [...cloud.secrets, ...(transport.forwarder?.secrets ?? [])];
  knownSecrets.note(sent);
  const secrets = knownSecrets.and(sent);
  const login = good ? readLogin(exchanged, secrets) : undefined;
  if (login !== undefined) return login;
  throw loginError(judge(exchanged, secrets));
}

/** The log-in; where it is not accepted, whether the user or only the project is the trouble, which Keystone itself does not say. */
export async function logIn(cloud: Cloud, way: KeystoneWay): Promise<KeystoneLogin> {
  try {
    return await requestToken(cloud, way);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 401) throw error;
    const accepted = cloud.scope !== undefined && (await isAccepted(cloud, way));
    const remedy = accepted
      ? 'the user is accepted without a project: check the project and its domain in clouds.yaml, and that the user has a role in it'
      : `check the ${cloud.scope === undefined ? 'application credential' : 'user, the domain and the password'} in clouds.yaml`;
    throw loginError({ category: 'unauthorized', status: 401, why: `${error.why}; ${remedy}` });
  }
}

const isAccepted = (cloud: Cloud, way: KeystoneWay): Promise<boolean> =>
  requestToken(cloud, way, 'unscoped').then(
    () => true,
    () => false,
  );
