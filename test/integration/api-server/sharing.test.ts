// A SharedConnection on a real API server: who may use it, what a namespace may do through it, and what it may have. Then a backup, as its operator sees all
// namespaces, too.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import type { FilePlans } from '../../../src/cli/preview/file-plans.ts';
import { apiVersion, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { createNamespace } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';
import { runPlugin } from '../plugin/run-plugin.ts';
import { restores } from '../support/backups.ts';
import { applyTemplates, conditionOf, type Resource, specs, tokenAuth, tokenSecret, World } from '../support/world.ts';

const shared = { connectionRef: { kind: 'SharedConnection', name: 'platform' } };
const selector = { namespaceSelector: { matchLabels: { 'data-platform': 'enabled' } } };
const patience = { timeout: limitMs, interval: 50 };
const kindsOfJobs = ['JobExecution', 'Job', 'JobBinary', 'DataSource'];
const nodes = (count: number) => ({ nodeGroups: [{ name: 'worker', count }] });

/** A world whose own namespace has the Secret, with two teams beside it. The operator sees all namespaces. */
class Platform implements AsyncDisposable {
  readonly world: World;
  readonly home: string;
  readonly teams: readonly [string, string];

  private constructor(world: World, teams: readonly [string, string]) {
    this.world = world;
    this.home = world.namespace;
    this.teams = teams;
  }

  static async open(plane: Plane, spec: object = selector): Promise<Platform> {
    const world = await World.create({ kubeconfig: plane.kubeconfig, everywhere: true, token: 'open-sesame' });
    const team = (name: string) => createNamespace(world.api, `${world.namespace}-${name}`);
    const platform = new Platform(world, [await team('a'), await team('b')]);
    await world.apply('Secret', 'token', tokenSecret);
    await platform.share(spec);
    await world.operate();
    await world.ready('SharedConnection', 'platform');
    return platform;
  }

  async share(spec: object): Promise<void> {
    const { url } = this.world.service;
    const credentials = { credentialsNamespace: this.home, ...tokenAuth };
    await this.world.apply('SharedConnection', 'platform', {
      endpoint: url,
      tenantID: 'demo',
      ...credentials,
      ...spec,
    });
  }

  async label(namespace: string, labels: object): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}`;
    await this.world.api.send({ method: 'PATCH', path, body: { metadata: { labels } } });
  }

  async in<T>(namespace: string, act: (world: World) => Promise<T>): Promise<T> {
    this.world.namespace = namespace;
    try {
      return await act(this.world);
    } finally {
      this.world.namespace = this.home;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { world } = this;
    for (const namespace of this.teams)
      await this.in(namespace, async () => {
        for (const kind of [...kindsOfJobs, 'Cluster', 'ClusterTemplate', 'NodeGroupTemplate'])
          await world.api.send({ method: 'DELETE', path: world.path(kind) });
      });
    await world.delete('SharedConnection', 'platform');
    await world.gone('SharedConnection', 'platform');
    await world[Symbol.asyncDispose]();
  }
}

const allowed = selector.namespaceSelector.matchLabels;

async function applyAll(world: World, names: readonly string[] = ['etl']): Promise<void> {
  await world.apply('NodeGroupTemplate', 'master', { ...specs.master, ...shared });
  await world.apply('NodeGroupTemplate', 'worker', { ...specs.worker, ...shared });
  await world.apply('ClusterTemplate', 'small', { ...specs.small, ...shared });
  for (const name of names) await world.apply('Cluster', name, { ...specs.cluster, ...shared });
}

async function readyCluster(world: World): Promise<Resource> {
  await applyAll(world);
  return world.ready('Cluster', 'etl');
}

const ledgerOf = (resource: Resource | undefined): Ledger =>
  JSON.parse(resource?.metadata.annotations?.[ledgerAnnotation] ?? '') as Ledger;
const isBecause = (reason: string) => (resource: Resource) => conditionOf(resource, 'Ready')?.reason === reason;
const external = ({ external: lines }: World) => lines.filter((line) => !line.startsWith('GET '));

let plane: Plane;
let folder: string;
beforeAll(async () => {
  plane = await startPlane();
  folder = await mkdtemp(join(tmpdir(), 'sharing-'));
});
afterAll(async () => {
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(inject('kubeconfig') === '')('a SharedConnection', () => {
  test('serves the namespaces that it selects, with one list for all, and no other', async () => {
    await using platform = await Platform.open(plane);
    const { world, teams } = platform;
    const [first, second] = teams;
    await platform.label(first, allowed);
    await platform.in(first, readyCluster);
    world.forget();
    await platform.in(second, async () => {
      await applyAll(world);
      const { status } = await world.until('Cluster', 'etl', isBecause('ConnectionNotAllowed'));
      expect(conditionOf({ status } as Resource, 'Stalled')?.message).toBe(
        `SharedConnection platform does not select namespace ${second}: ask the administrator of the cluster to add it, or to give it the labels of spec.namespaceSelector`,
      );
      expect(external(world)).toEqual([]);
      await platform.label(second, allowed);
      await world.ready('Cluster', 'etl');
    });
    expect((await world.remote('clusters')).map(({ name }) => name)).toHaveLength(2);
    const { status } = await world.until('SharedConnection', 'platform', (one) => one.status?.managedCount === 8);
    expect(status?.unclaimedCount).toBe(0);
  });

  test('of a namespace that is not selected any more: observed, not written, and deleted when it is deleted', async () => {
    await using platform = await Platform.open(plane, { namespaces: ['team-x'] });
    const { world, teams } = platform;
    const [first] = teams;
    await platform.share({ namespaces: [first] });
    await platform.in(first, async () => {
      await applyAll(world);
      await world.ready('Cluster', 'etl');
      await platform.share({ namespaces: [] });
      for (const [kind, name] of [
        ['NodeGroupTemplate', 'worker'],
        ['ClusterTemplate', 'small'],
        ['Cluster', 'etl'],
      ] as const)
        await world.until(kind, name, isBecause('ConnectionNotAllowed'));
      world.forget();
      await world.apply('Cluster', 'etl', { ...specs.cluster, ...shared, ...nodes(4) });
      const seen = await world.until(
        'Cluster',
        'etl',
        (one) => isBecause('ConnectionNotAllowed')(one) && one.status?.observedGeneration === one.metadata.generation,
      );
      expect(seen.status).toMatchObject({ id: expect.any(String), nodes: '3/5' });
      expect(external(world)).toEqual([]);
      await world.delete('Cluster', 'etl');
      await world.gone('Cluster', 'etl');
      expect(await world.remote('clusters')).toEqual([]);
    });
  });

  test('lets nobody take what exists, and does not even look for it', async () => {
    await using platform = await Platform.open(plane, selector);
    const { world, teams } = platform;
    const [first, second] = teams;
    for (const team of teams) await platform.label(team, allowed);
    const { status: taken } = await platform.in(first, readyCluster);
    const id = taken?.id ?? '';
    await platform.in(second, async () => {
      world.forget();
      await world.apply('Cluster', 'mine', { ...specs.cluster, ...shared, adopt: { id }, policy: 'Observe' });
      await world.apply('Cluster', 'raw', { ...shared, clusterTemplateID: id, userKeypairID: 'demo' });
      for (const [name, field] of [
        ['mine', 'spec.adopt'],
        ['raw', 'spec.clusterTemplateID'],
      ] as const) {
        const { status } = await world.until('Cluster', name, isBecause('ConnectionNotAllowed'));
        expect(status).not.toHaveProperty('id');
        expect(conditionOf({ status } as Resource, 'Ready')?.message).toMatch(
          new RegExp(`^${field}: SharedConnection platform does not let namespaces take what exists`),
        );
      }
      expect(world.external.filter((line) => line.includes(id))).toEqual([]);
      // The templates are those of another namespace, so only the word of the administrator lets it go on.
      await world.delete('Cluster', 'raw');
      await platform.share({ ...selector, allowAdopt: true });
      await world.until('Cluster', 'mine', (one) => !isBecause('ConnectionNotAllowed')(one));
      expect(external(world)).toEqual([]);
      await world.delete('Cluster', 'mine');
      await world.gone('Cluster', 'mine');
    });
    expect(await world.remote('clusters')).toHaveLength(1);
  });

  test('lets nobody refer to what others store in words that the service looks up', async () => {
    await using platform = await Platform.open(plane, selector);
    const { world, teams } = platform;
    const [first, second] = teams;
    for (const team of teams) await platform.label(team, allowed);
    const books = { ...shared, type: 'hdfs', url: 'hdfs://namenode:8020/books' };
    const source = await platform.in(first, async () => {
      await world.apply('JobBinary', 'private', { ...shared, content: { inline: 'x = 1', fileName: 'x.py' } });
      await world.ready('JobBinary', 'private');
      await world.apply('DataSource', 'books', books);
      return (await world.ready('DataSource', 'books')).status?.id ?? '';
    });
    const file = world.records.list('jobBinaryInternals', 'demo')[0]?.id ?? '';
    const argument = { name: 'text', mappingType: 'args', location: '0', required: true, valueType: 'data_source' };
    const job = { ...shared, ...specs.job, interface: [argument] };
    const run = { ...shared, jobRef: { name: 'words' }, cluster: specs.ofJobs };
    const byId = { 'edp.substitute_data_source_for_uuid': 'true' };
    await platform.in(second, async () => {
      await world.apply('JobBinary', 'program', { ...shared, ...specs.program });
      await world.apply('Job', 'words', job);
      await world.apply('DataSource', 'mine', books);
      for (const [kind, name] of [
        ['Job', 'words'],
        ['DataSource', 'mine'],
      ] as const)
        await world.ready(kind, name);
      world.forget();
      const refused = [
        ['JobBinary', 'taken', { ...shared, url: `internal-db://${file}` }, 'spec.url'],
        ['Job', 'fixed', { ...job, interface: [{ ...argument, default: source }] }, 'spec.interface[text].default'],
        ['JobExecution', 'given', { ...run, interface: { text: source } }, 'spec.interface[text]'],
        [
          'JobExecution',
          'switched',
          { ...run, configs: byId, args: [source], interface: { text: books.url } },
          'spec.configs[edp.substitute_data_source_for_uuid]',
        ],
      ] as const;
      for (const [kind, name, spec] of refused) await world.apply(kind, name, spec);
      for (const [kind, name, , field] of refused) {
        const seen = await world.until(kind, name, isBecause('ConnectionNotAllowed'));
        const told = `${field}: SharedConnection platform does not let namespaces take what exists`;
        expect(conditionOf(seen, 'Ready')?.message?.startsWith(told)).toBe(true);
      }
      expect(external(world)).toEqual([]);
      // What is its own it may use: this run waits for nothing but its cluster.
      const own = { ...run, cluster: undefined, clusterRef: { name: 'none' }, inputRef: { name: 'mine' } };
      await world.apply('JobExecution', 'own', { ...own, interface: { text: books.url } });
      await world.until('JobExecution', 'own', isBecause('WaitingForCluster'));
      // Else they would run once it is allowed.
      for (const name of ['given', 'switched']) {
        await world.delete('JobExecution', name);
        await world.gone('JobExecution', name);
      }
      await platform.share({ ...selector, allowAdopt: true });
      await world.ready('JobBinary', 'taken');
      await world.ready('Job', 'fixed');
    });
  });

  test('lets nobody refer to what others have by writing it into the ledger of an object of their own', async () => {
    await using platform = await Platform.open(plane, selector);
    const { world, teams } = platform;
    const [first, second] = teams;
    for (const team of teams) await platform.label(team, allowed);
    const program = { ...shared, ...specs.program };
    const theirs = await platform.in(first, async () => {
      await world.apply('JobBinary', 'private', program);
      return (await world.ready('JobBinary', 'private')).status?.id ?? '';
    });
    await platform.in(second, async () => {
      await world.apply('JobBinary', 'program', program);
      await world.ready('JobBinary', 'program');
      const own = ledgerOf(await world.get('JobBinary', 'program'));
      const forged = own.claims.map((one) => ({ ...one, ...(one.role === 'private' ? {} : { id: theirs }) }));
      await world.annotate('JobBinary', 'program', { [ledgerAnnotation]: JSON.stringify({ ...own, claims: forged }) });
      world.forget();
      await world.apply('Job', 'taking', { ...shared, ...specs.job });
      const seen = await world.until('Job', 'taking', isBecause('DependencyNotReady'));
      expect(conditionOf(seen, 'Ready')?.message).toContain('JobBinary program cannot be used yet');
      expect(external(world)).toEqual([]);
      await world.annotate('JobBinary', 'program', { [ledgerAnnotation]: JSON.stringify(own) });
      await world.ready('Job', 'taking');
    });
  });

  test('lets nobody take what exists by writing it into a ledger, too', async () => {
    await using platform = await Platform.open(plane, selector);
    const { world, teams } = platform;
    const [first, second] = teams;
    for (const team of teams) await platform.label(team, allowed);
    const left = await platform.in(first, async () => {
      await applyAll(world, []);
      await world.apply('Cluster', 'etl', { ...specs.cluster, ...shared, deletionPolicy: 'Orphan' });
      const ledger = ledgerOf(await world.ready('Cluster', 'etl'));
      await world.delete('Cluster', 'etl');
      await world.gone('Cluster', 'etl');
      return ledger;
    });
    await platform.in(second, async () => {
      const [claim] = left.claims;
      const spec = { ...specs.cluster, ...shared, adopt: { id: claim?.id }, deletionPolicy: 'Delete' };
      const { metadata } = await world.apply('Cluster', 'mine', spec);
      const forged = { ...left, uid: metadata.uid, adopted: claim?.id, claims: [{ ...claim, origin: 'adopted' }] };
      await world.annotate('Cluster', 'mine', { [ledgerAnnotation]: JSON.stringify(forged) });
      const { metadata: now, status } = await world.until(
        'Cluster',
        'mine',
        (one) => isBecause('ConnectionNotAllowed')(one) && one.metadata.finalizers !== undefined,
      );
      expect(now.annotations).toHaveProperty([ledgerAnnotation]);
      expect(status).not.toHaveProperty('id');
      expect(status).not.toHaveProperty('ledger');
      await world.delete('Cluster', 'mine');
      await world.gone('Cluster', 'mine');
    });
    expect((await world.remote('clusters')).map(({ id }) => id)).toEqual([left.claims[0]?.id]);
    // The word of the administrator lets it be taken, and then be deleted.
    await platform.share({ ...selector, allowAdopt: true });
    await platform.in(first, async () => {
      const adopt = { id: left.claims[0]?.id };
      await world.apply('Cluster', 'etl', { ...specs.cluster, ...shared, adopt, deletionPolicy: 'Delete' });
      await world.ready('Cluster', 'etl');
      await world.delete('Cluster', 'etl');
      await world.gone('Cluster', 'etl');
    });
    expect(await world.remote('clusters')).toEqual([]);
  });

  test('never lets a namespace have more than its limits, however much is applied at once', async () => {
    await using platform = await Platform.open(plane, { ...selector, limits: { maxNodes: 7, maxClusters: 5 } });
    const { world, teams } = platform;
    const [first, second] = teams;
    for (const team of teams) await platform.label(team, allowed);
    // Of three nodes each.
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    for (const team of teams) await platform.in(team, () => applyAll(world, names));
    for (const team of teams)
      await platform.in(team, async () => {
        const states = async () =>
          Promise.all(names.map(async (name) => conditionOf(await world.get('Cluster', name), 'Ready')?.reason));
        await vi.waitFor(async () => {
          const reasons = await states();
          expect(reasons.filter((one) => one === 'Available')).toHaveLength(2);
          expect(reasons.filter((one) => one === 'QuotaExceeded')).toHaveLength(4);
        }, patience);
      });
    expect(await world.remote('clusters')).toHaveLength(4);
    // What would fit is told before anything is applied.
    const next = { apiVersion, kind: 'Cluster', metadata: { name: 'next' } };
    const told = async (count: number) => {
      const file = join(folder, `${count}.json`);
      await writeFile(file, JSON.stringify({ ...next, spec: { ...specs.cluster, ...shared, ...nodes(count) } }));
      const plan = ['plan', '-f', file, '-o', 'json'];
      return JSON.parse((await runPlugin(plan, { namespace: first, path: plane.kubeconfig })).output) as FilePlans;
    };
    expect((await told(0)).plans).toMatchObject([{ state: 'changes', plan: { verb: 'Create' } }]);
    expect((await told(1)).plans).toMatchObject([
      { state: 'refused', message: expect.stringMatching(/^QuotaExceeded: .*so the 2 of this one do not fit/) },
    ]);
    await platform.in(first, async () => {
      const all = await Promise.all(names.map((name) => world.get('Cluster', name)));
      const ready = all.flatMap((one) => (one && isBecause('Available')(one) ? one.metadata.name : []));
      const [refused] = all.filter((one) => one && isBecause('QuotaExceeded')(one));
      expect(conditionOf(refused, 'Ready')?.message).toContain(
        `allows namespace ${first} 7 nodes (spec.limits.maxNodes), and its other Clusters take 6, so the 3 of this one do not fit`,
      );
      const [scaled = '', deleted = ''] = ready;
      world.forget();
      await world.apply('Cluster', scaled, { ...specs.cluster, ...shared, ...nodes(4) });
      await world.until('Cluster', scaled, isBecause('QuotaExceeded'));
      expect(external(world)).toEqual([]);
      await world.apply('Cluster', scaled, { ...specs.cluster, ...shared, ...nodes(3) });
      await world.ready('Cluster', scaled);
      await world.apply('Cluster', scaled, { ...specs.cluster, ...shared, ...nodes(2) });
      await world.ready('Cluster', scaled);
      await world.delete('Cluster', deleted);
      await world.gone('Cluster', deleted);
      const others = names.filter((name) => !ready.includes(name));
      await vi.waitFor(async () => {
        const found = await Promise.all(others.map((name) => world.get('Cluster', name)));
        expect(found.filter((one) => one && isBecause('Available')(one))).toHaveLength(1);
      }, patience);
    });
    expect(await world.remote('clusters')).toHaveLength(4);
    // The room of one namespace is not that of another one.
    await platform.in(second, async () => {
      const found = await Promise.all(names.map((name) => world.get('Cluster', name)));
      expect(found.filter((one) => one && isBecause('Available')(one))).toHaveLength(2);
    });
  });

  test('stays until nobody needs it, and its Secret with it', async () => {
    await using platform = await Platform.open(plane, {});
    const { world, teams } = platform;
    const [first] = teams;
    await platform.share({ namespaces: [first] });
    await platform.in(first, readyCluster);
    await world.delete('Secret', 'token');
    await world.until('SharedConnection', 'platform', (one) =>
      /Secret token is being deleted/.test(conditionOf(one, 'Ready')?.message ?? ''),
    );
    await world.delete('SharedConnection', 'platform');
    const { status } = await world.until('SharedConnection', 'platform', isBecause('Deleting'));
    expect(status?.blockedOn).toContainEqual({
      kind: 'Cluster',
      name: `${first}/etl`,
      reason: 'InUse',
      message: `Cluster ${first}/etl needs this SharedConnection until it is deleted`,
    });
    await platform.in(first, async () => {
      for (const [kind, name] of [
        ['Cluster', 'etl'],
        ['ClusterTemplate', 'small'],
        ['NodeGroupTemplate', 'worker'],
        ['NodeGroupTemplate', 'master'],
      ] as const) {
        await world.delete(kind, name);
        await world.gone(kind, name);
      }
    });
    await world.gone('SharedConnection', 'platform');
    await world.gone('Secret', 'token');
    expect(await world.remote('clusters')).toEqual([]);
  });

  test('two ways to one tenant lead to one owner of each object, who is not named to the others', async () => {
    await using platform = await Platform.open(plane, { ...selector, allowAdopt: true });
    const { world, teams } = platform;
    const [first] = teams;
    await platform.label(first, allowed);
    await world.connectService(tokenAuth);
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    const { status } = await world.ready('Cluster', 'etl');
    await platform.in(first, async () => {
      await applyAll(world, []);
      await world.apply('Cluster', 'mine', { ...specs.cluster, ...shared, adopt: { id: status?.id } });
      const seen = await world.until('Cluster', 'mine', isBecause('DuplicateClaim'));
      const message = conditionOf(seen, 'Ready')?.message;
      expect(message).toContain('a resource of another namespace');
      expect(message).not.toContain('etl');
    });
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    for (const kind of ['ClusterTemplate', 'NodeGroupTemplate'])
      await world.api.send({ method: 'DELETE', path: world.path(kind) });
    await world.delete('Connection', 'default');
  });
});

// The last on this API server, because it leaves objects there, which every operator that sees all namespaces would work on.
describe.skipIf(inject('kubeconfig') === '')('an operator that sees all namespaces', () => {
  restores(() => World.create({ kubeconfig: plane.kubeconfig, everywhere: true }));
});

test.skipIf(inject('kubeconfig') === '')('an operator of some namespaces says that it reads none', async () => {
  await using world = await World.create();
  await world.operate();
  await world.apply('Cluster', 'etl', { ...specs.cluster, ...shared });
  const seen = await world.until('Cluster', 'etl', isBecause('DependencyNotReady'));
  expect(conditionOf(seen, 'Ready')?.message).toContain(
    'SharedConnection platform does not exist for an operator that watches only some namespaces (--namespaces): use a Connection of this namespace',
  );
});
