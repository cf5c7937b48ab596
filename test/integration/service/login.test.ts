// Log-ins at a Keystone: where the service and the tenant are comes from them, tokens come and go, and Secrets change, while clusters are made.
import { describe, expect, inject, test, vi } from 'vitest';
import { parseAccounts } from '../../../dev/identity/accounts.ts';
import { createIdentity } from '../../../dev/identity/identity.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { limitMs } from '../../support/patience.ts';
import { keptLog } from '../support/kept-log.ts';
import { applyTemplates, conditionOf, type Resource, specs, World } from '../support/world.ts';

const planted = {
  password: 'planted-password-0d9f31',
  wrong: 'planted-wrong-password-77ab',
  credential: 'planted-credential-secret-5c2e',
} as const;
const red = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const blue = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const accounts = parseAccounts(`
projects: [{ name: red, id: ${red} }, { name: blue, id: ${blue} }]
users: [{ name: ann, password: ${planted.password}, projects: [red, blue] }]
applicationCredentials: [{ name: robot, id: robot, secret: ${planted.credential}, user: ann, project: red }]
`);

const clouds = (world: World, fields: object, more: object = {}) => {
  const auth = { auth_url: `${world.service.url}/v3`, ...fields };
  const text = JSON.stringify({ clouds: { north: { auth, region_name: 'RegionOne', ...more } } });
  return { type: 'dataprocessing.dev/credentials', stringData: { 'clouds.yaml': text } };
};
const byPassword = (world: World, fields: object = {}) =>
  clouds(world, { username: 'ann', password: planted.password, project_name: 'red', ...fields });
const byCredential = (world: World, id = 'robot') =>
  clouds(world, { application_credential_id: id, application_credential_secret: planted.credential });
const auth = { type: 'Keystone', secretRef: { name: 'login' }, cloud: 'north' };

const kept = keptLog();
const open = (tokenMs = 3_600_000): Promise<World> =>
  World.create({ login: { identity: createIdentity(accounts, { tokenMs }), keystone: { cacheMs: 0 } }, log: kept.log });
const logIns = (world: World): number => world.external.filter((line) => line === 'POST /v3/auth/tokens').length;
const readyIs = (status: string, reason: string) => (resource: Resource) => {
  const ready = conditionOf(resource, 'Ready');
  return ready?.status === status && ready.reason === reason;
};

/** Everything that a person or a program can read, besides Secrets. */
async function told(world: World): Promise<string> {
  const events = `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`;
  const paths = [...definitions.map(({ kind }) => world.path(kind)), events];
  const answers = await Promise.all(paths.map(async (path) => JSON.stringify((await world.api.send({ path })).body)));
  return [...kept.lines, ...answers, (await world.ask('/metrics')).text].join('\n');
}

async function nothingIsTold(world: World): Promise<void> {
  const text = await told(world);
  // With this all tokens begin.
  for (const secret of [...Object.values(planted), 'gAAAAA']) {
    for (const spelling of [secret, Buffer.from(secret).toString('base64').slice(0, -4)])
      expect(text.includes(spelling), `${spelling} is told`).toBe(false);
  }
}

