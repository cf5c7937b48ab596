// What the contract suite makes of the paths that it sends to another service, and of the answers before it judges them.
import { expect, test } from 'vitest';
import type { Access, Target } from './foreign/command/description.ts';
import { excuseOf } from './foreign/command/excuses.ts';
import { addressed } from './foreign/visit/address.ts';
import { Mentions } from './foreign/visit/order.ts';
import { toNeutral } from './foreign/visit/translation.ts';
import { bundledTarget } from './targets.ts';

const access: Access = { endpoint: 'http://host', dialect: 'sahara', tenant: 'acme.1', token: undefined };
const target: Target = { ...bundledTarget, ...access, ours: false };

test.each([
  ['{"tenant_id":"acme.1"}', '{"tenant_id":"t"}'],
  ['{"tenant_id": "acme.1", "name": "acme.1"}', '{"tenant_id": "t", "name": "acme.1"}'],
  ['{"tenant_id": "acmeX1"}', '{"tenant_id": "acmeX1"}'],
])('%s: the tenant of the run is called as in the tests', (answer, expected) => {
  expect(toNeutral(target, answer, true)).toBe(expected);
});

test.each([
  ['/v1.0/t/clusters/x.json?a=b', '/v1.1/acme.1/clusters/x.json?a=b', '/v1.1/acme.1', ['clusters', 'x']],
  ['/v1.1/clusters.json', '/v1.1/clusters.json', '/v1.1', ['clusters']],
  ['/v1.0/job-executions/x', '/v1.0/job-executions/x', '/v1.0', ['job-executions', 'x']],
  ['/v1.1/t', '/v1.1/t', '', []],
])('%s is sent to %s, where rows are below %j', (written, path, home, segments) => {
  expect(addressed(target, written)).toEqual({ path, home, segments });
});

test('lists are in the order in which a test spoke of what is in them, but for arguments, whose order counts', () => {
  const mentions = new Mentions([]);
  mentions.noteSent({ names: ['b', 'a'] });
  expect(mentions.arrange({ args: ['a', 'b'], tags: ['a', 'b'] })).toEqual({ args: ['a', 'b'], tags: ['b', 'a'] });
});

test.each([
  ['Cinder is not supported', 5, 'it needs volumes of the cloud'],
  ['Cinder is not supported', undefined, undefined],
  ['There is no plugin', 5, undefined],
])('%s, for volumes of the size %s: %s', (error_message, volumes_size, excuse) => {
  const body = { error_code: 400, error_name: 'INVALID_REFERENCE', error_message };
  const reply = { status: 400, headers: new Headers(), text: JSON.stringify(body), body };
  const sent = { node_groups: [{ name: 'g', volumes_per_node: 1, volumes_size }] };
  expect(excuseOf(target, 'cluster-templates', sent, reply)).toBe(excuse);
});
