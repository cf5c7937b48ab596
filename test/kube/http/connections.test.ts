// The pool of connections when the client certificate changes.
import { afterEach, describe, expect, it } from 'vitest';
import { createConnections } from '../../../src/kube/http/connections.ts';
import { answer, plainConfig, type ScriptedServer, scriptServer } from '../../operator/kube/support/scripted-server.ts';
import { settle } from '../../support/clock.ts';

let server: ScriptedServer | undefined;

afterEach(() => server?.[Symbol.asyncDispose]());

describe('connections', () => {
  it('are shared as long as the certificate is the same, whatever the headers', async () => {
    const connections = createConnections(plainConfig('http://127.0.0.1:1'));
    const first = connections.pool({ headers: { authorization: 'a' }, cert: 'one' });
    expect(connections.pool({ headers: { authorization: 'b' }, cert: Buffer.from('one') })).toBe(first);
    await connections.close();
    expect(first.destroyed).toBe(true);
  });

  it('that fell silent are replaced once, however many requests they had', async () => {
    const connections = createConnections(plainConfig('http://127.0.0.1:1'));
    const silent = connections.pool({ headers: {} });
    connections.distrust(silent);
    const next = connections.pool({ headers: {} });
    connections.distrust(silent);
    expect(connections.pool({ headers: {} })).toBe(next);
    expect([silent.closed, next.closed]).toEqual([true, false]);
    await connections.close();
  });

  it('of an old certificate finish what they carry and then go', async () => {
    let finish: () => void = () => undefined;
    server = await scriptServer((_request, response) => {
      response.writeHead(200);
      response.write('begun ');
      finish = () => void response.end('and done');
    });
    const connections = createConnections(plainConfig(server.url));
    const old = connections.pool({ headers: {}, cert: 'one' });
    const response = await old.request({ path: '/', method: 'GET' });
    const next = connections.pool({ headers: {}, cert: 'two' });
    expect(next).not.toBe(old);
    expect([old.closed, next.closed]).toEqual([true, false]);
    finish();
    expect(await response.body.text()).toBe('begun and done');
    server.behave(answer(200, {}));
    expect((await next.request({ path: '/', method: 'GET' })).statusCode).toBe(200);
    await connections.close();
  });

  it('of an old certificate are cut, too, when all are closed', async () => {
    server = await scriptServer((_request, response) => {
      response.writeHead(200);
      response.write('begun ');
    });
    const connections = createConnections(plainConfig(server.url));
    const old = connections.pool({ headers: {}, cert: 'one' });
    const response = await old.request({ path: '/', method: 'GET' });
    connections.pool({ headers: {}, cert: 'two' });
    const reading = response.body.text().catch((error: Error) => error);
    await connections.close();
    expect(await reading).toBeInstanceOf(Error);
    await settle();
  });
});
