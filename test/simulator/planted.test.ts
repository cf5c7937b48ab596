// Every invariant can be broken: bugs are planted between the operator and its world, and each is found under the name it was planted for.
import type { Dispatcher } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import type { ApiCall } from '../../src/kube/http/call.ts';
import type { ApiTransport } from '../../src/kube/http/transport.ts';
import { approvePlanAnnotation, lastScheduleAnnotation, ledgerAnnotation } from '../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../src/operator/reconcile/ledger/ledger.ts';
import { executionMarker } from '../../src/wire/jobs.ts';
import { invariants } from './judge/invariants.ts';
import { withoutTrouble } from './plan/draw.ts';
import { namespace, type Plan, token } from './plan/plan.ts';
import {
  alone,
  calculating,
  counted,
  deleted,
  deletedSuspended,
  observed,
  planned,
  replanned,
  scaled,
  small,
  suspended,
  timed,
  two,
  unselected,
  withLoss,
  withToken,
} from './plan/worlds.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import type { Planted } from './world/options.ts';

interface Bug {
  readonly breaks: string;
  readonly bug: string;
  readonly plan: Plan;
  readonly planted: Planted;
  readonly compared?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Body = {
  readonly metadata: Fields & { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: Fields;
};

/** Requests to the API server are changed on the way. */
const onCalls = (change: (call: ApiCall) => ApiCall): Planted => ({
  api: (way): ApiTransport => ({ ...way, request: (call) => way.request(change(call)) }),
});

const onBodies = (fits: (call: ApiCall, body: Body) => boolean, change: (body: Body) => object): Planted =>
  onCalls((call) => {
    const body = call.body as Body | undefined;
    return body !== undefined && fits(call, body) ? { ...call, body: change(body) } : call;
  });

/** The API server never hears that a Cluster is to be deleted. */
const undeleted: Planted = {
  api: (way): ApiTransport => ({
    ...way,
    request: async (call) => (call.method === 'DELETE' && call.path.includes('/clusters/') ? {} : way.request(call)),
  }),
};

const isStatus = ({ path }: ApiCall): boolean => path.endsWith('/status');
const isClaim = (_: ApiCall, { metadata }: Body): boolean => metadata?.annotations?.[ledgerAnnotation] !== undefined;

const onLedgers = (change: (ledger: Ledger) => Ledger): Planted =>
  onBodies(isClaim, ({ metadata, ...rest }) => {
    const text = metadata.annotations?.[ledgerAnnotation] ?? '';
    return {
      ...rest,
      metadata: {
        ...metadata,
        annotations: { [ledgerAnnotation]: JSON.stringify(change(JSON.parse(text) as Ledger)) },
      },
    };
  });

const onStatuses = (change: (status: Fields) => Fields): Planted =>
  onBodies(isStatus, (body) => ({ ...body, status: change(body.status ?? {}) }));

type Options = Dispatcher.DispatchOptions;

/** Requests to the service are changed on the way, or followed by others. */
const onRequests = (change: (options: Options) => readonly Options[]): Planted => ({
  service: (way) => ({
    ...way,
    dispatch(options, handler) {
      const [first = options, ...more] = change(options);
      for (const one of more) way.dispatch(one, {});
      return way.dispatch(first, handler);
    },
  }),
});

const is = ({ method, path }: Options, wanted: string, collection = '/clusters'): boolean =>
  method === wanted && String(path).includes(collection);

const renamed = (options: Options, name: (before: string) => string): Options => {
  const body = JSON.parse((options.body as Buffer).toString()) as { readonly name: string };
  return { ...options, body: Buffer.from(JSON.stringify({ ...body, name: name(body.name) })) };
};

const ready = (status: Fields): Fields => {
  const conditions = (status['conditions'] as readonly Fields[]).map((one) =>
    one['type'] === 'Ready' ? { ...one, status: 'True', reason: 'Available' } : one,
  );
  return { ...status, conditions };
};

const silent = (status: Fields): Fields => ({
  ...status,
  conditions: (status['conditions'] as readonly Fields[]).map((one) =>
    one['status'] === 'True' ? one : { ...one, message: '' },
  ),
});

/** A request for a run that tells it from no other. */
const unmarked = (options: Options): Options => {
  const body = JSON.parse((options.body as Buffer).toString()) as {
    readonly job_configs: { readonly configs: Fields };
  };
  const { [executionMarker]: _marker, ...configs } = body.job_configs.configs;
  return { ...options, body: Buffer.from(JSON.stringify({ ...body, job_configs: { ...body.job_configs, configs } })) };
};

/** When a schedule came last is known to the process alone, which believes that it is written. */
const forgetting: Planted = {
  api: (way): ApiTransport => {
    let last: string | undefined;
    return {
      ...way,
      request: async (call) => {
        last = (call.body as Body | undefined)?.metadata?.annotations?.[lastScheduleAnnotation] ?? last;
        return withLast(await way.request(withoutLast(call)), last);
      },
      stream: async (call) => shown(await way.stream(call), (event) => withLast(event, last)),
    };
  },
};

async function* shown(events: AsyncIterable<unknown>, as: (event: unknown) => unknown): AsyncIterable<unknown> {
  for await (const event of events) yield as(event);
}

/** A schedule, a list, or an event of a watch. */
function withLast(answer: unknown, last: string | undefined): unknown {
  const { items, object, spec, status, metadata } = (answer ?? {}) as Fields & Partial<Body>;
  if (last === undefined) return answer;
  if (Array.isArray(items)) return { ...(answer as Fields), items: items.map((one) => withLast(one, last)) };
  if (object !== undefined) return { ...(answer as Fields), object: withLast(object, last) };
  if ((spec as Fields | undefined)?.['schedule'] === undefined) return answer;
  const annotations = { ...metadata?.annotations, [lastScheduleAnnotation]: last };
  return {
    ...(answer as Fields),
    metadata: { ...metadata, annotations },
    ...(status === undefined ? {} : { status: { ...status, lastScheduleTime: last } }),
  };
}

const withoutLast = (call: ApiCall): ApiCall => {
  const { metadata, status } = (call.body ?? {}) as Partial<Body>;
  if (status?.['lastScheduleTime'] !== undefined)
    return { ...call, body: { ...(call.body as Body), status: { ...status, lastScheduleTime: undefined } } };
  const { [lastScheduleAnnotation]: last, ...annotations } = metadata?.annotations ?? {};
  return last === undefined ? call : { ...call, body: { metadata: { ...metadata, annotations } } };
};

/** The count of a NodeGroup that is being deleted. */
const isLeft = ({ method, path, body }: ApiCall): boolean =>
  method === 'PATCH' &&
  path.includes('/clusters/') &&
  (body as { readonly spec?: unknown } | undefined)?.spec !== undefined;

/** The first NodeGroup is told to lack the finalizer, and the second one to be older. */
const withoutFinalizersOfOthers: Planted['api'] = (way) => {
  const told = (value: unknown): unknown => {
    const { object, items, metadata, kind } = (value ?? {}) as Fields & Partial<Body>;
    if (Array.isArray(items)) return { ...(value as Fields), items: items.map(told) };
    if (object !== undefined) return { ...(value as Fields), object: told(object) };
    if (metadata?.['name'] === 'first') return { ...(value as Fields), metadata: { ...metadata, finalizers: [] } };
    const creationTimestamp = '2020-01-01T00:00:00Z';
    return metadata?.['name'] === 'second' && kind === 'NodeGroup'
      ? { ...(value as Fields), metadata: { ...metadata, creationTimestamp } }
      : value;
  };
  return {
    ...way,
    request: async (call) => told(await way.request(call)),
    stream: async (call) => shown(await way.stream(call), told),
  };
};

type TellObject = (object: Fields & Partial<Body> & { readonly spec?: Fields }) => unknown;

/** What the operator is told of each object. */
const telling =
  (tell: TellObject): NonNullable<Planted['api']> =>
  (way) => {
    const told = (value: unknown): unknown => {
      const { object, items } = (value ?? {}) as Fields;
      if (Array.isArray(items)) return { ...(value as Fields), items: items.map(told) };
      if (object !== undefined) return { ...(value as Fields), object: told(object) };
      return typeof value === 'object' && value !== null ? tell(value as Fields & Partial<Body>) : value;
    };
    return {
      ...way,
      request: async (call) => told(await way.request(call)),
      stream: async (call) => shown(await way.stream(call), told),
    };
  };

/** Nobody is told of this field of a spec. */
const hidden = (field: string) =>
  telling((one) => (one.spec?.[field] === undefined ? one : { ...one, spec: { ...one.spec, [field]: undefined } }));

/** Every SharedConnection is told to select all namespaces. */
const selecting = telling((one) =>
  one['kind'] === 'SharedConnection' || one.spec?.['credentialsNamespace'] !== undefined
    ? { ...one, spec: { ...one.spec, namespaces: ['team'] } }
    : one,
);

/** Whatever plan waits is told to be approved. */
const approving = telling((one) => {
  const { plan } = (one.status ?? {}) as { readonly plan?: { readonly hash: string } };
  const annotations = { ...(one.metadata?.['annotations'] as object), [approvePlanAnnotation]: plan?.hash };
  return plan === undefined ? one : { ...one, metadata: { ...one.metadata, annotations } };
});

/** Whatever was approved is told to be the plan that waits. */
const mistaking = telling((one) => {
  const annotations = one.metadata?.['annotations'] as Fields | undefined;
  const { plan } = (one.status ?? {}) as { readonly plan?: { readonly hash: string } };
  if (plan === undefined || annotations?.[approvePlanAnnotation] === undefined) return one;
  return { ...one, metadata: { ...one.metadata, annotations: { ...annotations, [approvePlanAnnotation]: plan.hash } } };
});

/** Of what is suspended, nobody is told that it is being deleted. */
const kept = telling((one) =>
  one.spec?.['suspend'] === true ? { ...one, metadata: { ...one.metadata, deletionTimestamp: undefined } } : one,
);

const unheard = onRequests((options) => [is(options, 'PUT') ? { ...options, method: 'GET' } : options]);

const bugs: readonly Bug[] = [
  {
    breaks: 'I1',
    bug: 'a fresh name for each attempt',
    plan: small,
    planted: onRequests((options) =>
      is(options, 'POST') ? [options, renamed(options, (name) => `b${name}`)] : [options],
    ),
  },
  {
    breaks: 'I2',
    bug: 'claims are forgotten once the id is known',
    plan: small,
    planted: onLedgers((ledger) => ({ ...ledger, claims: ledger.claims.filter(({ id }) => id === undefined) })),
  },
  {
    breaks: 'I3',
    bug: 'an object of somebody else is deleted',
    plan: { ...deleted, steps: [...deleted.steps, { at: 1, deed: { does: 'stranger', like: 'master' } }] },
    planted: {
      service: (way, world) => ({
        ...way,
        dispatch(options, handler) {
          const [stranger = ''] = world.strangers.ids;
          const path = is(options, 'DELETE', '') ? `/v1.0/demo/node-group-templates/${stranger}` : options.path;
          return way.dispatch({ ...options, path }, handler);
        },
      }),
    },
  },
  {
    breaks: 'I4',
    bug: 'a cluster that differs is deleted instead of scaled',
    plan: scaled,
    planted: onRequests((options) => [is(options, 'PUT') ? { ...options, method: 'DELETE', body: null } : options]),
  },
  {
    breaks: 'I5',
    bug: 'the intent counts no attempt',
    plan: small,
    planted: onLedgers((ledger) => ({
      ...ledger,
      claims: ledger.claims.map((claim) =>
        claim.attempts ? { ...claim, attempts: { ...claim.attempts, open: 0 } } : claim,
      ),
    })),
  },
  {
    breaks: 'I6',
    bug: 'the base of names is taken from what is there now',
    plan: small,
    planted: onLedgers((ledger) => ({
      ...ledger,
      base: ledger.claims.some(({ id }) => id !== undefined) ? 'other' : ledger.base,
    })),
  },
  {
    breaks: 'I7',
    bug: 'the finalizer comes last',
    plan: small,
    planted: onBodies(isClaim, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, finalizers: [] } })),
  },
  { breaks: 'I8', bug: 'whatever exists is Ready', plan: { ...small, stageMs: 5_000 }, planted: onStatuses(ready) },
  {
    breaks: 'I9',
    bug: 'the generation that is observed is counted from what changed',
    plan: scaled,
    planted: onStatuses((status) => ({ ...status, observedGeneration: 3 - Number(status['observedGeneration']) })),
  },
  {
    breaks: 'I10',
    bug: 'a scale is sent without saying so before',
    plan: scaled,
    planted: onLedgers(({ change: _change, ...ledger }) => ledger as Ledger),
  },
  {
    breaks: 'I11',
    bug: 'the token is in a status',
    plan: withToken,
    planted: onStatuses((status) => ({ ...status, hint: token })),
  },
  {
    breaks: 'I12',
    bug: 'a standby writes',
    plan: two,
    planted: {
      api: (way, _, { name }) => ({
        ...way,
        request(call) {
          const path = '/apis/dataprocessing.dev/v1alpha1/namespaces/team/clusters/etl';
          if (call.path.includes('/leases') && call.method === 'GET' && name.startsWith('1'))
            void way
              .request({ method: 'PATCH', path, body: {}, contentType: 'application/merge-patch+json' })
              .catch(() => undefined);
          return way.request(call);
        },
      }),
    },
  },
  {
    breaks: 'I13',
    bug: 'an object is made for a resource that is not there',
    plan: small,
    planted: onRequests((options) => [is(options, 'POST') ? renamed(options, () => 'etl-aaaaaaaaaaaa') : options]),
  },
  {
    breaks: 'I14',
    bug: 'an answer is read that is none',
    plan: small,
    planted: {
      api: (way) => ({
        ...way,
        request: (call) => (isStatus(call) ? Promise.reject(new TypeError('status of undefined')) : way.request(call)),
      }),
    },
  },
  {
    breaks: 'I18',
    bug: 'nobody hears that an object is suspended',
    plan: suspended,
    planted: { api: hidden('suspend') },
  },
  {
    breaks: 'I19',
    bug: 'nobody hears that an object is only observed',
    plan: observed,
    planted: { api: hidden('policy') },
  },
  {
    breaks: 'I21',
    bug: 'nobody hears that a namespace is not selected any more',
    plan: unselected,
    planted: { api: selecting },
  },
  { breaks: 'I20', bug: 'a plan is carried out that nobody approved', plan: planned, planted: { api: approving } },
  {
    breaks: 'I20',
    bug: 'another plan is carried out than was approved',
    plan: replanned,
    planted: { api: mistaking },
  },
  { breaks: 'L2', bug: 'what is suspended is not deleted', plan: deletedSuspended, planted: { api: kept } },
  { breaks: 'L1', bug: 'scales are not sent', plan: scaled, planted: unheard },
  {
    breaks: 'L2',
    bug: 'deletes are not sent',
    plan: deleted,
    planted: onRequests((options) => [is(options, 'DELETE') ? { ...options, method: 'GET' } : options]),
  },
  {
    breaks: 'L3',
    bug: 'conditions do not say why',
    plan: scaled,
    planted: { ...unheard, ...onStatuses(silent) },
  },
  {
    breaks: 'L4',
    bug: 'a standby never takes the lease',
    plan: two,
    planted: {
      api: (way, world) => ({
        ...way,
        request: (call) =>
          call.path.includes('/leases') && call.method === 'PUT' && world.figures.hits.has('succession')
            ? new Promise(() => undefined)
            : way.request(call),
      }),
    },
  },
  {
    breaks: 'E1',
    bug: 'a tag is set at each look',
    plan: small,
    planted: onRequests((options) => {
      const tag = {
        ...options,
        method: 'POST' as const,
        path: '/v1.0/demo/images/x/tag',
        body: Buffer.from('{"tags":[]}'),
      };
      return is(options, 'GET') ? [options, tag] : [options];
    }),
  },
  {
    breaks: 'I15',
    bug: 'a run is asked for twice',
    plan: calculating,
    planted: onRequests((options) => (is(options, 'POST', '/execute') ? [options, options] : [options])),
  },
  {
    breaks: 'I15',
    bug: 'a run is asked for without a marker',
    plan: calculating,
    planted: onRequests((options) => [is(options, 'POST', '/execute') ? unmarked(options) : options]),
  },
  {
    breaks: 'I16',
    bug: 'nobody remembers when a schedule came last, and it catches up twice',
    plan: timed,
    planted: forgetting,
  },
  {
    breaks: 'I16',
    bug: 'a schedule comes by what was known of it, without another look',
    plan: timed,
    planted: {
      api: (way, { server }) => ({
        ...way,
        request: async (call) =>
          call.method === 'GET' && call.path.includes('/jobschedules/')
            ? server.get('jobschedules', namespace, 'regular')
            : way.request(call),
      }),
    },
  },
  {
    breaks: 'I17',
    bug: 'a NodeGroup is deleted without leaving its count',
    plan: counted,
    planted: onCalls((call) => (isLeft(call) ? { ...call, body: {} } : call)),
  },
  {
    breaks: 'I17',
    bug: 'with the count of a NodeGroup the other groups go',
    plan: counted,
    planted: onCalls((call) => {
      const body = call.body as { readonly spec: { readonly nodeGroups: readonly object[] } };
      const nodeGroups = [...(isLeft(call) ? body.spec.nodeGroups : []), { name: 'master', count: 0 }];
      return isLeft(call) ? { ...call, body: { ...body, spec: { nodeGroups } } } : call;
    }),
  },
  {
    breaks: 'I17',
    bug: 'each NodeGroup of a group sets its count',
    plan: counted,
    planted: { api: withoutFinalizersOfOthers },
  },
  {
    breaks: 'E2',
    bug: 'each create is sent twice',
    plan: { ...small, faults: [] },
    planted: {
      ...onRequests((options) => (is(options, 'POST') ? [options, options] : [options])),
      // Its invariant does not get to see it.
      ...onLedgers((ledger) => ({
        ...ledger,
        claims: ledger.claims.map((claim) =>
          claim.attempts ? { ...claim, attempts: { ...claim.attempts, open: claim.attempts.open + 1 } } : claim,
        ),
      })),
    },
  },
  {
    breaks: 'E3',
    bug: 'each look is many',
    plan: small,
    planted: onRequests((options) => (is(options, 'GET') ? Array.from({ length: 500 }, () => options) : [options])),
  },
  {
    breaks: 'E4',
    bug: 'each look leaves a timer',
    plan: small,
    planted: {
      service: (way, world) => ({
        ...way,
        dispatch(options, handler) {
          for (let more = 0; more < 100; more += 1) world.scheduler.after(3_600_000, () => undefined);
          return way.dispatch(options, handler);
        },
      }),
    },
  },
  {
    breaks: 'D1',
    bug: 'another finalizer is left on what is made',
    plan: withLoss,
    planted: onBodies(isClaim, ({ metadata, ...rest }) => {
      const finalizers = [...(metadata['finalizers'] as readonly string[]), 'example.com/left'];
      return { ...rest, metadata: { ...metadata, finalizers } };
    }),
    compared: true,
  },
];

