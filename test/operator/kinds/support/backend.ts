// The bundled service of one test: in memory, in this process, its clusters moving on only when they are told to.

import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { Kind, Records } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { ManualClock } from '../../../support/clock.ts';

export const tenant = 'demo';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly token?: string | undefined;
  /** Of the body; JSON without it. */
  readonly type?: string | undefined;
}

export interface Backend {
  /** Answers as the service does, without a socket. */
  answer(request: Request): Promise<Reply>;
  rows<K extends Kind>(kind: K): readonly Records[K][];
  /** Puts a record as it is, past every check. */
  put<K extends Kind>(kind: K, record: Records[K]): void;
  /** Of an internal binary. */
  bytes(id: string): string;
  drop(kind: Kind, id: string): void;
  /** Lets each cluster go on by one stage. */
  step(): Promise<void>;
  /** Lets the clusters go on until nothing is under way. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** `seed`: of its identifiers; two services must not give out the same ones. */
export function openBackend(seed: number, options: Partial<ServerOptions> = {}): Backend {
  const clock = new ManualClock({ wall: Date.now() });
  const step = async (): Promise<void> => {
    clock.fire();
    await turns();
  };
  const store = createMemoryStore();
  const server = createServer({ clock, random: createSeededRandom(seed), store, ...options });
  return {
    async answer({ method, url, body, type: sent = 'application/json' }) {
      const headers = body === undefined ? {} : { 'content-type': sent };
      const call = { method: method as 'GET', url, headers, ...(body === undefined ? {} : { payload: body }) };
      const reply = await server.app.inject(call);
      const type = String(reply.headers['content-type'] ?? 'application/json');
      return { status: reply.statusCode, headers: { 'content-type': type }, body: reply.body };
    },
    rows: (kind) => store.list(kind, tenant),
    put: (kind, record) => store.put(kind, tenant, record),
    bytes: (id) => Buffer.from(store.bytes(tenant, id) ?? []).toString(),
    drop: (kind, id) => store.remove(kind, tenant, id),
    step,
    async rest() {
      for (let stage = 0; clock.pending > 0 && stage < 20; stage += 1) await step();
    },
    close: async () => server.app.close(),
  };
}
