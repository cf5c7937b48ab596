// Validates tokens with a Keystone over HTTP.
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../lib/ports.ts';

/** The project and expiry of a valid token. */
export interface TokenSubject {
  /** Undefined if the token is unscoped. */
  readonly project: string | undefined;
  readonly expiresAt: number;
}

/** Resolves to undefined if the token is invalid. Rejects if that cannot be determined. */
export type Validate = (token: string) => Promise<TokenSubject | undefined>;

/** A Keystone in this process, below the path `/v3` of the service. The product has none; `dev/identity` has one for tests of clients. */
export interface LocalIdentity {
  readonly validate: Validate;
  /** Whether its credentials are documented, so that everybody knows them. */
  readonly isDemo: boolean;
  /** Whether it answers the request. It needs no token of the service. */
  isPath(url: string): boolean;
  mount(app: FastifyInstance): void;
}

const timeoutMs = 10_000;
const maxBytes = 1_000_000;
/** Further requests wait, so that requests with invented tokens cannot overload Keystone. */
const maxConnections = 16;

interface Reply {
  readonly status: number;
  readonly text: string;
}

interface Way {
  readonly clock: Clock;
  readonly url: URL;
  readonly agent: HttpAgent;
}

function ask({ clock, url, agent }: Way, token: string): Promise<Reply> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  // Keystone lets the owner of a token validate it, so the service needs no credentials of its own.
  const headers = { 'x-auth-token': token, 'x-subject-token': token, accept: 'application/json' };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxBytes) outgoing.destroy(new Error('its answer is too long'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    const cancel = clock.after(timeoutMs, () => outgoing.destroy(new Error('it did not answer in time')));
    outgoing.on('close', cancel);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function readSubject(text: string): TokenSubject {
  const { token } = JSON.parse(text) as { token?: { expires_at?: unknown; project?: { id?: unknown } } };
  const expiresAt = Date.parse(String(token?.expires_at));
  if (token === undefined || Number.isNaN(expiresAt)) throw new Error('its answer is not about a token');
  return { project: typeof token.project?.id === 'string' ? token.project.id : undefined, expiresAt };
}

/** `authUrl` ends with `/v3`. */
export const validateAt = (authUrl: string, clock: Clock): Validate => {
  const url = new URL(`${authUrl.replace(/\/+$/, '')}/auth/tokens?nocatalog`);
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ maxSockets: maxConnections });
  return async (token) => {
    const { status, text } = await ask({ clock, url, agent }, token);
    if (status === 200) return readSubject(text);
    if (status === 401 || status === 404) return undefined;
    throw new Error(`the identity service answers ${status}`);
  };
};
