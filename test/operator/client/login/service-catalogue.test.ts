// The catalogue of a token: which of its endpoints is the service, and what of its address is the base.
import { expect, test } from 'vitest';
import { readCloud } from '../../../../src/operator/client/login/clouds.ts';
import { type CatalogueEndpoint, findEndpoint } from '../../../../src/operator/client/login/service-catalogue.ts';

const cloudOf = (fields: object) =>
  readCloud(
    JSON.stringify({
      clouds: { n: { auth: { auth_url: 'http://k', user_id: 'u', password: 'p', project_id: 'x' }, ...fields } },
    }),
    'n',
  );
const endpoint = (changes: Partial<CatalogueEndpoint>): CatalogueEndpoint => ({
  type: 'data-processing',
  interface: 'public',
  region: 'north',
  url: 'http://service:8386/v1.1/abc',
  ...changes,
});

test.each([
  ['http://service:8386/v1.1/abc', 'http://service:8386'],
  ['http://service:8386/v1.0/abc/', 'http://service:8386'],
  ['http://service:8386/v1.1', 'http://service:8386'],
  ['https://cloud.example.com/data-processing/v1.1/abc', 'https://cloud.example.com/data-processing'],
  ['http://service:8386/v2', 'http://service:8386'],
  ['http://service:8386', 'http://service:8386'],
  ['http://service:8386/base/', 'http://service:8386/base'],
])('%s is the service at %s', (url, base) => {
  expect(findEndpoint([endpoint({ url })], cloudOf({}))).toEqual({ found: true, endpoint: base });
});

const many = [
  endpoint({ type: 'compute', url: 'http://compute' }),
  endpoint({ interface: 'admin', url: 'http://admin' }),
  endpoint({ url: 'http://north' }),
  endpoint({ region: 'south', url: 'http://south' }),
  endpoint({ region: 'south', interface: 'internal', type: 'data_processing', url: 'http://inside' }),
];
test.each([
  [{}, 'http://north'],
  [{ region_name: 'south' }, 'http://south'],
  [{ interface: 'admin' }, 'http://admin'],
  [{ region_name: 'south', interface: 'internal' }, 'http://inside'],
])('%j is at %s', (fields, expected) => {
  expect(findEndpoint(many, cloudOf(fields))).toEqual({ found: true, endpoint: expected });
});

test.each<readonly [readonly CatalogueEndpoint[], object, RegExp]>([
  [[], {}, /^the catalog has no endpoint of type data-processing and interface public: set spec\.endpoint/],
  [many, { region_name: 'west' }, /interface public in region west: set spec\.endpoint, or correct region_name/],
  [[endpoint({ url: 'http://me:pw@service/v1.1' })], {}, /must not contain a user or a password: set spec\.endpoint$/],
  [[endpoint({ url: '' })], {}, /the endpoint is not a URL/],
])('%j, %j: not found', (catalogue, fields, why) => {
  const place = findEndpoint(catalogue, cloudOf(fields));
  expect(place).toEqual({ found: false, why: expect.stringMatching(why) });
  expect(JSON.stringify(place)).not.toContain('pw');
});
