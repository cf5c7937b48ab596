// Many requests at random to one service that has something of everything: every answer is judged, and the service has to live on.
import type { Agent } from 'node:http';
import fc from 'fast-check';
import { expect } from 'vitest';
import { systemClock } from '../../src/lib/system.ts';
import { createDocument } from '../../src/service/api/openapi/document.ts';
import { createSeededRandom } from '../../src/service/model/records/identifiers.ts';
import type { Kind } from '../../src/service/model/records/records.ts';
import { createMemoryStore, type Store } from '../../src/service/model/store/store.ts';
import { createServer, type Server } from '../../src/service/program/server.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import { routes } from '../../src/wire/routes.ts';
import { connect, type Peer } from '../contract/peer.ts';
import type { Document } from '../support/service/openapi.ts';
import { asCurl, createAgent, type Shot, send } from './exchange.ts';
import { furnish, tenant } from './furniture.ts';
import { type Ground, shots } from './shots.ts';
import { verdict } from './verdict.ts';

export interface Campaign {
  readonly dialect: Dialect;
  readonly token?: string;
  readonly runs: number;
  /** When absent: another one each time. */
  readonly seed?: number;
}

const kinds = Object.keys(routes).filter((key) => key !== 'plugins') as readonly Kind[];

/** Brings everything back to what it was when this was called. */
function keep(store: Store): () => void {
  const kept = kinds.flatMap((kind) =>
    store.list(kind, tenant).map((record) => {
      const bytes = kind === 'jobBinaryInternals' ? store.bytes(tenant, record.id) : undefined;
      return { kind, record, bytes };
    }),
  );
  return () => {
    for (const of of store.tenants())
      for (const kind of kinds) for (const { id } of store.list(kind, of)) store.remove(kind, of, id);
    for (const { kind, record, bytes } of kept) store.put(kind, tenant, record, bytes);
  };
}

export interface Stand {
  readonly server: Server;
  readonly peer: Peer;
  readonly url: string;
  readonly ground: Ground;
  readonly restore: () => void;
}

export async function setUp({ dialect, token }: Pick<Campaign, 'dialect' | 'token'>): Promise<Stand> {
  const store = createMemoryStore();
  const grants = token === undefined ? [] : [{ token }];
  const server = createServer({ clock: systemClock, random: createSeededRandom(11), dialect, grants, store });
  const url = await server.start();
  const peer = connect(url);
  const pool = await furnish(peer, dialect, token);
  const document = createDocument({ dialect, logIn: token === undefined ? 'none' : 'tokens' }) as Document;
  return { server, peer, url, ground: { document, tenant, pool, token }, restore: keep(store) };
}

export interface Range {
  readonly url: string;
  readonly agent: Agent;
  readonly dialect: Dialect;
  readonly document: Document;
}

/** What is wrong with the answer to one request. */
export const fire = ({ url, agent, dialect, document }: Range, shot: Shot): Promise<readonly string[]> =>
  send(url, agent, shot).then(
    (answer) => verdict(dialect, document, shot, answer),
    // Before its head has been read nobody knows that it is a HEAD, and that its answer must have no body.
    ({ message }: Error) =>
      shot.method === 'HEAD' && message.startsWith('Parse Error') ? [] : [`no answer: ${message}`],
  );

/** So many requests later everything is as it was at the beginning. */
const restoreEach = 40;

export async function attack({ server, peer, url, ground, restore }: Stand, campaign: Campaign): Promise<void> {
  const { dialect, token, runs, seed } = campaign;
  const agent = createAgent();
  let sent = 0;
  const property = fc.asyncProperty(shots(ground), async (shot) => {
    if (sent % restoreEach === 0) {
      restore();
      const headers = token === undefined ? {} : { 'x-auth-token': token };
      const { status } = await peer.send('GET', `/v1.1/${tenant}/plugins`, undefined, headers);
      expect(status, 'a good request after all these').toBe(200);
    }
    sent += 1;
    const problems = await fire({ url, agent, dialect, document: ground.document }, shot);
    if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${asCurl(url, shot)}`);
  });
  try {
    await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }) });
  } finally {
    agent.destroy();
    restore();
  }
  expect(server.app.server.listening).toBe(true);
}