const longMs = 300_000;

describe('planted bugs', () => {
  const found: string[] = [];
  afterAll(() => {
    process.stdout.write(`planted bugs found: ${found.length} of ${bugs.length}\n`);
  });

  it('are there for every invariant', () => {
    const all = [...Object.keys(invariants), 'L1', 'L2', 'L3', 'L4', 'E1', 'E2', 'E3', 'E4', 'D1'];
    expect([...new Set(bugs.map(({ breaks }) => breaks))].toSorted()).toEqual(all.toSorted());
  });

  it.each(bugs)(
    '$breaks is broken when $bug',
    async ({ breaks, plan, planted, compared = false }) => {
      const { violations } = await run(plan, { planted, alone: !compared, rested: true });
      expect(violations.map(({ invariant }) => invariant)).toContain(breaks);
      found.push(breaks);
    },
    longMs,
  );

  it(
    'are found where the cluster of a run stays after it',
    async () => {
      const { violations } = await run(alone, { planted: undeleted, alone: true, rested: true });
      expect(violations.map(({ invariant, what }) => `${invariant}: ${what}`)).toContainEqual(
        expect.stringMatching(/^L\d: .*Cluster report is there, and no run needs it any more/s),
      );
    },
    longMs,
  );

  it(
    'are the only trouble of their worlds',
    async () => {
      for (const plan of [
        small,
        scaled,
        calculating,
        alone,
        timed,
        counted,
        suspended,
        unselected,
        deleted,
        two,
        withToken,
        withLoss,
      ]) {
        const { violations } = await run(plan);
        expect(violations).toEqual([]);
      }
    },
    longMs,
  );
});

describe('a failing plan', () => {
  it(
    'is made smaller, and stays a failing one',
    async () => {
      const planted = unheard;
      const smaller = await shrink({ ...withoutTrouble(scaled), faults: withLoss.faults }, 'L1', { planted, most: 25 });
      expect(smaller.faults).toEqual([]);
      expect(smaller.steps.length).toBeLessThan(scaled.steps.length + 1);
      const { violations } = await run(smaller, { planted, alone: true });
      expect(violations.map(({ invariant }) => invariant)).toContain('L1');
    },
    longMs,
  );
});
