// Literal requests over HTTP, and their answers as they came.

// The shape of an answer is what the tests are about, so they look into it freely.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

export type Headed = Readonly<Record<string, string>>;

export interface Peer {
  readonly url: string;
  send(method: string, path: string, body?: unknown, headers?: Headed): Promise<Reply>;
  /** For what is no text: the request and the answer as the platform has them. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  get(path: string): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
  put(path: string, body: unknown): Promise<Reply>;
  remove(path: string): Promise<Reply>;
}

export function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Everything that follows from how a peer sends. */
export const peerOf = (own: Pick<Peer, 'url' | 'send' | 'fetch'>): Peer => ({
  ...own,
  get: (path) => own.send('GET', path),
  post: (path, body) => own.send('POST', path, body),
  put: (path, body) => own.send('PUT', path, body),
  remove: (path) => own.send('DELETE', path),
});

/** Talks to a base address. Strings are sent as they are, everything else as JSON. */
export function connect(url: string): Peer {
  const send: Peer['send'] = async (method, path, body, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = { method, headers: { ...type, ...headers }, redirect: 'manual' as const };
    const response = await fetch(url + path, body === undefined ? init : { ...init, body: text ?? null }).catch(
      (cause: Error) => {
        const why = cause.cause instanceof Error ? `: ${cause.cause.message}` : '';
        throw new TypeError(`cannot ${method} ${url}${path}: ${cause.message}${why}`, { cause });
      },
    );
    const answer = await response.text();
    return { status: response.status, headers: response.headers, text: answer, body: parse(answer) };
  };
  return peerOf({ url, send, fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }) });
}
