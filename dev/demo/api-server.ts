// A minimal client of the API server, for a kubeconfig with a client certificate or a token. Returns every answer unchanged.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { parse } from 'yaml';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Of the body; JSON when unset. */
  readonly contentType?: string;
  readonly accept?: string;
}

export interface Answer<T = unknown> {
  readonly status: number;
  readonly body: T;
}

export interface ApiServer {
  readonly url: string;
  /** The certificate authority as a kubeconfig has it: PEM in base64. */
  readonly authority: string;
  send(call: Call): Promise<Answer>;
  /** The body of the answer; throws `cannot <method> <path>: <why>` for everything but success. */
  ask<T>(call: Call): Promise<T>;
  close(): Promise<void>;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

export async function openApiServer(kubeconfig: string): Promise<ApiServer> {
  const config = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const [{ cluster }, { user }] = [config.clusters[0], config.users[0]];
  const pem = (encoded = ''): string => Buffer.from(encoded, 'base64').toString();
  const { server: url = '', 'certificate-authority-data': authority = '' } = cluster;
  const [cert, key] = [pem(user['client-certificate-data']), pem(user['client-key-data'])];
  const authorization = user['token'] === undefined ? {} : { authorization: `Bearer ${user['token']}` };
  const dispatcher = new Agent({ allowH2: false, connections: 8, connect: { ca: pem(authority), cert, key } });

  async function send(call: Call): Promise<Answer> {
    const { method = 'GET', path, body, contentType = 'application/json', accept = 'application/json' } = call;
    const response = await request(`${url}${path}`, {
      dispatcher,
      method,
      headers: { 'content-type': contentType, accept, ...authorization },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  async function ask<T>(call: Call): Promise<T> {
    const { status, body } = await send(call);
    if (status < 300) return body as T;
    throw new Error(`cannot ${call.method ?? 'GET'} ${call.path}: ${status} ${messageOf(body)}`);
  }

  return { url, authority, send, ask, close: async () => dispatcher.destroy() };
}

function messageOf(body: unknown): string {
  if (typeof body === 'string') return body.trim();
  const { message } = body as { readonly message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(body);
}