describe.skipIf(inject('kubeconfig') === '')('with a log-in', () => {
  test('the service and the tenant are found, and tokens that live for seconds disturb nobody', async () => {
    await using world = await open(3_000);
    await world.operate(systemClock);
    await world.apply('Secret', 'login', byCredential(world));
    await world.apply('Connection', 'default', { auth, pollSeconds: 1 });
    const { status } = await world.ready('Connection', 'default');
    expect(status).toMatchObject({ endpoint: world.service.url, tenantID: red });
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.ready('Cluster', 'etl');
    await vi.waitFor(() => expect(logIns(world)).toBeGreaterThan(3), { timeout: limitMs, interval: 100 });
    await world.apply('Cluster', 'etl', { ...specs.cluster, nodeGroups: [{ name: 'worker', count: 4 }] });
    await world.until('Cluster', 'etl', ({ status: now }) => now?.nodes === '5/5');
    expect(world.records.listed('clusters', red)).toHaveLength(1);
    expect(world.failures).toEqual([]);
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    await nothingIsTold(world);
  });

  test('an application credential that is gone is told from a wrong URL, and another one mends it', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byCredential(world, 'gone'));
    await world.apply('Connection', 'default', { auth });
    const denied = await world.until('Connection', 'default', readyIs('False', 'Unauthorized'));
    expect(conditionOf(denied, 'Ready')?.message).toMatch(
      /^cannot authenticate at http.*\/v3: the identity service has no such application credential: Could not find Application Credential: gone; check application_credential_id and auth_url in clouds\.yaml, .*\. Correct clouds\.yaml in Secret login$/,
    );
    await world.apply('Secret', 'login', byCredential(world));
    await world.ready('Connection', 'default');
    await nothingIsTold(world);
  });

  test('a wrong password is told and mended; another log-in into the same project goes on with what is there', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byPassword(world, { password: planted.wrong }));
    await world.apply('Connection', 'default', { auth });
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    const denied = await world.until('Connection', 'default', readyIs('False', 'Unauthorized'));
    expect(conditionOf(denied, 'Ready')?.message).toMatch(
      /^cannot authenticate at http.*\/v3: the identity service does not accept the credentials: .*\w; check the user, domain and password in clouds\.yaml, and that the user is enabled\. Correct clouds\.yaml in Secret login$/,
    );
    const waiting = await world.until('NodeGroupTemplate', 'worker', readyIs('False', 'DependencyNotReady'));
    expect(conditionOf(waiting, 'Ready')?.message).toContain('check the user, domain and password');
    await world.apply('Secret', 'login', byPassword(world));
    const made = await world.ready('NodeGroupTemplate', 'worker');
    const before = logIns(world);
    await world.apply('Secret', 'login', byCredential(world));
    await vi.waitFor(() => expect(logIns(world)).toBe(before + 1), { timeout: limitMs, interval: 50 });
    await world.apply('NodeGroupTemplate', 'master', specs.master);
    await world.ready('NodeGroupTemplate', 'master');
    expect((await world.ready('NodeGroupTemplate', 'worker')).status?.id).toBe(made.status?.id);
    expect(world.records.listed('nodeGroupTemplates', red)).toHaveLength(2);
    await nothingIsTold(world);
  });

  test('one that leads to another project moves nothing there, with and without a tenantID', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byPassword(world));
    await world.apply('Connection', 'default', { auth });
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    await world.apply('Secret', 'login', byPassword(world, { project_name: 'blue' }));
    const changed = await world.until('NodeGroupTemplate', 'worker', readyIs('False', 'ConnectionChanged'));
    expect(conditionOf(changed, 'Ready')?.message).toContain(`belongs to tenant ${red}`);
    expect((await world.ready('Connection', 'default')).status).toMatchObject({ tenantID: blue });
    await world.apply('Connection', 'default', { auth, tenantID: red });
    const elsewhere = await world.until('Connection', 'default', readyIs('False', 'Unauthorized'));
    expect(conditionOf(elsewhere, 'Ready')?.message).toContain(
      `the token is for project ${blue} (blue), not for tenant ${red}`,
    );
    await world.until('NodeGroupTemplate', 'worker', readyIs('False', 'ConnectionChanged'));
    await world.apply('Secret', 'login', byPassword(world));
    await world.ready('Connection', 'default');
    await world.ready('NodeGroupTemplate', 'worker');
    expect(world.records.listed('nodeGroupTemplates', blue)).toEqual([]);
    expect(world.records.listed('nodeGroupTemplates', red)).toHaveLength(1);
  });

  test('a log-in that fails does not hold up a deletion that needs none, and another one helps the rest', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byPassword(world));
    await world.apply('Connection', 'default', { auth });
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    await world.halt();
    await world.apply('Secret', 'login', byPassword(world, { password: planted.wrong }));
    await world.delete('Connection', 'default');
    await world.operate();
    await world.apply('NodeGroupTemplate', 'never', specs.master);
    await world.delete('NodeGroupTemplate', 'worker');
    await world.delete('NodeGroupTemplate', 'never');
    await world.gone('NodeGroupTemplate', 'never');
    expect(await world.get('NodeGroupTemplate', 'worker')).toBeDefined();
    await world.apply('Secret', 'login', byCredential(world));
    await world.gone('NodeGroupTemplate', 'worker');
    await world.gone('Connection', 'default');
    expect(world.records.listed('nodeGroupTemplates', red)).toEqual([]);
    await nothingIsTold(world);
  });
});
