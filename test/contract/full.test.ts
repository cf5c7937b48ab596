// The whole suite through the command against the bundled service of each dialect: nothing fails, and what is not applicable is known.
import { expect, test } from 'vitest';
import { flagsFor, leftBehind, makeStranger, runContract, runOther, startBundled, token } from './command.ts';
import type { Bug } from './foreign/other-service.ts';

/** What only a service of the test's own can be made to have. */
const always = [
  'it moves the clock of the service',
  'it needs a Keystone of its own',
  'it needs a catalog of its own: images, flavors, plugins or a quota',
  'it needs a service that asks for no token',
  'it needs log-ins of its own',
  'it needs tokens of other tenants',
  'it would change image 00000000-0000-4000-8000-000000000000, which is registered or has tags already',
  ...['__proto__', 'a b', 'a/b', 'constructor', 'ü'].map((tenant) => `it needs a tenant called ${tenant}`),
];
/** What the tests of the releases need besides. */
const besides = [
  'it looks for names in queries',
  'it needs images of certain names',
  'it sets how long each status lasts',
  'it looks for words in messages',
];
const about = (...dialects: readonly string[]) => dialects.map((dialect) => `it is about the dialect ${dialect}`);
const late = (collection: string, ...types: readonly string[]) =>
  types.map((type) => `it needs ${collection} of type ${type}, which early releases do not have`);

test.each([
  ['neutral', 650, about('sahara', 'savanna')],
  [
    'sahara',
    600,
    [
      ...about('neutral', 'savanna'),
      ...besides,
      'it is written for neutral',
      'it is written for neutral and savanna',
      'it needs a tenant called default',
    ],
  ],
  [
    'savanna',
    480,
    [
      ...about('neutral', 'sahara'),
      ...besides,
      'it is written for neutral',
      'it is written for neutral and sahara',
      ...late('jobs', 'MapReduce', 'MapReduce.Streaming', 'Java', 'Shell', 'Spark', 'Storm', 'Storm.Pyleus'),
      ...late('data-sources', 'hdfs', 'maprfs', 'manila', 's3'),
    ],
  ],
])('%s: at least %d pass, none fails', async (dialect, least, reasons) => {
  const endpoint = await startBundled(dialect);
  await makeStranger(endpoint, dialect);
  const result = await runContract(...flagsFor(endpoint, dialect));
  expect(result.failed).toEqual([]);
  expect(result.code).toBe(0);
  expect(result.passed.length).toBeGreaterThan(least);
  expect(Object.keys(result.inapplicable).toSorted()).toEqual([...always, ...reasons].toSorted());
  expect(await leftBehind(endpoint)).toEqual({ 'node-group-templates': 1 });
});

test.each([
  ['neutral', 360],
  ['sahara', 300],
  ['savanna', 240],
] as const)('another service, %s: at least %d pass, none fails', async (dialect, least) => {
  const { failed, code, passed, endpoint } = await runOther(dialect, undefined);
  expect(failed).toEqual([]);
  expect([code, passed.length >= least]).toEqual([0, true]);
  expect(await leftBehind(endpoint)).toEqual({});
});

/** As late releases do: null for the configurations of a cluster is stored, and then the list fails for good. */
function mortal(): Bug {
  let isBroken = false;
  return (method, path, answer, sent) => {
    const { pathname } = new URL(path, 'http://service');
    const isList = pathname.endsWith('/clusters');
    if (method === 'POST' && isList && sent?.cluster_configs === null) isBroken = true;
    return isBroken && isList
      ? { status: 500, body: { error_code: 500, error_name: 'INTERNAL_SERVER_ERROR' } }
      : answer;
  };
}

test('a service that does not survive what it stores is not sent it, and has nothing left', async () => {
  const { inapplicable, endpoint } = await runOther('sahara', mortal(), '--section', 'upstream');
  const list = await fetch(`${endpoint}/v1.1/acme/clusters`, { headers: { 'x-auth-token': token } });
  expect(list.status).toBe(200);
  expect(inapplicable).toMatchObject({
    'a service that stores null for the configurations of a cluster cannot list them any more': 1,
  });
  expect(await leftBehind(endpoint)).toEqual({});
});
