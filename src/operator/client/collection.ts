// The requests of the interface, generic over the routes: list, get, create, change and delete.
import type { Dialect } from '../../wire/dialect.ts';
import { ServiceError } from '../../wire/errors/errors.ts';
import type { Plugin } from '../../wire/plugin.ts';
import { type Collection, check, type RowOf, routes } from '../../wire/routes.ts';
import { checkEmpty, readRow, unwrap, valueOf } from './http/answer.ts';
import type { Client, Reader } from './http/client.ts';
import type { Outgoing, RequestLink } from './http/request.ts';
import { Unreadable } from './json/cursor.ts';
import type { Size } from './json/extent.ts';
import { largestPiece, largestRow } from './limits.ts';
import type { Reads } from './list/inventory.ts';
import { ListReading } from './list/listing.ts';
import type { Moment } from './list/view.ts';
import type { Budget, Permit } from './throttle/budget.ts';

export interface Requests {
  readonly client: Client;
  readonly budget: Budget;
  readonly dialect: Dialect;
  /** The time limit, which also applies to the wait of a read for its permit. */
  readonly link: Pick<RequestLink, 'timeoutMs'>;
}

interface RowRequest {
  readonly id: string;
  readonly signal?: AbortSignal | undefined;
  readonly onSend?: (() => void) | undefined;
}

export interface CollectionWrite {
  readonly method: 'POST' | 'PUT';
  /** The path after the tenant. */
  readonly segments: readonly [collection: string, ...below: string[]];
  /** The expected id of the row in the answer. */
  readonly id?: string;
  readonly body?: unknown;
  readonly permit: Permit;
}

/** The name under which reads take their permits. */
const readUser = 'inventory';
/** For a 429 without Retry-After. */
const shortPauseMs = 1_000;
/** Limits Retry-After, so that deletions do not wait for hours. */
const longestPauseMs = 60_000;

/** A 429, and a 503 with Retry-After, pause all requests to the service. */
function pauseMs(error: unknown): number | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const wait = error.status === 503 ? error.retryAfterMs : (error.retryAfterMs ?? shortPauseMs);
  const asked = error.status === 429 || error.status === 503;
  return asked && wait !== undefined ? Math.min(wait, longestPauseMs) : undefined;
}

async function sendOnce<T>({ client, budget }: Requests, outgoing: Outgoing, read: Reader<T>): Promise<T> {
  try {
    return await client.request(outgoing, read);
  } catch (error) {
    const ms = pauseMs(error);
    if (ms !== undefined) budget.pauseFor(ms);
    throw error;
  }
}

/** Takes a permit for the read. Rejects without sending it if there is none in time. */
async function sendRead<T>(requests: Requests, outgoing: Outgoing, read: Reader<T>): Promise<T> {
  const { signal } = outgoing;
  const permit = await requests.budget.take({ user: readUser, withinMs: requests.link.timeoutMs, signal });
  if (permit === undefined) throw requests.client.unsent(outgoing, signal?.aborted === true ? 'ABORTED' : 'NO_PERMIT');
  try {
    return await sendOnce(requests, outgoing, read);
  } finally {
    permit.release();
  }
}

/** Checks the id of the row, in case a cache or proxy returns the answer of another request. */
function rowReader<R extends Collection>(route: R, dialect: Dialect, id?: string): Reader<RowOf<R>> {
  return (body) => {
    const row = readRow(route, dialect, body);
    if (id !== undefined && row.id !== id) throw new Unreadable('it is about another object');
    return row;
  };
}

/** Plugins have no id, so they are not in the inventory. */
export function listPlugins(requests: Requests, signal: AbortSignal | undefined): Promise<readonly Plugin[]> {
  const { path, plural, answer } = routes.plugins;
  return sendRead(requests, { method: 'GET', route: path, segments: [path], signal }, (body) =>
    valueOf(check(answer.array(), unwrap(body, plural, requests.dialect), plural)),
  );
}

/** An answer may be larger if its outline can be read. */
const mostOf = ({ outline }: Collection): Size => (outline === undefined ? largestPiece : largestRow);

/** GET of one row. */
export function getRow<R extends Collection>(requests: Requests, route: R, request: RowRequest): Promise<RowOf<R>> {
  const { id, signal, onSend } = request;
  const segments = [route.path, id];
  const outgoing: Outgoing = { method: 'GET', route: route.path, segments, signal, onSend, most: mostOf(route) };
  return sendRead(requests, outgoing, rowReader(route, requests.dialect, id));
}

/** Sends a write whose answer is a row of `route`. The caller takes and releases the permit. */
export function writeRow<R extends Collection>(
  requests: Requests,
  route: R,
  writing: CollectionWrite,
): Promise<RowOf<R>> {
  const { id, permit, ...message } = writing;
  const [collection] = message.segments;
  const outgoing: Outgoing = {
    ...message,
    route: collection,
    signal: permit.signal,
    most: mostOf(route),
  };
  return sendOnce(requests, outgoing, rowReader(route, requests.dialect, id));
}

/** Accepts every 2xx answer that may come from the service itself. */
export function deleteRow(
  requests: Requests,
  route: Collection,
  { id, permit }: Pick<RowRequest, 'id'> & { readonly permit: Permit },
): Promise<void> {
  const segments = [route.path, id];
  return sendOnce(requests, { method: 'DELETE', route: route.path, segments, signal: permit.signal }, checkEmpty);
}

/** The reads of the inventory. */
export function readsOf(requests: Requests): Reads {
  const { dialect } = requests;
  return {
    list(route, previous, sending) {
      const departure = noteDeparture(sending);
      const reading = new ListReading({ route, dialect, previous });
      const outgoing = {
        method: 'GET',
        route: route.path,
        segments: [route.path],
        open: (token: string | undefined) => reading.sink(token),
        onSend: departure.note,
      } as const;
      return sendRead(requests, outgoing, () => reading.finish(departure.moment()));
    },
    async get(route, id, sending) {
      const departure = noteDeparture(sending);
      try {
        const row = await getRow(requests, route, { id, onSend: departure.note });
        return { row, sent: departure.moment() };
      } catch (error) {
        if (error instanceof ServiceError && error.category === 'notFound')
          return { row: undefined, sent: departure.moment() };
        throw error;
      }
    },
  };
}

function noteDeparture(sending: () => Moment) {
  let sent: Moment | undefined;
  return {
    note: (): void => {
      sent = sending();
    },
    moment: (): Moment => {
      if (sent === undefined) throw new Error('an answer came before its request was sent');
      return sent;
    },
  };
}
