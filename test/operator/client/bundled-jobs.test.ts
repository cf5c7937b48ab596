// Section 4.6, plugins and image tags by way of the adapter against the bundled service, in every dialect.
import { describe, expect, test } from 'vitest';
import { type Dialect, dialects } from '../../../src/wire/dialect.ts';
import type { JobCreate } from '../../../src/wire/jobs/job.ts';
import { routes } from '../../../src/wire/routes.ts';
import { image, startBody, type World, world } from './support/bundled.ts';

const every = Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256));
const names = async ({ service }: World, route: typeof routes.dataSources | typeof routes.jobs) =>
  (await service.inventory.observe(route, { notBefore: 0, list: true })).byName('x').map(({ id }) => id);

/** A job binary with those bytes behind it. */
async function binary({ service, write }: World, bytes: Uint8Array) {
  const internal = await write((permit) => service.uploadBinary('code.jar', bytes, permit));
  const body = { name: 'code.jar', url: `internal-db://${internal.id}` };
  return { internal, binary: await write((permit) => service.create(routes.jobBinaries, body, permit)) };
}

const source = (name: string, url: string) => ({
  name,
  url,
  type: 'swift',
  credentials: { user: 'u', password: 'p' },
});

/** A run of a job that reads and writes data, on a cluster. */
async function execution(here: World) {
  const { service, write } = here;
  const main = (await binary(here, every)).binary.id;
  const job = await write((permit) =>
    service.create(routes.jobs, { name: 'x', type: 'Pig', mains: [main] } satisfies JobCreate, permit),
  );
  const create = (name: string) =>
    write((permit) => service.create(routes.dataSources, source(name, `swift://c/${name}`), permit));
  const [input, output] = [await create('in'), await create('out')];
  const cluster = await write((permit) => service.create(routes.clusters, startBody(here, 'etl'), permit));
  const body = { cluster_id: cluster.id, input_id: input.id, output_id: output.id };
  return { job, run: await write((permit) => service.executeJob(job.id, body, permit)) };
}

describe.each<Dialect>(dialects)('in the dialect %s', (dialect) => {
  test('bytes come back as they were sent, by either way', async () => {
    const here = await world(dialect);
    const made = await binary(here, every);
    expect(made.internal).toMatchObject({ name: 'code.jar', datasize: every.length });
    expect(made.binary.url).toBe(`internal-db://${made.internal.id}`);
    expect(await here.service.downloadBinary(routes.jobBinaryInternals, made.internal.id)).toEqual(every);
    expect(await here.service.downloadBinary(routes.jobBinaries, made.binary.id)).toEqual(every);
    const unknown = here.service.downloadBinary(routes.jobBinaries, '00000000-0000-4000-8000-000000000000');
    await expect(unknown).rejects.toMatchObject({ category: 'notFound' });
  });

  test('no bytes are refused by the service, too many by the adapter and the service', async () => {
    const { service, write } = await world(dialect);
    const upload = (length: number) => write((permit) => service.uploadBinary('b', Buffer.alloc(length), permit));
    await expect(upload(0)).rejects.toMatchObject({ category: 'rejected', errorName: 'BAD_JOB_BINARY' });
    await expect(upload(6 * 1024 * 1024)).rejects.toMatchObject({ category: 'rejected', errorName: 'DATA_TOO_BIG' });
    await expect(upload(9 * 1024 * 1024)).rejects.toMatchObject({ category: 'rejected', certainty: 'definite' });
  });

  test('a data source is created, listed, shown and deleted', async () => {
    const here = await world(dialect);
    const { service, write } = here;
    const { id } = await write((permit) => service.create(routes.dataSources, source('x', 'swift://c/o'), permit));
    expect(await names(here, routes.dataSources)).toEqual([id]);
    expect(await service.get(routes.dataSources, id)).toMatchObject({ name: 'x', type: 'swift', url: 'swift://c/o' });
    await write((permit) => service.remove(routes.dataSources, id, permit));
    await expect(service.get(routes.dataSources, id)).rejects.toMatchObject({ category: 'notFound' });
  });

  test('a job is run, its run is refreshed, cancelled and deleted, and the job is free then', async () => {
    const here = await world(dialect);
    const { service, write } = here;
    const { job, run } = await execution(here);
    expect(await names(here, routes.jobs)).toEqual([job.id]);
    expect(run).toMatchObject({ job_id: job.id });
    expect(await service.refreshExecution(run.id)).toMatchObject({ id: run.id, job_id: job.id });
    const used = write((permit) => service.remove(routes.jobs, job.id, permit));
    await expect(used).rejects.toMatchObject({ category: 'conflict', inUse: true });
    expect(await write((permit) => service.cancelExecution(run.id, permit))).toMatchObject({ id: run.id });
    const over = ['KILLED', 'SUCCEEDED'];
    const status = async () => (await service.refreshExecution(run.id)).info?.status;
    await expect.poll(status).toSatisfy((word) => over.includes(String(word)));
    await write((permit) => service.remove(routes.jobExecutions, run.id, permit));
    await expect.poll(() => service.get(routes.jobExecutions, run.id).catch(() => 'gone')).toBe('gone');
    await write((permit) => service.remove(routes.jobs, job.id, permit));
  });

  test('hints tell what a job can be configured with', async () => {
    const { service } = await world(dialect);
    const { configs, params, args } = await service.jobHints('Pig');
    expect(configs?.map(({ name }) => name)).toContain('mapred.map.tasks');
    expect([params, args]).toEqual([{}, dialect === 'savanna' ? {} : []]);
    await expect(service.jobHints('Juggling')).rejects.toMatchObject({ category: 'notFound' });
  });

  test('a plugin in short has no processes, in full it has', async () => {
    const { service, plugin } = await world(dialect);
    const short = await service.pluginSummary(plugin.plugin_name);
    expect(short.versions).toContain(plugin.bigdata_version);
    expect(short).not.toHaveProperty('node_processes');
    expect(await service.plugin(plugin.plugin_name, plugin.bigdata_version)).toMatchObject(short);
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
});

describe('convert-config', () => {
  const file = Buffer.from(
    JSON.stringify({ name: 'a', node_groups: [{ name: 'g', count: 1, flavor_id: '1', node_processes: ['namenode'] }] }),
  );
  const convert = async (dialect: Dialect, template?: string) => {
    const { service, write } = await world(dialect);
    const conversion = { plugin: 'vanilla', version: '1.2.1', ...(template !== undefined && { template }) };
    const made = await write((permit) => service.convertConfig(conversion, file, permit));
    expect(await service.get(routes.clusterTemplates, made.id)).toEqual(made);
    return made;
  };

  test.each<readonly [Dialect, string | undefined, string]>([
    ['neutral', undefined, 'a'],
    ['neutral', 'b', 'b'],
    ['savanna', 'b', 'b'],
  ])('%s, called %s: makes a cluster template called %s', async (dialect, template, name) => {
    expect(await convert(dialect, template)).toMatchObject({ name, plugin_name: 'vanilla', bigdata_version: '1.2.1' });
  });

  test('is refused where no plugin converts anything', async () => {
    await expect(convert('sahara', 'b')).rejects.toMatchObject({ category: 'rejected' });
  });
});
