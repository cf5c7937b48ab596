// What brings about the errors that many routes have, by cause.

import type { CauseKey } from '../../../src/service/model/causes.ts';
import type { Endpoint } from '../../../src/service/resources/endpoints/endpoint.ts';
import { unknownId } from '../../contract/support.ts';
import { type Ask, collectionOf } from './ask.ts';
import type { Scene } from './scene.ts';

type Provoke = (endpoint: Endpoint, scene: Scene) => Ask;

const typed = (type: string, body = '{}'): Ask => ({ body, headers: { 'content-type': type } });
const long = (length: number) => 'x'.repeat(length);
export const general: { readonly [Key in CauseKey]?: Provoke } = {
  unreadable: () => ({ parts: { tenant: '%zz' } }),
  tooMuchHead: () => ({ headers: { 'x-much': long(17_000) } }),
  tooLong: () => ({ parts: { tenant: long(101) } }),
  notJson: () => typed('application/json', '{'),
  otherSite: () => ({ headers: { origin: 'http://evil.example' } }),
  otherType: () => typed('text/plain'),
  noType: () => typed('no type'),
  form: () => typed('application/x-www-form-urlencoded', 'a=b'),
  invalid: () => typed('application/json', '{"nonsense": 1}'),
  tooLarge: () => typed('application/json', JSON.stringify({ name: long(1_100_000) })),
  tooBig: () => typed('application/octet-stream', long(5120 * 1024 + 1)),
  badBinary: () => typed('application/octet-stream', ''),
  missing: (endpoint) => ({ parts: { id: collectionOf(endpoint) === 'plugins' ? 'nothing' : unknownId } }),
  badParameter: () => ({ query: '?limit=1' }),
};

/** What no test can bring about in time. */
export const unprovoked: { readonly [Key in CauseKey]?: string } = {
  tooLongParts: 'it takes a megabyte; test/service/resources/templates/lengths.test.ts has one',
  tooSlow: 'the server has a minute of patience; test/service/api/http/patience.test.ts has none',
  tooManyRows: 'nothing else could be made then; test/service/model/checks/quotas.test.ts has what it says',
  tooLargeRows: 'the same',
  tooManyBytes: 'the same',
  tooManyRunBytes: 'simulated runs keep nothing; test/service/model/disk/full-volume.test.ts has real ones',
  noRoom: 'it takes a full volume; test/service/model/disk/full-volume.test.ts has one',
  tooManyBodies: 'it takes many uploads at once; test/service/api/http/memory-budget.test.ts has them',
  tooManyAnswers: 'it takes many answers at once; test/service/api/http/memory-budget.test.ts has them',
  unusable: 'simulated jobs use everything; test/service/backends/processes/jobs/refusals.test.ts has others',
  unplaceable:
    'simulated machines have room for everything; test/service/resources/clusters/plan-check.test.ts has others',
};
