// One request on its way: its token, its headers and body, and once more with another token where a read was refused for the first.

import { toWire } from '../../../wire/dialect.ts';
import { type Failure, ServiceError } from '../../../wire/errors/errors.ts';
import { readErrorBody } from '../../../wire/errors/shapes.ts';
import { prefixOf } from '../../../wire/routes.ts';
import { tokenWithin } from '../credentials.ts';
import { largestPiece, maxBinaryBytes } from '../limits.ts';
import { type Address, isSegment, joinPath } from './address.ts';
import { type Exchanged, exchange, giveBack } from './exchange.ts';
import { knownSecrets } from './known-secrets.ts';
import type { ClientOptions, Outgoing } from './request.ts';

type Unsent = Failure & { readonly phase: 'unsent' };

/** The log-in has requests of its own; whatever became of them, ours was never sent. */
function noToken(error: unknown): Unsent {
  const inner = error instanceof ServiceError ? { category: error.category, text: error.why } : {};
  return { phase: 'unsent', code: 'NO_TOKEN', ...inner };
}

const isHeaderValue = (token: string): boolean => /^[\x21-\x7e]+$/.test(token);

export const pathOf = ({ dialect, tenant }: ClientOptions, { route, segments }: Outgoing): string =>
  joinPath([prefixOf(dialect, route), tenant, ...segments]);

export interface RequestAttempt {
  readonly exchanged: Exchanged;
  readonly token: string | undefined;
}

const unsent = (failure: Unsent): RequestAttempt => ({ exchanged: failure, token: undefined });

const isJson = (body: Buffer): boolean => !['text', 'empty'].includes(readErrorBody(401, body.toString(), []).shape);

/** The middleware that checks tokens says so in a header or in JSON; the filter of tenants, for whom every token of a project is the same, in text. */
const isAboutToken = (exchanged: Exchanged): boolean =>
  exchanged.phase === 'answered' &&
  exchanged.status === 401 &&
  (exchanged.headers['www-authenticate'] !== undefined || isJson(exchanged.body));

const isRead = ({ method, effect }: Outgoing): boolean => method === 'GET' && effect !== true;

/** What goes out, and as what; nothing where there is nothing to send. */
function contentOf({ dialect }: ClientOptions, { body, bytes }: Outgoing) {
  if (bytes !== undefined) return { type: 'application/octet-stream', bytes: Buffer.from(bytes) };
  if (body === undefined) return undefined;
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(toWire(dialect, body))) };
}

/** A read is sent once more where its token was refused and another one can be had; what became of a write is judged by those who sent it. */
export async function attemptWithToken(
  options: ClientOptions,
  outgoing: Outgoing,
  address: Address,
): Promise<RequestAttempt> {
  const first = await attempt(options, outgoing, address);
  const { exchanged, token } = first;
  if (token === undefined || !isAboutToken(exchanged) || !options.credentials.rejected(token)) return first;
  if (!isRead(outgoing) || outgoing.signal?.aborted === true) return first;
  giveBack(exchanged);
  const second = await attempt(options, outgoing, address);
  if (second.exchanged.phase === 'answered' && second.exchanged.status === 401 && second.token !== undefined) {
    options.credentials.rejected(second.token);
  }
  return second;
}

/** Never rejects: what fails before the request is sent is an attempt, too. */
async function attempt(options: ClientOptions, outgoing: Outgoing, address: Address): Promise<RequestAttempt> {
  const { method, signal, onSend, most = largestPiece } = outgoing;
  if (![options.tenant, ...outgoing.segments].every(isSegment)) return unsent({ phase: 'unsent', code: 'BAD_REQUEST' });
  const content = contentOf(options, outgoing);
  if (content !== undefined && content.bytes.byteLength > maxBinaryBytes)
    return unsent({ phase: 'unsent', code: 'UPLOAD_TOO_LARGE' });
  let token: string | undefined;
  try {
    token = await tokenWithin(options.link.timeoutMs, options, signal);
  } catch (error) {
    return unsent(noToken(error));
  }
  if (token !== undefined && !isHeaderValue(token)) return unsent({ phase: 'unsent', code: 'BAD_TOKEN' });
  if (token !== undefined) knownSecrets.note([token]);
  const headers = {
    accept: 'application/json',
    ...(token !== undefined && { 'x-auth-token': token }),
    ...(content !== undefined && { 'content-type': content.type }),
  };
  const { clock, link, maxAnswerBytes, mayWrite } = options;
  const sink = outgoing.open?.(token);
  const maxBytes = sink === undefined ? Math.min(maxAnswerBytes, most.bytes) : maxAnswerBytes;
  onSend?.();
  const { origin, base } = address;
  const message = { origin, path: base + pathOf(options, outgoing), method, headers, body: content?.bytes };
  const maySend = isRead(outgoing) ? undefined : mayWrite;
  const bounds = { clock, timeoutMs: link.timeoutMs, maxBytes, signal, maySend, sink };
  return { exchanged: await exchange(link.transport, message, bounds), token };
}
