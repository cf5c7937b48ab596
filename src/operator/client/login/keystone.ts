// Requests a token from Keystone (Identity API v3), and classifies failures.
import type { Clock } from '../../../lib/ports.ts';
import { type Category, ServiceError } from '../../../wire/errors/service-error.ts';
import { cleanText, quotable, readErrorBody, redirectTarget } from '../../../wire/errors/shapes.ts';
import { retryAfterMs } from '../../../wire/errors/table.ts';
import { causeOf } from '../../../wire/errors/transport-causes.ts';
import { parseEndpoint } from '../http/address.ts';
import { parseBody, spellingsOf, withoutToken } from '../http/answer.ts';
import { type Exchanged, exchange, maxRefusalBytes } from '../http/exchange.ts';
import { knownSecrets } from '../http/known-secrets.ts';
import type { Transport } from '../http/service-transport.ts';
import { Unreadable } from '../json/cursor.ts';
import type { Size } from '../json/extent.ts';
import type { Cloud } from './clouds.ts';
import { type CatalogueEndpoint, isDataProcessing } from './service-catalogue.ts';

export interface KeystoneLogin {
  readonly token: string;
  /** Undefined if the token has no project scope. */
  readonly project: { readonly id: string; readonly name: string } | undefined;
  /** From issued_at to expires_at, both by the clock of the identity service. */
  readonly lifetimeMs: number;
  readonly catalogue: readonly CatalogueEndpoint[];
}

interface KeystoneOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs: number;
}

const request = { method: 'POST', path: '/v3/auth/tokens' } as const;
const largestLogin: Size = { bytes: 4 * 1024 * 1024, values: 100_000, depth: 64 };

type LoginFailure = {
  readonly category: Category;
  readonly why: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
};

/** The certainty is definite, because the request to the service was not sent. */
export function loginError(failing: LoginFailure): ServiceError {
  return new ServiceError(request, {
    ...failing,
    certainty: 'definite',
    detail: '',
    nameTaken: false,
    inUse: false,
    ownShape: false,
  });
}

function malformed(what: string): LoginFailure {
  return {
    category: 'malformed',
    why: `the answer of the identity service ${what}: check auth_url`,
  };
}

type KeystoneAnswer = Extract<Exchanged, { readonly phase: 'answered' }>;

type Secrets = readonly string[];

function judgeStatus({ status, headers, body }: KeystoneAnswer, cloud: Cloud, secrets: Secrets): LoginFailure {
  const { text } = readErrorBody(status, body.subarray(0, maxRefusalBytes).toString(), secrets);
  const detail = text === '' ? '' : `: ${quotable(text)}`;
  if (status === 401)
    return { category: 'unauthorized', why: `the identity service does not accept the credentials${detail}` };
  if (status === 403)
    return { category: 'unauthorized', why: `the identity service does not allow the login${detail}` };
  if (status === 404 && isMissingCredential(text, cloud))
    return { category: 'unauthorized', why: `the identity service has no such application credential${detail}` };
  if (status === 404 || status === 405) return malformed(`is ${status}${detail}`);
  if (status === 429) return { category: 'throttled', why: 'the identity service limits the number of logins' };
  if (status >= 500)
    return { category: 'serverFault', why: `the identity service is not available${hint(status, cloud)}` };
  if (status >= 400) return { category: 'rejected', why: `the identity service rejects the login${detail}` };
  if (status >= 300)
    return malformed(`is a redirect to ${redirectTarget(headers.location, secrets)}, which is not followed`);
  return malformed('is not an answer of Keystone');
}

/** Tells the 404 of Keystone from that of another URL, which does not know what was asked for. */
function isMissingCredential(text: string, { identity }: Cloud): boolean {
  return identity.application_credential !== undefined && /\bapplication credential\b/i.test(text);
}

/** Keystone finds no application credential by a name that the user has not, and fails. */
function hint(status: number, { identity: { application_credential: credential } }: Cloud): string {
  if (status !== 500 || credential === undefined || credential.id !== undefined) return '';
  return ' (500). Keystone also answers so if the user has no application credential with this name: check application_credential_name in clouds.yaml';
}

