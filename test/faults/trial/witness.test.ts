// What the witness of a cell says of writes that break an invariant, and that it says nothing of those that break none.
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../src/service/model/store/store.ts';
import { executionMarker } from '../../../src/wire/jobs.ts';
import type { Side } from '../tables/points.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { Scene } from './scene.ts';
import { Witness } from './witness.ts';

const path = '/apis/dataprocessing.dev/v1alpha1/namespaces/team/clusters/etl';
const clusters = '/v1.0/demo/clusters';
const finalizer = 'dataprocessing.dev/external';
const claim = { role: 'main', collection: 'clusters', name: 'etl-x' };
const intent = { ...claim, attempts: { open: 1, lastSentAt: 0 } };
const recorded = { ...claim, id: 'one' };

type Step = readonly [side: Side, method: string, path: string, body?: object, answer?: object, status?: number];

const ledger = (fields: object, finalizers: readonly string[] = [finalizer]): Step => [
  'kubernetes',
  'PATCH',
  path,
  {
    metadata: {
      uid: 'u',
      finalizers,
      annotations: { 'dataprocessing.dev/ledger': JSON.stringify({ v: 1, base: 'etl', ...fields }) },
    },
  },
];
const release: Step = ['kubernetes', 'PATCH', path, { metadata: { uid: 'u', finalizers: [] } }];
const create: Step = ['service', 'POST', clusters, { name: 'etl-x' }];
const runIntent = { role: 'main', collection: 'job-executions', name: 'u-1', attempts: { open: 1, lastSentAt: 0 } };
const run = (answered: number, marker = 'u-1'): Step => {
  const configs = marker === '' ? {} : { [executionMarker]: marker };
  return ['service', 'POST', '/v1.0/demo/jobs/words/execute', { job_configs: { configs } }, {}, answered];
};
const status = (generation: number, observedGeneration: number, ready = 'False'): Step => [
  'kubernetes',
  'PATCH',
  `${path}/status`,
  {},
  {
    kind: 'Cluster',
    metadata: { uid: 'u', generation },
    status: { observedGeneration, conditions: [{ type: 'Ready', status: ready, observedGeneration }] },
  },
];

function broken(steps: readonly Step[], rows: readonly { readonly id: string; readonly name: string }[] = []) {
  const store = createMemoryStore();
  for (const row of rows) store.put('clusters', 'demo', row as never);
  const scene = { cell: 'demo', store, objects: () => [{ kind: 'Cluster', metadata: { uid: 'u' } }] };
  const witness = new Witness(() => scene as unknown as Scene, ['open-sesame']);
  for (const [side, method, at, body, answer = {}, code = 200] of steps) {
    const exchange = { write: { side, method, path: at, body } } as Exchange;
    const reply: Reply = { status: code, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
    witness.sent(exchange);
    witness.answered(exchange, reply);
  }
  return witness.broken;
}

const there = [{ id: 'one', name: 'etl-x' }];

describe('the witness', () => {
  test('says nothing of a life as it should be', () => {
    const life: readonly Step[] = [
      ledger({ claims: [intent] }),
      create,
      ledger({ claims: [recorded] }),
      status(1, 1, 'True'),
      ledger({ claims: [recorded], change: { generation: 2 } }),
      ['service', 'PUT', `${clusters}/one`, {}],
      ['service', 'DELETE', `${clusters}/one`],
    ];
    expect(broken(life, there)).toEqual([]);
    expect(broken([ledger({ claims: [recorded] }), release])).toEqual([]);
  });

  test.each([400, 401, 409, 429])('lets a run be asked for again that was refused with %i', (refusal) => {
    expect(broken([ledger({ claims: [runIntent] }), run(refusal), run(200)])).toEqual([]);
  });

  test.each([200, 408, 425, 500, 504])('tells a run that is asked for again after an answer %i', (code) => {
    const says = ['I15: the run u-1 was asked for 2 times'];
    expect(broken([ledger({ claims: [runIntent] }), run(code), run(200)])).toEqual(says);
  });

  test.each<readonly [string, readonly Step[], RegExp]>([
    ['a run without a marker', [ledger({ claims: [runIntent] }), run(200, '')], /^I15: .* without a marker/m],
    ['a create that no ledger names', [create], /^I3, I4, I5: POST of clusters etl-x/],
    ['a create after its intent was closed', [ledger({ claims: [recorded] }), create], /^I5: /],
    ['a create before the finalizer', [ledger({ claims: [intent] }, []), create], /^I7: POST/],
    ['a create by what is released', [ledger({ claims: [intent] }), release, create], /^I13: /],
    ['a delete of what no ledger names', [['service', 'DELETE', `${clusters}/other`]], /^I3, I4, I5: DELETE/],
    [
      'a change that nobody intended',
      [ledger({ claims: [recorded] }), ['service', 'PUT', `${clusters}/one`, {}]],
      /^I10/,
    ],
    ['a base that changes', [ledger({ claims: [] }), ledger({ claims: [], base: 'other' })], /^I6: /],
    ['Ready for an older generation', [status(2, 1, 'True')], /^I8: Cluster is Ready for generation 1 of 2/],
    ['a generation that goes back', [status(2, 2), status(2, 1)], /^I9: .* from 2 to 1/],
    ['a secret in a status', [['kubernetes', 'PATCH', `${path}/status`, { message: 'open-sesame' }]], /^I11: /],
  ])('tells %s', (_name, steps, says) => {
    expect(broken(steps).join('\n')).toMatch(says);
  });

  test('tells a release while something is left in the service', () => {
    expect(broken([ledger({ claims: [recorded] }), release], there).join('\n')).toMatch(/^I7: .* released while etl-x/);
  });
});
