// Every error that is documented for a route can still be brought about: by a request for each, or it is listed why by none.
import { describe, expect, test } from 'vitest';
import { demoAccounts } from '../../../dev/identity/accounts.ts';
import { createIdentity } from '../../../dev/identity/identity.ts';
import { causesOf } from '../../../src/service/api/openapi/operation.ts';
import { type CauseKey, causes, type RefusalCause } from '../../../src/service/model/causes.ts';
import { endpoints } from '../../../src/service/resources/all-routes.ts';
import type { Endpoint } from '../../../src/service/resources/endpoints/endpoint.ts';
import { type Dialect, dialects } from '../../../src/wire/dialect.ts';
import { type Reply, serve } from '../../contract/support.ts';
import { type Ask, ask } from './ask.ts';
import { clusterRoutes } from './clusters.ts';
import { general, unprovoked } from './general.ts';
import { jobRoutes } from './jobs.ts';
import { furnish, type Scene } from './scene.ts';

const keys = new Map<RefusalCause, CauseKey>(Object.entries(causes).map(([key, cause]) => [cause, key as CauseKey]));
const keyOf = (cause: RefusalCause): CauseKey => keys.get(cause) ?? 'missing';
const ofRoutes = { ...clusterRoutes, ...jobRoutes };
const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** The request that is refused for this reason; undefined: nobody knows one. */
function provocation(endpoint: Endpoint, key: CauseKey, scene: Scene): Ask | undefined {
  return ofRoutes[nameOf(endpoint)]?.[key]?.(scene) ?? general[key]?.(endpoint, scene);
}

/** Status and name as the shape of the answer has them. */
function told({ origin, name }: RefusalCause, dialect: Dialect, { status, body }: Reply): readonly unknown[] {
  if (dialect === 'neutral' || origin === 'service') return [status, body?.error_name];
  // Who else says no has no names.
  if (origin === 'framework') return [body?.error, name];
  return origin === 'identity' ? [body?.error?.code, name] : [status, body === undefined ? name : body];
}

const ofLogIn = (logIn: 'none' | 'tokens' | 'keystone', dialect: Dialect, endpoint: Endpoint) => {
  const before = logIn === 'none' ? [] : causesOf(endpoint, { dialect, logIn: logIn === 'tokens' ? 'none' : 'tokens' });
  return causesOf(endpoint, { dialect, logIn }).filter((cause) => !before.includes(cause));
};

describe.each(dialects)('%s', (dialect) => {
  test('each error of each route, by a request that it answers', async () => {
    const scene = await furnish(dialect);
    const wrong: string[] = [];
    for (const endpoint of endpoints)
      for (const cause of ofLogIn('none', dialect, endpoint)) {
        const key = keyOf(cause);
        if (unprovoked[key] !== undefined) continue;
        const what = provocation(endpoint, key, scene);
        const reply = what && (await ask(scene.peer, endpoint, scene, what));
        const seen = reply && told(cause, dialect, reply);
        if (seen?.[0] === cause.status && seen[1] === cause.name) continue;
        wrong.push(`${nameOf(endpoint)} ${key}: ${cause.status} ${cause.name}, not ${reply?.status} ${reply?.text}`);
      }
    expect(wrong).toEqual([]);
  });

  test('each error of tokens', async () => {
    const [mine, other] = ['11111111-2222-4333-8444-555555555555', '99999999-2222-4333-8444-555555555555'];
    const peer = await serve({ dialect, grants: [{ token: 'good', tenant: mine }] });
    const scene = { dialect, peer, plugin: {}, start: {}, internalUrl: '', idOf: () => other };
    const asks: { readonly [Key in CauseKey]?: Ask } = {
      noToken: { parts: { tenant: mine } },
      foreignTenant: { parts: { tenant: other }, headers: { 'x-auth-token': 'good' } },
    };
    for (const endpoint of endpoints)
      for (const cause of ofLogIn('tokens', dialect, endpoint)) {
        const reply = await ask(peer, endpoint, scene, asks[keyOf(cause)] ?? {});
        expect([nameOf(endpoint), ...told(cause, dialect, reply)]).toEqual([
          nameOf(endpoint),
          cause.status,
          cause.name,
        ]);
      }
  });

  test('each error of a Keystone', async () => {
    const keystone = await serve({ identity: createIdentity(demoAccounts) });
    const user = { name: 'demo', domain: { name: 'Default' }, password: 'demo' };
    const auth = { identity: { methods: ['password'], password: { user } } };
    const token = (await keystone.post('/v3/auth/tokens', { auth })).headers.get('x-subject-token') ?? '';
    const headers = { 'x-auth-token': token };
    const peers: { readonly [Key in CauseKey]?: string } = {
      unscoped: `${keystone.url}/v3`,
      noKeystone: 'http://127.0.0.1:9/v3',
    };
    for (const [key, authUrl] of Object.entries(peers)) {
      const peer = await serve({ dialect, keystone: { authUrl } });
      const scene = { dialect, peer, plugin: {}, start: {}, internalUrl: '', idOf: () => 'any' };
      for (const endpoint of endpoints) {
        const cause = ofLogIn('keystone', dialect, endpoint).find((each) => keyOf(each) === key);
        if (cause === undefined) throw new Error(`${nameOf(endpoint)} has no ${key}`);
        const reply = await ask(peer, endpoint, scene, { headers });
        expect([nameOf(endpoint), ...told(cause, dialect, reply)]).toEqual([
          nameOf(endpoint),
          cause.status,
          cause.name,
        ]);
      }
    }
  });
});

test('nothing is provoked that no route has, and what is left out is documented', () => {
  const documented = new Map<string, Set<CauseKey>>();
  for (const dialect of dialects)
    for (const endpoint of endpoints) {
      const found = causesOf(endpoint, { dialect, logIn: 'none' }).map(keyOf);
      documented.set(nameOf(endpoint), new Set([...(documented.get(nameOf(endpoint)) ?? []), ...found]));
    }
  const provoked = Object.entries(ofRoutes).flatMap(([route, asks]) =>
    Object.keys(asks).map((key) => [route, key as CauseKey] as const),
  );
  expect(provoked.filter(([route, key]) => documented.get(route)?.has(key) !== true)).toEqual([]);
  const everywhere = new Set([...documented.values()].flatMap((found) => [...found]));
  const rest = [...Object.keys(general), ...Object.keys(unprovoked)] as CauseKey[];
  expect(rest.filter((key) => !everywhere.has(key))).toEqual([]);
});
