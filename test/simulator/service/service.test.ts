// The simulated service answers like the bundled one behind its HTTP server: the same random requests go to both, under the same personality.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Injector } from '../../../dev/personality/injector.ts';
import type { Personality } from '../../../dev/personality/personality.ts';
import { createSeededRandom } from '../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../src/service/program/server.ts';
import { ManualClock } from '../../support/clock.ts';
import { type ServiceRequest, SimulatedService } from './service.ts';

const stageMs = 1_000;
const template = {
  name: 'worker',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  flavor_id: '2',
  node_processes: ['datanode'],
};
const cluster = {
  name: 'etl',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  default_image_id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
  user_keypair_id: 'demo',
  node_groups: [
    { name: 'master', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] },
    { name: 'worker', count: 2, flavor_id: '2', node_processes: ['datanode', 'tasktracker'] },
  ],
};

/** `of`: the how-manieth identifier that was answered so far. */
type Ask =
  | { readonly is: 'list' | 'make'; readonly what: 'clusters' | 'node-group-templates' }
  | { readonly is: 'get' | 'delete' | 'scale'; readonly what: 'clusters' | 'node-group-templates'; readonly of: number }
  | { readonly is: 'strange'; readonly method: 'GET' | 'DELETE'; readonly path: string }
  | { readonly is: 'wait'; readonly ms: number };

const what = fc.constantFrom('clusters' as const, 'clusters' as const, 'node-group-templates' as const);
const ask: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({ is: fc.constantFrom('list' as const, 'make' as const, 'make' as const), what }),
  fc.record({ is: fc.constantFrom('get' as const, 'delete' as const, 'scale' as const), what, of: fc.nat(3) }),
  fc.record({
    is: fc.constant('strange' as const),
    method: fc.constant('GET' as const),
    path: fc.constantFrom('plugins', 'plugins/vanilla', 'images', 'nothing', 'clusters/unknown'),
  }),
  fc.record({ is: fc.constant('wait' as const), ms: fc.constantFrom(500, 1_000, 5_000) }),
);

const personality = fc.constantFrom<Personality>(
  {},
  { seed: 3, faults: [{ rate: 0.3, answer: { is: 'refusal', status: 503, shape: 'proxy' } }] },
  { seed: 4, faults: [{ rate: 0.3, answer: { is: 'refusal', status: 429, retryAfter: 2 } }] },
  { faults: [{ method: 'POST', path: 'clusters', nth: 1, work: 'error-row', answer: { is: 'refusal', status: 400 } }] },
  { faults: [{ method: 'POST', every: 2, work: 'done', answer: { is: 'refusal', status: 500, shape: 'framework' } }] },
  { faults: [{ method: 'GET', every: 3, answer: { is: 'text' } }] },
  { listLagMs: 1_500, names: { freed: 'early' } },
  { names: { freed: 'late', ms: 4_000 }, statusWords: { Spawning: 'Humming' } },
  { clusters: [{ status: 'Validating', operation: 'scale', does: 'fail' }] },
);

function requestOf(one: Exclude<Ask, { readonly is: 'wait' }>, ids: readonly string[]): ServiceRequest {
  const at = (path: string) => `/v1.0/demo/${path}`;
  const token = 'secret';
  switch (one.is) {
    case 'list':
      return { method: 'GET', path: at(one.what), token, body: undefined };
    case 'make':
      return {
        method: 'POST',
        path: at(one.what),
        token,
        body: JSON.stringify(one.what === 'clusters' ? cluster : template),
      };
    case 'strange':
      return {
        method: one.method,
        path: at(one.path),
        token: one.path === 'images' ? 'wrong' : token,
        body: undefined,
      };
    default: {
      const path = at(`${one.what}/${ids[one.of] ?? 'none'}`);
      if (one.is === 'scale' && one.what === 'clusters')
        return {
          method: 'PUT',
          path,
          token,
          body: JSON.stringify({ resize_node_groups: [{ name: 'worker', count: 3 }] }),
        };
      return { method: one.is === 'delete' ? 'DELETE' : 'GET', path, token, body: undefined };
    }
  }
}

interface Side {
  readonly answer: (
    request: ServiceRequest,
  ) => Promise<{ readonly status: number; readonly body: string; readonly retryAfter: unknown }>;
  readonly clock: ManualClock;
}

function bundled(habits: Personality): Side {
  const clock = new ManualClock();
  const injector = new Injector(clock, habits);
  const { app } = createServer({
    clock,
    random: createSeededRandom(1),
    stageMs,
    grants: [{ token: 'secret' }],
    hooks: injector,
  });
  return {
    clock,
    async answer({ method, path, token = '', body }) {
      const headers = { 'x-auth-token': token, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const {
        statusCode,
        headers: answered,
        payload,
      } = await app.inject({
        method: method as 'GET',
        url: path,
        headers,
        ...(body !== undefined && { payload: body }),
      });
      return { status: statusCode, body: payload, retryAfter: answered['retry-after'] };
    },
  };
}

function simulated(habits: Personality): Side {
  const clock = new ManualClock();
  const service = new SimulatedService({
    clock,
    random: createSeededRandom(1),
    stageMs,
    token: 'secret',
    failingRuns: 0,
    changed: () => undefined,
  });
  service.injector.replace(habits);
  return {
    clock,
    async answer(request) {
      const { status, body, headers } = service.respond(request);
      return { status, body, retryAfter: headers['retry-after'] };
    },
  };
}

async function talk({ answer, clock }: Side, asks: readonly Ask[]): Promise<readonly unknown[]> {
  const ids: string[] = [];
  const told: unknown[] = [];
  for (const one of asks) {
    if (one.is === 'wait') {
      await clock.advance(one.ms);
      continue;
    }
    const given = await answer(requestOf(one, ids));
    const [, id] = /^\{"(?:cluster|node_group_template)":\{"id":"([^"]+)"/.exec(given.body) ?? [];
    if (id !== undefined && !ids.includes(id)) ids.push(id);
    told.push(given);
  }
  return told;
}

describe('the simulated service', () => {
  it('gives the same answers as the bundled one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { minLength: 10, maxLength: 40 }), personality, async (asks, habits) => {
        expect(await talk(simulated(habits), asks)).toEqual(await talk(bundled(habits), asks));
      }),
      { numRuns: 40, seed: 5 },
    );
  });

  it('makes clusters that can be found again', async () => {
    const told = await talk(simulated({}), [
      { is: 'make', what: 'clusters' },
      { is: 'wait', ms: 60_000 },
      { is: 'get', what: 'clusters', of: 0 },
    ]);
    expect(told.at(-1)).toMatchObject({ status: 200, body: expect.stringContaining('"status":"Active"') as string });
  });
});
