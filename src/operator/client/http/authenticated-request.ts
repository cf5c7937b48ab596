// Sends one request with its token and body. Repeats a read once with a new token after a 401.
import { toWire } from '../../../wire/dialect.ts';
import { type Failure, ServiceError } from '../../../wire/errors/errors.ts';
import { readErrorBody } from '../../../wire/errors/shapes.ts';
import { prefixOf } from '../../../wire/routes.ts';
import { tokenWithin } from '../credentials.ts';
import { largestPiece, maxRequestBytes } from '../limits.ts';
import { type Address, isSegment, joinPath } from './address.ts';
import { type Exchanged, exchange, freeBody } from './exchange.ts';
import { knownSecrets } from './known-secrets.ts';
import type { ClientOptions, Outgoing } from './request.ts';

type Unsent = Failure & { readonly phase: 'unsent' };

/** However the login failed, the request itself was not sent. */
function noToken(error: unknown): Unsent {
  const inner = error instanceof ServiceError ? { category: error.category, text: error.why } : {};
  return { phase: 'unsent', code: 'NO_TOKEN', ...inner };
}

const isHeaderValue = (token: string): boolean => /^[\x21-\x7e]+$/.test(token);

export const pathOf = ({ dialect, tenant }: ClientOptions, { segments }: Outgoing): string =>
  joinPath([prefixOf(dialect, segments[0]), tenant, ...segments]);

export interface RequestAttempt {
  readonly exchanged: Exchanged;
  readonly token: string | undefined;
}

const unsent = (failure: Unsent): RequestAttempt => ({ exchanged: failure, token: undefined });

const isJson = (body: Buffer): boolean => !['text', 'empty'].includes(readErrorBody(401, body.toString(), []).shape);

/**
 * The token middleware answers 401 with a header or in JSON. The tenant filter answers 401 in plain text, and a new token of the same
 * project would not help.
 */
const isAboutToken = (exchanged: Exchanged): boolean =>
  exchanged.phase === 'answered' &&
  exchanged.status === 401 &&
  (exchanged.headers['www-authenticate'] !== undefined || isJson(exchanged.body));

const isRead = ({ method }: Outgoing): boolean => method === 'GET';

/** Never repeats a write: the caller decides what a failed write means. */
export async function attemptWithToken(
  options: ClientOptions,
  outgoing: Outgoing,
  address: Address,
): Promise<RequestAttempt> {
  const first = await attempt(options, outgoing, address);
  const { exchanged, token } = first;
  if (token === undefined || !isAboutToken(exchanged) || !options.credentials.rejected(token)) return first;
  if (!isRead(outgoing) || outgoing.signal?.aborted === true) return first;
  freeBody(exchanged);
  const second = await attempt(options, outgoing, address);
  if (second.exchanged.phase === 'answered' && second.exchanged.status === 401 && second.token !== undefined) {
    options.credentials.rejected(second.token);
  }
  return second;
}

function bodyOf({ dialect }: ClientOptions, { body, bytes }: Outgoing): Buffer | undefined {
  if (bytes !== undefined) return bytes.bytes;
  return body === undefined ? undefined : Buffer.from(JSON.stringify(toWire(dialect, body)));
}

/** Never rejects: a failure before the request is sent is a result as well. */
async function attempt(options: ClientOptions, outgoing: Outgoing, address: Address): Promise<RequestAttempt> {
  const { method, signal, onSend, most = largestPiece } = outgoing;
  if (![options.tenant, ...outgoing.segments].every(isSegment)) return unsent({ phase: 'unsent', code: 'BAD_REQUEST' });
  const body = bodyOf(options, outgoing);
  if (body !== undefined && body.byteLength > maxRequestBytes)
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
    ...(body !== undefined && { 'content-type': outgoing.bytes ? 'application/octet-stream' : 'application/json' }),
  };
  const { clock, link, maxAnswerBytes, mayWrite } = options;
  const sink = outgoing.open?.(token);
  const maxBytes = sink === undefined ? Math.min(maxAnswerBytes, most.bytes) : maxAnswerBytes;
  onSend?.();
  const { origin, base } = address;
  const message = { origin, path: base + pathOf(options, outgoing), method, headers, body };
  const maySend = isRead(outgoing) ? undefined : mayWrite;
  const bounds = { clock, timeoutMs: link.timeoutMs, maxBytes, signal, maySend, sink };
  return { exchanged: await exchange(link.transport, message, bounds), token };
}
