// The adapter against the bundled service, in the vocabularies of the interface and of a branded service.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Permit } from '../../src/adapter/budget.ts';
import { fixedToken } from '../../src/adapter/credentials.ts';
import { createService, type Service } from '../../src/adapter/service.ts';
import { parseGrant } from '../../src/server/authentication.ts';
import { createSeededRandom } from '../../src/server/identifiers.ts';
import { createServer } from '../../src/server/server.ts';
import { systemClock } from '../../src/system.ts';
import type { Cluster } from '../../src/wire/cluster.ts';
import { capabilities, type Dialect } from '../../src/wire/dialect.ts';
import { explain, ServiceError } from '../../src/wire/errors.ts';
import { routes } from '../../src/wire/routes.ts';

const token = 'token-of-tenant-one';
const image = 'd1b5b1a0-4bb5-4d1c-9f0e-0a6a5b8f2c11';
const dialects: readonly Dialect[] = ['neutral', 'sahara'];

interface World {
  readonly service: Service;
  readonly plugin: { readonly plugin_name: string; readonly bigdata_version: string };
  readonly processes: readonly string[];
  /** One write, with a permit of its own. */
  readonly write: <T>(send: (permit: Permit) => Promise<T>) => Promise<T>;
}

async function world(dialect: Dialect, sent = token): Promise<World> {
  const random = createSeededRandom(3);
  const server = createServer({ clock: systemClock, random, dialect, grants: [parseGrant(`${token}=one`)] });
  onTestFinished(() => server.close());
  const service = createService({
    endpoint: `${await server.start()}/`,
    tenant: 'one',
    dialect,
    credentials: fixedToken(sent),
    clock: systemClock,
    timeoutMs: 5000,
    limits: { requestsPerSecond: 10_000, burst: 1000, maxInFlight: 10 },
  });
  onTestFinished(() => service.close());
  const write: World['write'] = async (send) => {
    const permit = await service.budget.take({ user: 'test', withinMs: 1000 });
    if (permit === undefined) throw new Error('no permit');
    return send(permit).finally(() => permit.release());
  };
  if (sent !== token) return { service, write, plugin: { plugin_name: '', bigdata_version: '' }, processes: [] };
  const [first] = await service.plugins();
  const version = first?.versions?.[0] ?? '';
  const detail = await service.plugin(first?.name ?? '', version);
  const processes = Object.values(detail.node_processes ?? {}).flat();
  return { service, write, plugin: { plugin_name: detail.name, bigdata_version: version }, processes };
}

const observe = ({ service }: World) =>
  service.inventory.observe(routes.clusters, { notBefore: systemClock.monotonic(), list: true });

async function until(
  here: World,
  wanted: (cluster: Cluster | undefined) => boolean,
  id: string,
): Promise<Cluster | undefined> {
  for (;;) {
    const cluster = (await observe(here)).byId(id);
    if (wanted(cluster)) return cluster;
  }
}

function startBody({ plugin, processes, service }: World, name: string) {
  const group = { name: 'workers', count: 2, flavor_id: '2', node_processes: processes.slice(0, 1) };
  const network = capabilities(service.dialect).startNetwork ? { network_management_network: image } : {};
  return { ...plugin, ...network, name, default_image_id: image, user_keypair_id: 'keys', node_groups: [group] };
}

async function refusalOf(request: Promise<unknown>): Promise<ServiceError> {
  const error = await request.catch((reason: unknown) => reason);
  if (error instanceof ServiceError) return error;
  throw new Error('it was not refused', { cause: error });
}

describe.each(dialects)('in the dialect %s', (dialect) => {
  test('a cluster is started, found, scaled and deleted', async () => {
    const here = await world(dialect);
    const { service, write } = here;
    expect((await observe(here)).byName('etl')).toEqual([]);
    const created = await write((permit) => service.create(routes.clusters, startBody(here, 'etl'), permit));
    expect(created).toMatchObject({ name: 'etl', ...here.plugin });
    expect(service.inventory.peek(routes.clusters)?.byName('etl')).toHaveLength(1);
    const { id } = created;
    await until(here, (cluster) => cluster?.status === 'Active', id);

    const resize = { resize_node_groups: [{ name: 'workers', count: 3 }] };
    await write((permit) => service.scaleCluster(id, resize, permit));
    const scaled = await until(here, (cluster) => cluster?.status === 'Active', id);
    expect(scaled?.node_groups?.map(({ count }) => count)).toEqual([3]);

    await write((permit) => service.remove(routes.clusters, id, permit));
    await until(here, (cluster) => cluster === undefined, id);
    expect((await service.inventory.sight(routes.clusters, id)).row).toBeUndefined();
  });

  test('refusals are told apart', async () => {
    const here = await world(dialect);
    const { service, write, plugin, processes } = here;
    const template = { ...plugin, name: 'workers', flavor_id: '2', node_processes: processes.slice(0, 1) };
    const { id } = await write((permit) => service.create(routes.nodeGroupTemplates, template, permit));
    const groups = [{ name: 'g', count: 1, node_group_template_id: id }];
    const body = { ...plugin, name: 'whole', node_groups: groups };
    await write((permit) => service.create(routes.clusterTemplates, body, permit));

    const used = await refusalOf(write((permit) => service.remove(routes.nodeGroupTemplates, id, permit)));
    expect(used).toMatchObject({ category: 'conflict', inUse: true, certainty: 'answered' });

    const unknown = '00000000-0000-4000-8000-000000000000';
    const missing = await refusalOf(service.get(routes.clusterTemplates, unknown));
    expect(missing).toMatchObject({ category: 'notFound', ownShape: true });

    const bad = await refusalOf(write((permit) => service.create(routes.clusters, { name: '-' }, permit)));
    expect(bad).toMatchObject({ category: 'rejected', certainty: 'answered', status: 400, nameTaken: false });
    expect(explain('create', 'cluster "-"', bad)).toMatch(/^cannot create cluster "-": the service refused it: ./);
  });

  test('a taken name is known as such', async () => {
    const here = await world(dialect);
    const start = () => here.write((permit) => here.service.create(routes.clusters, startBody(here, 'etl'), permit));
    await start();
    expect(await refusalOf(start())).toMatchObject({ category: 'conflict', nameTaken: true, certainty: 'answered' });
  });

  test('a wrong token is refused, and does not show', async () => {
    const { service } = await world(dialect, 'wrong-token-that-is-long-enough');
    const error = await refusalOf(service.plugins());
    expect([error.category, error.certainty]).toEqual(['unauthorized', 'definite']);
    expect(JSON.stringify([error, error.message])).not.toContain('wrong-token');
  });
});

test('a wrong path in the endpoint is told, and is no absence', async () => {
  const server = createServer({ clock: systemClock, random: createSeededRandom(3), dialect: 'neutral' });
  onTestFinished(() => server.close());
  const service = createService({
    endpoint: `${await server.start()}/wrong/path`,
    tenant: 'one',
    dialect: 'neutral',
    credentials: fixedToken(token),
    clock: systemClock,
    timeoutMs: 5000,
    limits: { requestsPerSecond: 10, burst: 10, maxInFlight: 10 },
  });
  onTestFinished(() => service.close());
  const error = await refusalOf(service.plugins());
  expect(error).toMatchObject({ category: 'malformed', status: 404 });
  expect(error.why).toContain('check endpoint, tenant and dialect');
});
