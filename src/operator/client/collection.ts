// The requests of the interface, generic over the routes: list, get, create, change and delete, each sent once.

import type { z } from 'zod';
import type { Immutable } from '../../wire/common.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { ServiceError } from '../../wire/errors/errors.ts';
import { type Collection, check, type RowOf } from '../../wire/rows.ts';
import { checkEmpty, readRow, unwrap, valueOf } from './http/answer.ts';
import type { Client, Reader } from './http/client.ts';
import type { Outgoing, RequestLink } from './http/request.ts';
import type { Size } from './json/extent.ts';
import { Unreadable } from './json/unreadable.ts';
import { largestPiece, largestRow } from './limits.ts';
import type { Reads } from './list/inventory.ts';
import { ListReading } from './list/listing.ts';
import type { Moment } from './list/view.ts';
import type { Budget, Permit } from './throttle/budget.ts';

/** What every request needs. */
export interface Requests {
  readonly client: Client;
  readonly budget: Budget;
  readonly dialect: Dialect;
  /** A read waits as long for its permit as it then may take. */
  readonly link: Pick<RequestLink, 'timeoutMs'>;
}

export interface Single {
  readonly id: string;
  /** After the id: what else has the row for its answer. */
  readonly verb?: string;
  readonly signal?: AbortSignal | undefined;
  readonly onSend?: (() => void) | undefined;
}

export interface CollectionWrite {
  /** A GET that changes something is a write like any other. */
  readonly method: 'POST' | 'PUT' | 'GET';
  /** After the tenant. */
  readonly segments: readonly [collection: string, ...below: string[]];
  /** Of the row in the answer, where it is known before. */
  readonly id?: string;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly permit: Permit;
}

export interface Deleting {
  readonly id: string;
  readonly permit: Permit;
}

/** The name under which reads take their permits. */
export const readUser = 'inventory';
/** A 429 that names no time. */
const shortPauseMs = 1_000;
/** Whatever the service asks for: deletes must not wait for hours. */
const longestPauseMs = 60_000;

/** 429 speaks for the whole service, and so does a 503 that names a time. */
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

/** Sends a read with a permit of its own. Rejects, unsent, when none is to be had in time. */
export async function sendRead<T>(requests: Requests, outgoing: Outgoing, read: Reader<T>): Promise<T> {
  const { signal } = outgoing;
  const permit = await requests.budget.take({ user: readUser, withinMs: requests.link.timeoutMs, signal });
  if (permit === undefined) throw requests.client.unsent(outgoing, signal?.aborted === true ? 'ABORTED' : 'NO_PERMIT');
  try {
    return await sendOnce(requests, outgoing, read);
  } finally {
    permit.release();
  }
}

/** A row, of the id that was asked for where there is one: a cache or proxy that mixes answers up must not mix up clusters. */
function rowReader<R extends Collection>(route: R, dialect: Dialect, id?: string): Reader<RowOf<R>> {
  return (body) => {
    const row = readRow(route, dialect, body);
    if (id !== undefined && row.id !== id) throw new Unreadable('it is about another object');
    return row;
  };
}

/** What whoever reads a value may ask for. */
export type Asked = Pick<Outgoing, 'signal' | 'most'>;

/** GET of what stands under one key of an answer and is no row. */
export function readValue<Schema extends z.ZodType>(
  requests: Requests,
  { schema, key }: { readonly schema: Schema; readonly key: string },
  asked: Asked & { readonly segments: readonly [collection: string, ...below: string[]] },
): Promise<Immutable<z.output<Schema>>> {
  const outgoing: Outgoing = { method: 'GET', route: asked.segments[0], ...asked };
  const valueIn = (body: Buffer): unknown => unwrap(body, key, requests.dialect, asked.most);
  return sendRead(requests, outgoing, (body) => valueOf(check(schema, valueIn(body), key)));
}

/** Where an outline will do, an answer may be larger. */
const mostOf = ({ outline }: Collection): Size => (outline === undefined ? largestPiece : largestRow);

/** GET of one row. */
export function getRow<R extends Collection>(requests: Requests, route: R, single: Single): Promise<RowOf<R>> {
  const { id, verb, signal, onSend } = single;
  const segments = [route.path, id, ...(verb === undefined ? [] : [verb])];
  const outgoing: Outgoing = { method: 'GET', route: route.path, segments, signal, onSend, most: mostOf(route) };
  return sendRead(requests, outgoing, rowReader(route, requests.dialect, id));
}

/** A request that answers with a row of `route`. The permit is the caller's, to take before and to release after. */
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
    effect: true,
    signal: permit.signal,
    most: mostOf(route),
  };
  return sendOnce(requests, outgoing, rowReader(route, requests.dialect, id));
}

/** DELETE of one row; any 2xx will do that the service itself can have given. */
export function deleteRow(requests: Requests, route: Collection, { id, permit }: Deleting): Promise<void> {
  const segments = [route.path, id];
  return sendOnce(requests, { method: 'DELETE', route: route.path, segments, signal: permit.signal }, checkEmpty);
}

/** The requests below an inventory. */
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
    /** Answers come after their requests: by then it is known. */
    moment: (): Moment => {
      if (sent === undefined) throw new Error('an answer came before its request was sent');
      return sent;
    },
  };
}
