// A foreign service as a test sees its own: under the tenant of the tests, in neutral words, with names of its own, and without the rows of others.

import { onTestFinished, TestRunner } from 'vitest';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { connect, type Headed, type Json, type Peer, parse, peerOf, type Reply } from '../../peer.ts';
import { anyNetwork, excuseOf } from '../command/excuses.ts';
import { judge, tokenOfTests } from '../needs.ts';
import { Traces } from '../rows/traces.ts';
import { judgeStore, survey, surveyRoute } from '../scenery.ts';
import { cannotTry, type Target } from '../target.ts';
import { type Addressed, addressed, withNameInPath, withOwnName } from './address.ts';
import { hazardOf } from './hazards.ts';
import { Mentions } from './order.ts';
import { toErrorShown, toShown } from './shown.ts';
import { escaped, toNeutral, toTheirs } from './translation.ts';

/** How a test is at the target. */
interface Visit {
  readonly target: Target;
  /** The test speaks the dialect itself. */
  readonly literal: boolean;
  /** The test sends tokens itself, if any. */
  readonly tokens: boolean;
  readonly suffix: string;
  readonly traces: Traces;
  readonly mentions: Mentions;
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
  return 'plugin_name' in sent ? { network_management_network: target.network ?? anyNetwork, ...sent } : sent;
}

function outgoing(visit: Visit, { segments }: Addressed, body: unknown): unknown {
  if (typeof body !== 'object') return body;
  const [collection, id] = segments;
  const named = withOwnName(body, visit.suffix);
  const whole = id === undefined ? withNetwork(visit, collection, named) : named;
  return toTheirs(visit.target, JSON.stringify(whole), visit.literal);
}

/** What a report shows if the test fails. */
const shownAnswers = 3;
const shownLength = 1_000;

/** Keeps the last answers to the test that runs, without the token. */
function noteAnswer({ token = '' }: Target, request: string, { status, text }: Reply): void {
  const meta = TestRunner.getCurrentTest()?.meta;
  if (meta === undefined) return;
  const shown = token === '' ? text : text.replaceAll(wholeWord(token), '(token)');
  const cut = shown.length > shownLength ? `${shown.slice(0, shownLength)}...` : shown;
  meta.answers = [...(meta.answers ?? []), `${request}: ${status} ${cut}`].slice(-shownAnswers);
}

/** How many clusters the run has started, in all files of it. */
const counter = globalThis as { clustersOfContract?: number };

/** What starts none is sent all the same. */
const startsCluster = (sent: unknown): boolean =>
  typeof sent === 'object' && sent !== null && ('node_groups' in sent || 'cluster_template_id' in sent);

function limitClusters({ maxClusters }: Target, method: string, collection: string | undefined, sent: unknown): void {
  if (method !== 'POST' || collection !== 'clusters' || !startsCluster(sent)) return;
  if ((counter.clustersOfContract ?? 0) >= maxClusters)
    cannotTry(`the run may start no more than ${maxClusters} clusters: --max-clusters`);
}

/** To be called with the answer to a write. */
function noteWrite({ target, traces, mentions }: Visit, at: Addressed, body: unknown, reply: Reply): void {
  traces.note(at, reply.body);
  mentions.noteCreated(reply.body);
  if (reply.status === 202 && reply.body?.cluster !== undefined)
    counter.clustersOfContract = (counter.clustersOfContract ?? 0) + 1;
  const excuse = target.scene.bundled ? undefined : excuseOf(target, at.segments[0] ?? '', body, reply);
  if (excuse !== undefined) cannotTry(excuse);
}

/** What of a translated answer is judged, in the order in which the test has spoken of it. */
function judged({ target, literal, mentions }: Visit, collection: string, status: number, body: Json): Json {
  if (status >= 400) return target.ours ? body : toErrorShown(body);
  const shown = literal ? body : toShown(target, collection, body);
  return target.ours ? shown : mentions.arrange(shown);
}

/** A short token may be part of other words. */
const wholeWord = (word: string): RegExp => new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`, 'g');

function incoming(visit: Visit, at: Addressed, reply: Reply): Reply {
  const { target, literal, suffix, traces } = visit;
  if (reply.body === undefined) return reply;
  const own: Json = reply.status === 200 ? traces.own(at, reply.body) : reply.body;
  const raw = own === reply.body ? reply.text : JSON.stringify(own);
  const secret = target.token === undefined ? raw : raw.replaceAll(wholeWord(target.token), tokenOfTests);
  const text = toNeutral(target, secret.replaceAll(suffix, ''), literal);
  return { ...reply, body: judged(visit, at.segments[0] ?? '', reply.status, parse(text)), text };
}

/** Ends a test whose request a service of somebody else might not survive. */
function avoidHazard({ ours }: Target, { segments }: Addressed, body: unknown): void {
  const hazard = ours ? undefined : hazardOf(segments[0] ?? '', body);
  if (hazard !== undefined) cannotTry(hazard);
}

function peerAt(visit: Visit): Peer {
  const { target, suffix, literal, traces, mentions, asOwner } = visit;
  const bare = connect(target.endpoint);
  const at = (method: string, path: string): Addressed => {
    const to = addressed(target, toTheirs(target, path, literal));
    return method === 'PUT' || method === 'POST' ? { ...to, path: withNameInPath(to, suffix) } : to;
  };
  return peerOf({
    url: target.endpoint,
    async send(method, path, body, headers = {}) {
      const to = at(method, path);
      await surveyRoute(asOwner, to);
      await traces.approach(method, to);
      if (to.segments.length === 1 && typeof body === 'object') judgeStore(to.segments[0], { ...body });
      await survey(asOwner, target, to, literal ? undefined : body);
      limitClusters(target, method, to.segments[0], body);
      mentions.noteSent(body);
      const sent = outgoing(visit, to, body);
      avoidHazard(target, to, body);
      const reply = await bare.send(method, to.path, sent, headersOf(visit, headers));
      noteAnswer(target, `${method} ${to.path}`, reply);
      if (method !== 'GET') noteWrite(visit, to, typeof sent === 'string' ? parse(sent) : undefined, reply);
      return incoming(visit, to, reply);
    },
    async fetch(path, init = {}) {
      const to = at(init.method ?? 'GET', path);
      avoidHazard(target, to, init.body);
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
  const traces = new Traces(asOwner, target);
  onTestFinished(() => traces.remove(), 900_000);
  return peerAt({
    target,
    literal: options.dialect !== undefined,
    tokens: options.grants !== undefined,
    suffix: `-${target.mark}${Math.random().toString(36).slice(2, 5)}`,
    traces,
    mentions: new Mentions([...target.scene.masters, ...target.scene.workers]),
    asOwner,
  });
}
