// The adapter against the bundled service, in the vocabularies of the interface and of a branded service.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import { createService } from '../../../src/operator/client/service-client.ts';
import { fixedToken } from '../../../src/operator/client/service-credentials.ts';
import { createSeededRandom } from '../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../src/service/program/server.ts';
import type { Cluster } from '../../../src/wire/cluster.ts';
import type { Dialect } from '../../../src/wire/dialect.ts';
import { explain, ServiceError } from '../../../src/wire/errors/service-error.ts';
import { routes } from '../../../src/wire/routes.ts';
import { image, startBody, token, type World, world } from './support/bundled.ts';

const dialects: readonly Dialect[] = ['neutral', 'sahara', 'savanna'];

const observe = ({ service }: World) =>
  service.inventory.observe(routes.clusters, { notBefore: systemClock.monotonic() });

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
    expect((await service.inventory.getById(routes.clusters, id)).row).toBeUndefined();
  });

  test('an image is registered, tagged and untagged', async () => {
    const { service, write } = await world(dialect);
    const body = { username: 'ubuntu', description: 'mine' };
    await write((permit) => service.registerImage(image, body, permit));
    const tagged = await write((permit) => service.tagImage(image, { tags: ['a', 'b'] }, permit));
    expect(tagged.metadata).toMatchObject({ _svc_username: 'ubuntu', _svc_tag_a: 'True', _svc_tag_b: 'True' });
    const untagged = await write((permit) => service.untagImage(image, { tags: ['a'] }, permit));
    expect(untagged.tags).toContain('b');
    expect(untagged.metadata).not.toHaveProperty('_svc_tag_a');
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
