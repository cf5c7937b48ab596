// The service inside a process: starting, closing, counting requests, paths.
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Log } from '../../../src/lib/ports.ts';
import { checkAccess, parseGrant } from '../../../src/service/api/authentication/authentication.ts';
import { withoutSuffix } from '../../../src/service/api/http/http.ts';
import { createSeededRandom } from '../../../src/service/model/records/identifiers.ts';
import { createMemoryStore } from '../../../src/service/model/store/store.ts';
import { createServer } from '../../../src/service/program/server.ts';
import { connect, createWorkers, serve, workers } from '../../contract/support.ts';
import { ManualClock } from '../../support/clock.ts';
import { limitMs } from '../../support/patience.ts';

const path = '/v1.0/t/node-group-templates';
const ports = () => ({ clock: new ManualClock(), random: createSeededRandom(1) });

describe('a server in the process', () => {
  test('tells its address once it has one', async () => {
    const server = createServer(ports());
    expect(() => server.url).toThrow('cannot tell the address of the service: it is not started');
    expect(await server.start()).toBe(server.url);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await server.close();
  });

  test('has a Keystone to ask where it asks one', () => {
    const problem = 'there is neither an authUrl nor an identity';
    expect(() => createServer({ ...ports(), keystone: {} })).toThrow(problem);
  });

  test('closes although connections are open, and then takes no more', async () => {
    const server = createServer(ports());
    const peer = connect(await server.start());
    await peer.get(path);
    await server.close();
    await expect(peer.get(path)).rejects.toThrow('fetch failed');
  });

  test('two of them know nothing of each other', async () => {
    const [one, other] = [await serve(), await serve()];
    await createWorkers(one);
    expect((await other.get(path)).body.node_group_templates).toEqual([]);
  });

  test('an answer waits as long as it is told to', async () => {
    const clock = new ManualClock();
    const peer = await serve({ clock, latencyMs: 30 });
    let answered = false;
    const asking = peer.get(path).finally(() => (answered = true));
    await vi.waitFor(() => expect(clock.pending).toBe(1), limitMs);
    await clock.advance(29);
    expect([clock.pending, answered]).toEqual([1, false]);
    await clock.advance(1);
    expect((await asking).status).toBe(200);
  });

  test('a store can be handed from one to the next', async () => {
    const store = createMemoryStore();
    const id = await createWorkers(await serve({ store }));
    expect((await (await serve({ store })).get(`${path}/${id}`)).status).toBe(200);
  });

  test('a store shared by two dialects is read in the words of each', async () => {
    const store = createMemoryStore();
    const [neutral, branded] = [await serve({ store }), await serve({ store, dialect: 'sahara' })];
    const id = await createWorkers(neutral);
    const read = async (peer: typeof neutral) => (await peer.get(`${path}/${id}`)).body.node_group_template;
    expect(await read(neutral)).toMatchObject({ bigdata_version: '1.2.1' });
    expect(await read(branded)).toMatchObject({ hadoop_version: '1.2.1' });
    expect(await read(neutral)).not.toHaveProperty('hadoop_version');
  });

  test('the same seed gives the same identifiers', async () => {
    const ids = [1, 2].map(async () => createWorkers(await serve({ random: createSeededRandom(99) })));
    const [one, other] = await Promise.all(ids);
    expect(one).toBe(other);
  });

  test('every answer is told to the hook, refused ones too', async () => {
    const seen: string[] = [];
    const peer = await serve({ onRequest: (method, at, status) => void seen.push(`${method} ${at} ${status}`) });
    await peer.get(`${path}.json?limit=1`);
    await peer.post(path, workers);
    await peer.post(path, '{');
    await peer.get('/nothing');
    // An answer can arrive before the hook has been told of it.
    await vi.waitFor(
      () =>
        expect(seen).toEqual([`GET ${path}?limit=1 200`, `POST ${path} 202`, `POST ${path} 400`, 'GET /nothing 404']),
      limitMs,
    );
  });

  test('a bug inside is a 500 that tells nothing, and is logged', async () => {
    const errors: unknown[] = [];
    const log: Log = { debug() {}, info() {}, warn() {}, error: (fields) => void errors.push(fields.err) };
    const store = createMemoryStore();
    const broken = {
      ...store,
      listed: () => {
        throw new Error('secret detail');
      },
    };
    const server = createServer({ ...ports(), store: broken, log });
    onTestFinished(() => server.close());
    const { status, text } = await connect(await server.start()).get(path);
    expect(status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      error_code: 500,
      error_name: 'INTERNAL_SERVER_ERROR',
      error_message: 'Internal Server Error',
    });
    expect(errors).toEqual([new Error('secret detail')]);
  });
});

describe('the suffix', () => {
  test.each([
    ['/v1.0/t/clusters.json', '/v1.0/t/clusters'],
    ['/v1.0/t/clusters.json?a=b.json', '/v1.0/t/clusters?a=b.json'],
    ['/v1.0/t/clusters?a=b.json', '/v1.0/t/clusters?a=b.json'],
    ['/v1.0/t.json/clusters', '/v1.0/t.json/clusters'],
    ['/v1.0/t/clusters.JSON', '/v1.0/t/clusters.JSON'],
    ['/', '/'],
  ])('%s is read as %s', (url, path_) => expect(withoutSuffix(url)).toBe(path_));

  test('nothing else of an address changes', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (at, query) => {
        if (!at.endsWith('.json')) expect(withoutSuffix(`${at}?${query}`)).toBe(`${at}?${query}`);
        expect(withoutSuffix(`${at}.json?${query}`)).toBe(`${at}?${query}`);
      }),
    );
  });
});

describe('access', () => {
  const word = fc.string({ minLength: 1 }).filter((text) => !text.includes('='));

  test('what is written on the command line is what is granted', () => {
    fc.assert(
      fc.property(word, fc.string(), (token, tenant) => {
        expect(parseGrant(token)).toEqual({ token });
        expect(parseGrant(`${token}=${tenant}`)).toEqual({ token, tenant });
      }),
    );
  });

  test('is given exactly to a granted token at a granted tenant', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const grant = fc.record({ token: name, tenant: fc.option(name, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(grant), fc.option(name, { nil: undefined }), name, (grants, token, tenant) => {
        const allowed =
          grants.length === 0 || grants.some((each) => each.token === token && (each.tenant ?? tenant) === tenant);
        const check = () => checkAccess(grants, token, tenant);
        if (allowed) expect(check).not.toThrow();
        else expect(check).toThrow(/^cannot auth/);
      }),
    );
  });
});
