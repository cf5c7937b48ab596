// What users send is checked in time in proportion to it: no item is compared with each other one.
import { expect, test } from 'vitest';
import { checkProcesses } from '../../../src/service/model/catalog/catalog.ts';
import type { PluginVersion } from '../../../src/service/model/catalog/plugins.ts';
import { checkDistinct } from '../../../src/service/model/checks/request-checks.ts';
import type { JobRecord } from '../../../src/service/model/records/records.ts';
import { findReferences } from '../../../src/service/model/references.ts';
import { firstTwice } from '../../../src/service/model/texts.ts';
import { checkInterface, checkValues } from '../../../src/service/resources/jobs/interface.ts';
import type { Service } from '../../../src/service/resources/service.ts';
import type { Argument } from '../../../src/wire/jobs.ts';
import { type Json, serve } from '../../contract/support.ts';
import { countLooks } from '../support/looked-at.ts';

const names = Array.from({ length: 3000 }, (_, index) => `n${index}`);
/** Each with each would be 4.5 million. */
const most = 500_000;

const texts = Object.fromEntries(names.map((name) => [name, 'x']));
const described = names.map(
  (name): Argument => ({ name, location: name, mapping_type: 'configs', required: true, value_type: 'string' }),
);
const job = { name: 'j', type: 'Pig', interface: described } as unknown as JobRecord;
const plugin = { version: '1', processes: { all: names }, configs: [] } as unknown as PluginVersion;
const nothing = { byName: () => undefined, byId: () => undefined };

test('the first text that is there twice is found', () => {
  expect(firstTwice(['a', 'b', 'c', 'b', 'a'])).toBe('b');
  expect(firstTwice(names)).toBeUndefined();
});

test.each<readonly [string, () => unknown]>([
  ['processes', () => checkProcesses({ ...plugin, processes: { all: ['a'] } }, names)],
  ['groups', () => checkDistinct(names.map((name) => ({ name })))],
  ['an interface', () => checkInterface({} as Service, 't', { name: 'j', type: 'Pig', interface: described })],
  [
    'the values of an interface',
    () => checkValues({} as Service, { tenant: 't', job }, { cluster_id: '', interface: texts }),
  ],
  ['the texts of a run', () => findReferences({ args: names, configs: texts, params: texts }, described, nothing)],
])('%s: no item is compared with each other one', (_, check) => {
  const looks = countLooks();
  try {
    check();
  } catch {
    // What is wrong with them is of no account here.
  }
  expect(looks()).toBeLessThan(most);
});

const image = '/v1.1/t/images/2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';

test('the tags of an image are not compared with each one that is taken away', async () => {
  const peer = await serve();
  expect((await peer.post(`${image}/tag`, { tags: names })).status).toBe(202);
  const looks = countLooks();
  const { status, body } = await peer.post(`${image}/untag`, { tags: names.toReversed() });
  expect([status, (body.image as Json).tags]).toEqual([202, []]);
  expect(looks()).toBeLessThan(most);
});

test('images are looked for by tags that are not compared with each of their tags', async () => {
  const peer = await serve();
  const all = Array.from({ length: 400 }, (_, index) => `n${index}`);
  expect((await peer.post(`${image}/tag`, { tags: names })).status).toBe(202);
  expect((await peer.post(image, { username: 'u' })).status).toBe(202);
  expect((await peer.post(`${image}/tag`, { tags: names })).status).toBe(202);
  const looks = countLooks();
  const { body } = await peer.get(`/v1.1/t/images?${all.map((tag) => `tags=${tag}`).join('&')}`);
  expect(body.images).toHaveLength(1);
  expect(looks()).toBeLessThan(most);
});

test('an image gets no more tags than an answer can have', async () => {
  const peer = await serve();
  const long = (count: number) => Array.from({ length: 500 }, (_, index) => `t${count}-${index}-${'x'.repeat(1500)}`);
  expect((await peer.post(`${image}/tag`, { tags: long(1) })).status).toBe(202);
  const { status, body } = await peer.post(`${image}/tag`, { tags: long(2) });
  expect([status, body.error_message]).toEqual([400, expect.stringContaining('remove tags, or use a shorter')]);
  expect((await peer.post(`${image}/untag`, { tags: long(1) })).status).toBe(202);
  expect((await peer.post(`${image}/tag`, { tags: long(2) })).status).toBe(202);
});

test('a binary that is both main and lib is found without a look at each pair', async () => {
  const peer = await serve({ dialect: 'sahara' });
  const [mains, libs] = [names.map((name) => `m${name}`), names.map((name) => `l${name}`)];
  const looks = countLooks();
  const { status } = await peer.post('/v1.1/t/jobs', { name: 'j', type: 'Pig', mains, libs });
  expect(status).toBe(400);
  expect(looks()).toBeLessThan(most);
});
