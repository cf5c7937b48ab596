// A service as the plans of the operator read it, with the rights of the user. It has no request that changes anything.
import { startDeadline } from '../../kube/http/deadline.ts';
import type { Clock } from '../../lib/ports.ts';
import { readRow, spellingsOf, unwrap, withoutToken } from '../../operator/client/http/answer.ts';
import { Unreadable } from '../../operator/client/json/cursor.ts';
import { Inventory, type Reads } from '../../operator/client/list/inventory.ts';
import { ListReading } from '../../operator/client/list/list-reading.ts';
import type { Service } from '../../operator/client/service-client.ts';
import { Budget } from '../../operator/client/throttle/budget.ts';
import { Starts } from '../../operator/client/throttle/starts.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { ServiceError } from '../../wire/errors/service-error.ts';
import { classify } from '../../wire/errors/table.ts';
import { type Collection, prefixOf } from '../../wire/routes.ts';
import type { ServiceSource } from '../service/service-source.ts';

/** What a preview asks through: the service, or why it cannot be asked. */
export interface ServiceAccess {
  readonly dialect: Dialect;
  readonly source: ServiceSource | string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const idleMs = 30_000;
const longestMs = 120_000;
const mostBytes = 64 * 1024 ** 2;
/** Never waited for: a preview takes no permit. */
const limits = { requestsPerSecond: 1, burst: 1, maxInFlight: 1 } as const;

export function readOnlyService(access: ServiceAccess): Service {
  const { dialect, clock } = access;
  const never = async (): Promise<never> => {
    throw new Error('a preview writes nothing to the service');
  };
  const writes = { create: never, upload: never, remove: never, scaleCluster: never, execute: never };
  const more = { cancelExecution: never, registerImage: never, tagImage: never, untagImage: never };
  return {
    ...writes,
    ...more,
    dialect,
    inventory: new Inventory(readsOf(access), clock),
    budget: new Budget(limits, clock),
    starts: new Starts(clock),
    isFull: false,
    get: (route, id) => rowOf(access, route, id),
    getObject: async (route, id) =>
      (await ask(access, [route, id], async (bytes) =>
        unwrap(await whole(access, bytes), route.single, dialect),
      )) as object as Record<string, unknown>,
    plugins: never,
    configure: () => undefined,
    close: async () => undefined,
  };
}

function readsOf(access: ServiceAccess): Reads {
  return {
    list(route, previous, sending) {
      const reading = new ListReading({ route, dialect: access.dialect, previous });
      const sink = reading.sink(tokenOf(access));
      const sent = sending();
      return ask(access, [route], async (bytes) => {
        for await (const part of bounded(bytes)) await sink(Buffer.from(part));
        return reading.finish(sent);
      });
    },
    async get(route, id, sending) {
      const sent = sending();
      try {
        return { sent, row: await rowOf(access, route, id) };
      } catch (error) {
        if (error instanceof ServiceError && error.category === 'notFound') return { sent, row: undefined };
        throw error;
      }
    },
  };
}

function rowOf<R extends Collection>(access: ServiceAccess, route: R, id: string) {
  return ask(access, [route, id], async (bytes) => readRow(route, access.dialect, await whole(access, bytes)));
}

type Bytes = AsyncIterable<Uint8Array>;

/** Rejects with ServiceError. */
async function ask<T>(
  access: ServiceAccess,
  [route, id]: readonly [route: Collection, id?: string],
  read: (bytes: Bytes) => Promise<T>,
): Promise<T> {
  const { source, dialect, clock, signal } = access;
  const tenant = typeof source === 'string' ? '-' : source.tenant;
  const below = id === undefined ? '' : `/${encodeURIComponent(id)}`;
  const path = `/${prefixOf(dialect, route.path)}/${encodeURIComponent(tenant)}/${route.path}${below}`;
  const line = { method: 'GET', path, collection: id === undefined } as const;
  if (typeof source === 'string') throw classify(line, { phase: 'unsent', code: 'NO_TOKEN', text: source });
  const reason = `no complete answer within ${longestMs / 1_000} s`;
  const deadline = startDeadline({ clock, ms: longestMs, parent: signal, reason });
  try {
    const { status, bytes } = await source.get(path, { signal: deadline.signal, idleMs });
    if (status === 200) return await read(bytes);
    throw classify(line, { phase: 'answered', status, body: (await whole(access, bytes)).toString() });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    if (error instanceof Unreadable)
      throw classify(line, { phase: 'answered', status: 200, body: '', problem: error.message });
    throw classify(line, {
      phase: 'unanswered',
      code: deadline.signal.aborted ? 'DEADLINE' : codeIn(error),
      text: textIn(error),
    });
  } finally {
    deadline.done();
  }
}

function codeIn(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? code : 'UNKNOWN';
}

function textIn(error: unknown): string {
  return error instanceof Error && codeIn(error) === 'UNKNOWN' ? error.message : '';
}

async function* bounded(bytes: Bytes): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > mostBytes) throw new Unreadable(`its body is longer than ${mostBytes / 1024 ** 2} MiB`);
    yield part;
  }
}

/** Without the token, if the service repeats it: a plan may be printed anywhere. */
async function whole(access: ServiceAccess, bytes: Bytes): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bounded(bytes)) parts.push(part);
  return withoutToken(Buffer.concat(parts), spellingsOf(tokenOf(access)));
}

function tokenOf({ source }: ServiceAccess): string | undefined {
  return typeof source === 'string' ? undefined : source.token;
}