function judge(exchanged: Exchanged, cloud: Cloud, secrets: Secrets): LoginFailure {
  if (exchanged.phase !== 'answered') {
    const { category, why } = causeOf(exchanged.code);
    const text = cleanText(exchanged.text ?? '', secrets);
    // The texts of the causes are about the data-processing service.
    const reason = why.replaceAll('the service', 'the identity service').replaceAll('the endpoint', 'auth_url');
    return { category, why: text === '' ? reason : `${reason}: ${text}` };
  }
  const { 'retry-after': retryAfter, date } = exchanged.headers;
  const wait = retryAfterMs({ status: exchanged.status, body: '', retryAfter, date });
  return {
    ...judgeStatus(exchanged, cloud, secrets),
    status: exchanged.status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

type KeystoneJson = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): KeystoneJson {
  return typeof value === 'object' && value !== null ? (value as KeystoneJson) : {};
}
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Any other value counts as missing. */
function textOf(value: unknown): string {
  return typeof value === 'string' && value.length <= longestText ? value : '';
}
const longestText = 2_048;

const endpointsKept = 100;

/** The endpoints of the data-processing service only. */
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

function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

/** Undefined if the answer is not one of Keystone. */
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

/** Sends one request. Rejects with a ServiceError that contains no secret. */
export async function requestToken(
  cloud: Cloud,
  options: KeystoneOptions,
  scope: unknown = cloud.scope,
): Promise<KeystoneLogin> {
  const { origin, base } = parseEndpoint(cloud.authUrl);
  const auth = { identity: cloud.identity, ...(scope === undefined ? {} : { scope }) };
  const body = Buffer.from(JSON.stringify({ auth }));
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const message = { origin, path: `${base}/auth/tokens`, method: 'POST', headers, body } as const;
  const { transport, clock, timeoutMs } = options;
  const bounds = { clock, timeoutMs, maxBytes: largestLogin.bytes, signal: undefined };
  const exchanged = await exchange(transport, message, bounds);
  const good = exchanged.phase === 'answered' && exchanged.status >= 200 && exchanged.status < 300;
  const sent = [...cloud.secrets, ...(transport.forwarder?.secrets ?? [])];
  knownSecrets.note(sent);
  const secrets = knownSecrets.and(sent);
  const login = good ? readLogin(exchanged, secrets) : undefined;
  if (login !== undefined) return login;
  throw loginError(judge(exchanged, cloud, secrets));
}

/** If Keystone rejects the credentials, a second request without scope finds out whether the user or the project is wrong. */
export async function logIn(cloud: Cloud, options: KeystoneOptions): Promise<KeystoneLogin> {
  try {
    return await requestToken(cloud, options);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.category !== 'unauthorized' || error.status === 403) throw error;
    const { status, why } = error;
    const remedy = await remedyFor(status, cloud, options);
    throw loginError({ category: 'unauthorized', ...(status !== undefined && { status }), why: `${why}; ${remedy}` });
  }
}

async function remedyFor(status: number | undefined, cloud: Cloud, options: KeystoneOptions): Promise<string> {
  const { application_credential: credential } = cloud.identity;
  if (status === 404) {
    const field = credential?.id === undefined ? 'application_credential_name' : 'application_credential_id';
    return `check ${field} and auth_url in clouds.yaml, or create another application credential, because Keystone deletes it if its user is disabled or loses a role in the project`;
  }
  if (credential !== undefined) {
    const fields = `${credential.id === undefined ? 'the user and ' : ''}application_credential_secret`;
    return `check ${fields} in clouds.yaml, that the application credential has not expired, and that its user and project are enabled`;
  }
  return (await isAccepted(cloud, options))
    ? 'user and password are correct, so check the project and its domain in clouds.yaml, that it is enabled, and that the user has a role in it'
    : 'check the user, domain and password in clouds.yaml, and that the user is enabled';
}

function isAccepted(cloud: Cloud, options: KeystoneOptions): Promise<boolean> {
  return requestToken(cloud, options, 'unscoped').then(
    () => true,
    () => false,
  );
}
