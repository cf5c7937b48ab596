// A foreign service as a test sees its own: under the tenant of the tests, in neutral words, with names of its own, and without the rows of others.

import { onTestFinished } from 'vitest';
import type { ServerOptions } from '../../../src/service/options.ts';
import { unknownId } from '../literals.ts';
import { connect, type Headed, type Json, type Peer, parse, peerOf, type Reply } from '../peer.ts';
import { type Addressed, addressed, withNameInPath, withOwnName } from './address.ts';
import { judge, tokenOfTests } from './needs.ts';
import { survey } from './scenery.ts';
import { toShown } from './shown.ts';
import type { Target } from './target.ts';
import { Traces } from './traces.ts';
import { toNeutral, toTheirs } from './translation.ts';

/** How a test is at the target. */
interface Visit {
  readonly target: Target;
  /** The test speaks the dialect itself. */
  readonly literal: boolean;
  /** The test sends tokens itself, if any. */
  readonly tokens: boolean;
  readonly suffix: string;
  readonly traces: Traces;
  /** The service itself, with the token. */
  readonly asOwner: Peer;
}

function headersOf({ target: { token }, tokens }: Visit, headers: Headed): Headed {
  if (token === undefined) return headers;
  if (!tokens) return { 'x-auth-token': token, ...headers };
  return headers['x-auth-token'] === tokenOfTests ? { ...headers, 'x-auth-token': token } : headers;
}

/** Late releases start no cluster without a network. */
function withNetwork({ target, literal }: Visit, collection: string | undefined, sent: unknown): unknown {
  const needed = target.dialect === 'sahara' || target.network !== undefined;
  if (literal || !needed || collection !== 'clusters' || typeof sent !== 'object' || sent === null) return sent;
  return 'plugin_name' in sent ? { network_management_network: target.network ?? unknownId, ...sent } : sent;
}

function outgoing(visit: Visit, { segments }: Addressed, body: unknown): unknown {
  if (typeof body !== 'object') return body;
  const [collection, id] = segments;
  const named = withOwnName(body, visit.suffix);
  const whole = id === undefined ? withNetwork(visit, collection, named) : named;
  return toTheirs(visit.target, JSON.stringify(whole), visit.literal);
}

function incoming({ target, literal, suffix, traces }: Visit, at: Addressed, reply: Reply): Reply {
  if (reply.body === undefined) return reply;
  const secret = target.token === undefined ? reply.text : reply.text.replaceAll(target.token, tokenOfTests);
  const text = toNeutral(target, secret.replaceAll(suffix, ''), literal);
  const translated = parse(text);
  const shown = literal || reply.status >= 300 ? translated : toShown(target.dialect, at.segments[0] ?? '', translated);
  const body: Json = reply.status === 200 ? traces.own(at, shown) : shown;
  return { ...reply, body, text: body === shown ? text : JSON.stringify(body) };
}

function peerAt(visit: Visit): Peer {
  const { target, suffix, literal, traces, asOwner } = visit;
  const bare = connect(target.endpoint);
  const at = (method: string, path: string): Addressed => {
    const to = addressed(target, toTheirs(target, path, literal));
    return method === 'PUT' || method === 'POST' ? { ...to, path: withNameInPath(to, suffix) } : to;
  };
  return peerOf({
    url: target.endpoint,
    async send(method, path, body, headers = {}) {
      const to = at(method, path);
      await traces.approach(method, to);
      await survey(asOwner, target, to, literal ? undefined : body);
      const reply = await bare.send(method, to.path, outgoing(visit, to, body), headersOf(visit, headers));
      if (method !== 'GET') traces.note(to, reply.body);
      return incoming(visit, to, reply);
    },
    async fetch(path, init = {}) {
      const to = at(init.method ?? 'GET', path);
      const headers = headersOf(visit, Object.fromEntries(new Headers(init.headers)));
      const response = await bare.fetch(to.path, { ...init, headers });
      if (init.method !== undefined) traces.note(to, parse(await response.clone().text()));
      return response;
    },
  });
}

/** The target for the test that calls it; what the test makes there is deleted after it. Ends a test that the target is not fit for. */
export async function visit(target: Target, options: Partial<ServerOptions>): Promise<Peer> {
  const bare = connect(target.endpoint);
  const headers = target.token === undefined ? {} : { 'x-auth-token': target.token };
  const asOwner = peerOf({ ...bare, send: (method, path, body) => bare.send(method, path, body, headers) });
  await judge(asOwner, target, options);
  const traces = new Traces(asOwner);
  onTestFinished(() => traces.remove(), 120_000);
  return peerAt({
    target,
    literal: options.dialect !== undefined,
    tokens: options.grants !== undefined,
    suffix: `-${target.mark}${Math.random().toString(36).slice(2, 5)}`,
    traces,
    asOwner,
  });
}
