// A plain line to the API server of the tests: what was sent is what was written, and every answer comes back as it is.
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { Agent, request } from 'undici';
import { readKubeconfig } from './kubeconfig.ts';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Unset: JSON; for PATCH a merge patch. */
  readonly contentType?: string;
  readonly accept?: string;
}

export interface Answer {
  readonly status: number;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

export interface ApiServer extends AsyncDisposable {
  send(call: Call): Promise<Answer>;
  /** Server-side apply as manager "tests", by force and strictly: unknown fields are errors. */
  apply(path: string, object: unknown, query?: string): Promise<Answer>;
  /**
   * Tells every version of the objects below `path` in their order, first those that there are; until the signal ends it. The server may end a
   * watch, for example that of a client which it finds too slow: this one goes on where it was. Rejects when versions may have been missed.
   */
  watch(path: string, seen: (event: WatchEvent) => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface Versioned {
  readonly resourceVersion: string;
}

/** The server ends a watch that asks for no time after half an hour to an hour. */
const longestSeconds = 24 * 3_600;
/** A server that sets up the storage of a changed definition answers 429 for a moment. */
const againMs = 100;
const mergePatch = 'application/merge-patch+json';

/** Speaks as the first user of the kubeconfig file. */
export async function connect(kubeconfig: string): Promise<ApiServer> {
  const { server, ca, cert, key } = await readKubeconfig(kubeconfig);
  // Once for all connections: to read certificates and keys takes longer than the rest of a handshake.
  const secureContext = createSecureContext({ ca, cert, key });
  const dispatcher = new Agent({ allowH2: false, connections: 8, connect: { secureContext } });
  // Each watch holds a connection, and there may be one of every kind.
  const watches = new Agent({ allowH2: false, connect: { secureContext } });

  async function send({ method = 'GET', path, body, contentType, accept = 'application/json' }: Call): Promise<Answer> {
    const type = contentType ?? (method === 'PATCH' ? mergePatch : 'application/json');
    const response = await request(`${server}${path}`, {
      dispatcher,
      method,
      headers: { 'content-type': type, accept },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: read(await response.body.text()) };
  }

  const apply = async (path: string, object: unknown, query = '?fieldValidation=Strict'): Promise<Answer> =>
    send({
      method: 'PATCH',
      path: `${path}${query}&fieldManager=tests&force=true`,
      body: object,
      contentType: 'application/apply-patch+yaml',
    });
  async function watch(path: string, seen: (event: WatchEvent) => void, signal: AbortSignal): Promise<void> {
    const { body: list } = await send({ path });
    const { items, metadata } = list as { readonly items: readonly object[]; readonly metadata: Versioned };
    for (const object of items) seen({ type: 'ADDED', object });
    let { resourceVersion } = metadata;
    while (!signal.aborted) {
      const url = `${server}${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}&timeoutSeconds=${longestSeconds}`;
      try {
        const { body, statusCode } = await request(url, { dispatcher: watches, signal, bodyTimeout: 0 });
        if (statusCode === 429) {
          await body.dump();
          await pause(againMs);
          continue;
        }
        if (statusCode !== 200) throw new Error(`cannot watch ${path}: ${statusCode} ${await body.text()}`);
        for await (const line of createInterface({ input: body })) {
          const event = JSON.parse(line) as WatchEvent;
          if (event.type === 'ERROR') throw new Error(`cannot watch ${path} any more: ${line}`);
          ({ resourceVersion } = (event.object as { readonly metadata: Versioned }).metadata);
          if (event.type !== 'BOOKMARK') seen(event);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  const close = async (): Promise<void> => void (await Promise.all([dispatcher.destroy(), watches.destroy()]));
  return { send, apply, watch, close, [Symbol.asyncDispose]: close };
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Makes a namespace for one test file; it is never deleted, because the whole API server goes away after the run. */
export async function createNamespace(server: ApiServer, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${name}`;
  const answer = await server.apply(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  if (answer.status >= 300) throw new Error(`cannot make namespace ${name}: ${JSON.stringify(answer.body)}`);
  return name;
}
