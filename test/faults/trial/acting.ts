// Does to one write what a fault says.
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import type { Act } from '../tables/faults.ts';
import type { Side } from '../tables/points.ts';
import type { Exchange, Reply } from './exchange.ts';

/** What is not up to the write alone. */
export interface Hands {
  /** Resolves when the operator is dead. */
  readonly kill: () => Promise<void>;
  /** Resolves when the operator has looked at what is there once more, and was answered; or when it sees no need to. */
  readonly looked: () => Promise<void>;
  /** Resolves when the same write was tried again, and answered. */
  readonly triedAgain: (point: string) => Promise<void>;
  /** The token is good for nothing any more, until somebody sees that and puts another one in its place. */
  readonly revoke: () => void;
}

/** The status of an answer that takes the place of the write; undefined: it is carried out, or not answered. */
export function statusInstead(act: Act): number | undefined {
  if (act.act === 'revoke') return 401;
  return act.act === 'refuse' && !act.carriedOut ? act.status : undefined;
}

/** Resolves when nothing more comes of the write by itself. */
export async function befall(exchange: Exchange, act: Act, hands: Hands): Promise<void> {
  const { sender, write } = exchange;
  switch (act.act) {
    case 'crash':
      if (act.carriedOut) await exchange.forward();
      await hands.kill();
      return sender.cut();
    case 'cut':
      if (act.carriedOut) await exchange.forward();
      return sender.cut();
    case 'truncate':
      return sender.truncate(await exchange.forward(), act.framing);
    case 'answer late': {
      const [reply] = await Promise.all([exchange.forward(), sender.givenUp()]);
      return sender.answer(reply);
    }
    case 'work late':
      await sender.givenUp();
      await (act.after === 'a look' ? hands.looked() : hands.triedAgain(exchange.point?.id ?? ''));
      await exchange.forward();
      return;
    case 'refuse':
      if (act.carriedOut) await exchange.forward();
      return sender.answer(refusalOf(write.side, act.status, act.retryAfter));
    case 'revoke':
      hands.revoke();
      return sender.answer(refusalOf(write.side, 401));
    case 'garble': {
      const { status } = await exchange.forward();
      const headers = { 'content-type': act.type };
      return sender.answer({ status: status === 204 ? 200 : status, headers, body: Buffer.from(act.body) });
    }
    case 'hang':
      return sender.givenUp();
    case 'drip':
      return sender.drip(await exchange.forward());
  }
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
};

/** 502 to 504 are of something in between, and the others in the words of the side itself. */
export function refusalOf(side: Side, status: number, retryAfter?: number): Reply {
  const between = status > 500;
  const text = between ? `<html><h1>${status}</h1></html>` : JSON.stringify(wordsOf(side, status));
  const headers = {
    'content-type': between ? 'text/html' : 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  };
  return { status, headers, body: Buffer.from(text) };
}

function wordsOf(side: Side, status: number): object {
  const reason = reasons[status] ?? 'Unknown';
  if (side === 'kubernetes') return statusBody(status, reason, 'said by the proxy');
  return { error_code: status, error_name: reason.toUpperCase(), error_message: 'said by the proxy' };
}
