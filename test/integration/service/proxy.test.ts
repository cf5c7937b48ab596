// Services are reached through the proxy and the API server is not; a proxy that does not work shows in the Connection, its password nowhere.
import { describe, expect, inject, test } from 'vitest';
import { demoAccounts } from '../../../dev/identity/accounts.ts';
import { createIdentity } from '../../../dev/identity/identity.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import type { Log } from '../../../src/lib/ports.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import { createOperator, type Operator } from '../../../src/operator/wiring/operator.ts';
import { type ProxyServer, serveProxy } from '../../operator/client/support/proxy-server.ts';
import { conditionOf, specs, World } from '../support/world.ts';

const password = 's3cret-word';

interface Running extends AsyncDisposable {
  readonly operator: Operator;
  readonly logged: string[];
}

/** The operator for the namespace of the world, with everything that can go by a proxy going by this one. */
async function operate({ namespace }: World, { port }: ProxyServer): Promise<Running> {
  const logged: string[] = [];
  const note: Log['debug'] = (fields, message) => void logged.push(JSON.stringify(fields) + message);
  const url = `http://operator:${password}@127.0.0.1:${port}`;
  const operator = createOperator({
    cluster: await loadClusterConfig({ kubeconfig: inject('kubeconfig'), environment: {}, clock: systemClock }),
    namespaces: [namespace],
    installation: 'tests',
    quarantineMs: 3_000,
    proxies: { http: url, https: url, none: [] },
    health: { host: '127.0.0.1', port: 0 },
    instance: 'tests',
    clock: systemClock,
    random: systemRandom,
    log: { debug: note, info: note, warn: note, error: note },
  });
  await operator.start();
  return {
    operator,
    logged,
    [Symbol.asyncDispose]: async () => void (await operator.stop(10_000)),
  };
}

describe.skipIf(inject('kubeconfig') === '')('with a proxy in the environment', () => {
  test('services are reached through it, and the API server is not', async () => {
    await using world = await World.create();
    const proxy = await serveProxy({ hosts: { 'service.test': Number(new URL(world.service.url).port) } });
    await using _running = await operate(world, proxy);
    await world.apply('Connection', 'default', { endpoint: 'http://service.test', tenantID: 'demo' });
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    expect(proxy.asked).toContain('POST http://service.test/v1.0/demo/node-group-templates');
    expect(proxy.asked.filter((line) => !line.includes(' http://service.test/'))).toEqual([]);
  });

  test('identity services are, too', async () => {
    const identity = createIdentity(demoAccounts);
    await using world = await World.create({ login: { identity, keystone: {} } });
    const proxy = await serveProxy({ hosts: { 'service.test': Number(new URL(world.service.url).port) } });
    await using _running = await operate(world, proxy);
    const login = { username: 'demo', password: 'demo', project_name: 'demo' };
    const clouds = { clouds: { north: { auth: { auth_url: 'http://service.test', ...login } } } };
    const stringData = { 'clouds.yaml': JSON.stringify(clouds) };
    await world.apply('Secret', 'login', { type: 'dataprocessing.dev/credentials', stringData });
    const auth = { type: 'Keystone', secretRef: { name: 'login' }, cloud: 'north' };
    await world.apply('Connection', 'default', { auth });
    const { status } = await world.ready('Connection', 'default');
    expect(status).toMatchObject({ endpoint: 'http://service.test' });
    expect(proxy.asked).toContain('POST http://service.test/v3/auth/tokens');
    expect(proxy.asked.filter((line) => !line.includes(' http://service.test/'))).toEqual([]);
  });

  test.each(['http://service.test', 'https://service.test'])('one that refuses is named: %s', async (endpoint) => {
    await using world = await World.create();
    const proxy = await serveProxy({ refuse: { status: 407 } });
    await using running = await operate(world, proxy);
    const { operator, logged } = running;
    await world.apply('Connection', 'default', { endpoint, tenantID: 'demo' });
    const lost = await world.until(
      'Connection',
      'default',
      (resource) => conditionOf(resource, 'Ready')?.status === 'False',
    );
    expect(conditionOf(lost, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'UpstreamError',
      message: expect.stringContaining(
        `127.0.0.1:${proxy.port} refuses the connection to the service (407): check user and password`,
      ),
    });
    const metrics = await (await fetch(`http://127.0.0.1:${operator.healthPort()}/metrics`)).text();
    for (const text of [JSON.stringify(lost), metrics, ...logged]) expect(text).not.toContain(password);
    expect(metrics).toContain('route="/plugins",code="none",error="unreachable"');
  });
});
