// Worlds whose service has a Keystone, and what may not be told of a log-in.
import { expect } from 'vitest';
import { parseAccounts } from '../../../dev/identity/accounts.ts';
import { createIdentity } from '../../../dev/identity/identity.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { keptLog } from './kept-log.ts';
import { conditionOf, type Resource, World } from './world.ts';

export const planted = {
  password: 'planted-password-0d9f31',
  wrong: 'planted-wrong-password-77ab',
  credential: 'planted-credential-secret-5c2e',
} as const;
export const red = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
export const blue = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
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
export const byPassword = (world: World, fields: object = {}) =>
  clouds(world, { username: 'ann', password: planted.password, project_name: 'red', ...fields });
export const byCredential = (world: World, id = 'robot') =>
  clouds(world, { application_credential_id: id, application_credential_secret: planted.credential });
export const auth = { type: 'Keystone', secretRef: { name: 'login' }, cloud: 'north' };

const kept = keptLog();
export const open = (tokenMs = 3_600_000): Promise<World> =>
  World.create({ login: { identity: createIdentity(accounts, { tokenMs }), keystone: { cacheMs: 0 } }, log: kept.log });
export const logIns = (world: World): number => world.external.filter((line) => line === 'POST /v3/auth/tokens').length;
export const readyIs = (status: string, reason: string) => (resource: Resource) => {
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

export async function nothingIsTold(world: World): Promise<void> {
  const text = await told(world);
  // With this all tokens begin.
  for (const secret of [...Object.values(planted), 'gAAAAA']) {
    for (const spelling of [secret, Buffer.from(secret).toString('base64').slice(0, -4)])
      expect(text.includes(spelling), `${spelling} is told`).toBe(false);
  }
}
