// What the contract suite makes of the answers of another service before it judges them.
import { expect, test } from 'vitest';
import { type Access, bundledScene, type Target } from './foreign/command/description.ts';
import { toNeutral } from './foreign/visit/translation.ts';

const access: Access = { endpoint: 'http://host', dialect: 'sahara', tenant: 'acme.1', token: undefined };
const target: Target = {
  ...access,
  ours: false,
  scene: bundledScene,
  otherTenant: undefined,
  network: undefined,
  spareImages: [],
  asked: [],
  maxClusters: 1,
  pool: undefined,
  mark: 't000000',
};

test.each([
  ['{"tenant_id":"acme.1"}', '{"tenant_id":"t"}'],
  ['{"tenant_id": "acme.1", "name": "acme.1"}', '{"tenant_id": "t", "name": "acme.1"}'],
  ['{"tenant_id": "acmeX1"}', '{"tenant_id": "acmeX1"}'],
])('%s: the tenant of the run is called as in the tests', (answer, expected) => {
  expect(toNeutral(target, answer, true)).toBe(expected);
});
