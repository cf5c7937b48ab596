// The requests of the interface, generic over the routes: how each is sent, and those that read.
import { isRecord } from '../../wire/common.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { ServiceError } from '../../wire/errors/service-error.ts';
import { type Plugin, volumeFull } from '../../wire/plugin.ts';
import { type Collection, check, type RowOf, routes } from '../../wire/routes.ts';
import { templateOf } from './http/address.ts';
import { isSet, readRow, unwrap, valueOf } from './http/answer.ts';
import type { Client, Reader } from './http/client.ts';
import type { OutgoingRequest, RequestLink } from './http/request.ts';
import { Unreadable } from './json/cursor.ts';
import { mostOf } from './limits.ts';
import type { Reads } from './list/inventory.ts';
import { ListReading } from './list/list-reading.ts';
import type { Moment } from './list/list-view.ts';
import type { AdaptiveBudget } from './throttle/adaptive-budget.ts';
import type { Budget } from './throttle/budget.ts';

export interface Requests {
  readonly client: Client;
  readonly budget: Budget;
  readonly adaptive: Pick<AdaptiveBudget, 'sending'>;
  readonly dialect: Dialect;
  /** The time limit, which also applies to the wait of a read for its permit. */
  readonly link: Pick<RequestLink, 'timeoutMs'>;
}

/** The name under which reads take their permits. */
const readUser = 'inventory';
/** For a 429 without Retry-After. */
const shortPauseMs = 1_000;
/** Limits Retry-After, so that deletions do not wait for hours. */
const longestPauseMs = 60_000;

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.status === 429 || error.status === 503);
}

/** A 429, and a 503 with Retry-After, pause all requests to the service. */
function pauseMs({ status, retryAfterMs }: ServiceError): number {
  return Math.min(retryAfterMs ?? (status === 503 ? 0 : shortPauseMs), longestPauseMs);
}

export async function send<T>(requests: Requests, outgoing: OutgoingRequest, read: Reader<T>): Promise<T> {
  const { client, budget, adaptive } = requests;
  const ended = adaptive.sending(`${outgoing.method} ${templateOf(outgoing.segments)}`);
  try {
    const answer = await client.request(outgoing, read);
    ended('good');
    return answer;
  } catch (error) {
    ended(isRefusal(error) ? 'refused' : 'failed');
    if (isRefusal(error)) budget.pauseFor(pauseMs(error));
    throw error;
  }
}

/** Takes a permit for the read. Rejects without sending it if there is none in time. */
async function sendRead<T>(requests: Requests, outgoing: OutgoingRequest, read: Reader<T>): Promise<T> {
  const { signal } = outgoing;
  const permit = await requests.budget.take({ user: readUser, withinMs: requests.link.timeoutMs, signal });
  if (permit === undefined) throw requests.client.unsent(outgoing, signal?.aborted === true ? 'ABORTED' : 'NO_PERMIT');
  try {
    return await send(requests, outgoing, read);
  } finally {
    permit.release();
  }
}

/** Checks the id of the row, in case a cache or proxy returns the answer of another request. */
export function rowReader<R extends Collection>(route: R, dialect: Dialect, id?: string): Reader<RowOf<R>> {
  return (body) => {
    const row = readRow(route, dialect, body);
    if (id !== undefined && row.id !== id) throw new Unreadable('it is about another object');
    return row;
  };
}

/** Plugins have no id, so they are not in the inventory. `isFull`: the service reports that its volume is full. */
export function listPlugins(
  requests: Requests,
  signal: AbortSignal | undefined,
): Promise<{ readonly plugins: readonly Plugin[]; readonly isFull: boolean }> {
  const { path, plural, answer } = routes.plugins;
  return sendRead(requests, { method: 'GET', segments: [path], signal }, (body) => ({
    plugins: valueOf(check(answer.array(), unwrap(body, plural, requests.dialect), plural)),
    isFull: isSet(body, volumeFull),
  }));
}

/** GET of one row. */
export function getRow<R extends Collection>(
  requests: Requests,
  route: R,
  { id, ...call }: Pick<OutgoingRequest, 'signal' | 'onSend'> & { readonly id: string },
): Promise<RowOf<R>> {
  const outgoing: OutgoingRequest = { ...call, method: 'GET', segments: [route.path, id], most: mostOf(route) };
  return sendRead(requests, outgoing, rowReader(route, requests.dialect, id));
}

/** GET of one object with all its fields, in the neutral dialect. Nothing is known of their types. */
export function getObject(
  requests: Requests,
  route: Collection,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal | undefined },
): Promise<Readonly<Record<string, unknown>>> {
  const outgoing: OutgoingRequest = { method: 'GET', segments: [route.path, id], most: mostOf(route), signal };
  return sendRead(requests, outgoing, (body) => {
    const object = unwrap(body, route.single, requests.dialect, mostOf(route));
    if (!isRecord(object)) throw new Unreadable(`its ${route.single} is not an object`);
    if (object['id'] !== id) throw new Unreadable('it is about another object');
    return object;
  });
}

/** The reads of the inventory. */
export function readsOf(requests: Requests): Reads {
  const { dialect } = requests;
  return {
    list(route, previous, sending) {
      const departure = noteDeparture(sending);
      const reading = new ListReading({ route, dialect, previous });
      const open = (token: string | undefined) => reading.sink(token);
      const outgoing: OutgoingRequest = { method: 'GET', segments: [route.path], open, onSend: departure.note };
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
