// Does to one write what a fault says.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { statusBody } from '../support/api-proxy.ts';
import type { Act } from './faults.ts';
import { type Exchange, pass, plainHeaders, type Reply } from './link.ts';
import type { Side } from './points.ts';

/** What the proxy cannot do or know by itself. */
export interface Hands {
  /** Resolves when the operator is dead. */
  readonly kill: () => Promise<void>;
  /** Resolves when the operator has looked at what is there once more, and was answered; or when it sees no need to. */
  readonly looked: () => Promise<void>;
  /** Resolves when the same write was tried again, and answered. */
  readonly triedAgain: (point: string) => Promise<void>;
}

/** Resolves when nothing more comes of the write by itself. */
export async function befall(exchange: Exchange, act: Act, hands: Hands): Promise<void> {
  const { outgoing } = exchange;
  switch (act.act) {
    case 'crash':
      if (act.carriedOut) await exchange.forward();
      await hands.kill();
      outgoing.destroy();
      return;
    case 'cut':
      if (act.carriedOut) await exchange.forward();
      outgoing.destroy();
      return;
    case 'truncate':
      return truncate(outgoing, await exchange.forward(), act.framing);
    case 'answer late': {
      const [reply] = await Promise.all([exchange.forward(), givenUp(outgoing)]);
      return pass(outgoing, reply);
    }
    case 'work late':
      await givenUp(outgoing);
      await (act.after === 'a look' ? hands.looked() : hands.triedAgain(exchange.point?.id ?? ''));
      await exchange.forward();
      return;
    case 'refuse':
      if (act.carriedOut) await exchange.forward();
      return refuse(outgoing, act, exchange.write.side);
    case 'garble': {
      const { status } = await exchange.forward();
      outgoing.writeHead(status === 204 ? 200 : status, { 'content-type': act.type }).end(act.body);
      return;
    }
    case 'hang':
      await givenUp(outgoing);
      return;
    case 'drip':
      return drip(outgoing, await exchange.forward());
  }
}

async function givenUp(outgoing: ServerResponse): Promise<void> {
  if (!outgoing.destroyed) await once(outgoing, 'close');
}

function truncate(outgoing: ServerResponse, { status, headers, body }: Reply, framing: 'length' | 'chunks'): void {
  const length = framing === 'length' ? { 'content-length': String(body.length) } : {};
  outgoing.writeHead(status, { ...plainHeaders(headers), ...length });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
}

function drip(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  outgoing.writeHead(status, { ...plainHeaders(headers), 'content-length': String(body.length) });
  let sent = 0;
  const timer = setInterval(() => outgoing.write(body.subarray(sent, ++sent)), 1_000);
  outgoing.once('close', () => clearInterval(timer));
}

/** 502 to 504 are of something in between, and 500 in the words of the side itself. */
function refuse(
  outgoing: ServerResponse,
  { status, retryAfter }: { readonly status: number; readonly retryAfter?: number },
  side: Side,
): void {
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const between = status > 500;
  outgoing.writeHead(status, { 'content-type': between ? 'text/html' : 'application/json', ...wait });
  outgoing.end(between ? `<html><h1>${status}</h1></html>` : JSON.stringify(refusal(status, side)));
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
};

function refusal(status: number, side: Side): object {
  const reason = reasons[status] ?? 'Unknown';
  if (side === 'kubernetes') return statusBody(status, reason, 'said by the proxy');
  return { error_code: status, error_name: reason.toUpperCase(), error_message: 'said by the proxy' };
}
