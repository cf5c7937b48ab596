// How the service of a Connection is looked at: how often, and what is told before it and of one that fails.
import { describe, expect, test, vi } from 'vitest';
import type { Condition } from '../../../../src/operator/api/shared-api.ts';
import { Schedule } from '../../../../src/operator/controller/schedule.ts';
import type { Category } from '../../../../src/wire/errors/service-error.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { limitMs } from '../../../support/patience.ts';
import { failing } from '../../reconcile/protocol/failures.ts';
import { type Answers, stageConnection } from './stage.ts';

const minuteMs = 60_000;

describe('the look at a service that is well', () => {
  const chances = [0, 0.3, 0.5, 0.7, 0.99];
  const orders = chances.flatMap((one) => chances.map((other) => [one, other] as const));

  test.each(orders)('is taken every 10 minutes, whatever the jitter (%d, then %d)', async (one, other) => {
    const stage = stageConnection();
    const { at } = stage;
    let drawn = 0;
    const random = { next: () => (drawn++ % 2 === 0 ? one : other) };
    const schedule = new Schedule(random, { monotonic: () => at.now });
    const looks = new Map<number, number>();
    while (at.now < 120 * minuteMs) {
      const delayMs = schedule.delayMs('it', await stage.pass());
      looks.set(at.looks, looks.get(at.looks) ?? at.now);
      at.now += delayMs ?? Number.NaN;
    }
    const times = [...looks.values()];
    const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / minuteMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(9);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(11);
  });
});

describe('a new spec', () => {
  const keystone = { auth: { type: 'Keystone', secretRef: { name: 'login' }, cloud: 'north' } };
  const never = () => new Promise<never>(() => undefined);
  const waits: readonly [string, Answers, object][] = [
    ['answer of the service', { plugins: never }, { endpoint: 'http://other', timeoutSeconds: 600 }],
    ['log-in', { login: never, secret: { 'clouds.yaml': btoa('{}') } }, keystone],
  ];

  test.each(waits)('is told of before the %s, which may take long', async (_what, slow, spec) => {
    const answers: Answers = {};
    const stage = stageConnection(answers);
    const before = await stage.look();
    Object.assign(answers, slow);
    stage.edit(spec);
    void stage.pass();
    await vi.waitFor(() => expect(stage.status()).toMatchObject({ observedGeneration: 2 }), limitMs);
    expect(stage.status()).toEqual({
      ...before,
      observedGeneration: 2,
      endpoint: 'endpoint' in spec ? spec.endpoint : before['endpoint'],
      conditions: [
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Provisioning', observedGeneration: 2 }),
        expect.objectContaining({ type: 'Synced', status: 'False', reason: 'OutOfSync', observedGeneration: 2 }),
        expect.objectContaining({ type: 'Reconciling', status: 'True', reason: 'Progressing', observedGeneration: 2 }),
      ],
    });
    expect(stage.events.map(({ reason }) => reason)).toEqual(['Available']);
  });

  test('costs one status write more than what comes of it, and its creation none', async () => {
    const stage = stageConnection();
    await stage.look();
    expect(stage.at.writes).toBe(1);
    stage.edit({ pollSeconds: 60 });
    expect(await stage.look()).toMatchObject({
      observedGeneration: 2,
      conditions: [
        { type: 'Ready', status: 'True', observedGeneration: 2 },
        { type: 'Synced', status: 'True' },
      ],
    });
    expect(stage.at.writes).toBe(3);
    stage.at.now += 1_000;
    await stage.look();
    expect(stage.at.writes).toBe(3);
  });

  test('that nothing can be reached with is told in the same pass', async () => {
    const stage = stageConnection();
    await stage.look();
    stage.edit({ tenantID: undefined });
    expect(await stage.look()).toMatchObject({
      observedGeneration: 2,
      conditions: [{ reason: 'InvalidSpec' }, {}, {}],
    });
  });

  test('does not make news of what is gone from the service as before', async () => {
    const stage = stageConnection({ loss: { gone: ['clusters 1'], of: 1, hash: 'h' } });
    await stage.look();
    stage.edit({ pollSeconds: 60 });
    await stage.look();
    expect(stage.events.filter(({ reason }) => reason === 'ObjectsVanished')).toHaveLength(1);
  });
});

const readyOf = (status: Record<string, unknown>) =>
  (status['conditions'] as readonly Condition[]).find((one) => one.type === 'Ready');

interface Trial {
  readonly category: Category;
  /** Checks that fail before it is told, and ms between them. */
  readonly quiet: number;
  readonly apartMs: number;
}

test.each<Trial>([
  { category: 'unreachable', quiet: 1, apartMs: 1_000 },
  { category: 'serverFault', quiet: 3, apartMs: 10_000 },
  { category: 'malformed', quiet: 5, apartMs: minuteMs },
])('a blip is not told, and what lasts is: $category', async ({ category, quiet, apartMs }) => {
  let fails = false;
  const plugins = async () => {
    if (fails) throw failing(category);
    return [];
  };
  const stage = stageConnection({ plugins });
  await stage.pass();
  stage.at.now += 10 * minuteMs;
  fails = true;
  for (let tries = 0; tries < quiet; tries += 1) {
    expect(await stage.pass()).toEqual({ next: 'retry' });
    expect(readyOf(stage.status())).toMatchObject({ status: 'True' });
    stage.at.now += apartMs;
  }
  await stage.pass();
  expect(readyOf(stage.status())).toMatchObject({ status: 'False', reason: 'UpstreamError' });
  expect(stage.judgements.at(-1)).toMatchObject({ mayCreate: false, failing: true });
  fails = false;
  await stage.pass();
  expect(readyOf(stage.status())).toMatchObject({ status: 'True', reason: 'Available' });
  expect(stage.judgements.at(-1)).toEqual({ mayCreate: true });
});

test('the failed request of another object counts: one failed check is an outage then', async () => {
  const answers: Answers = {};
  const stage = stageConnection(answers);
  await stage.pass();
  Object.assign(answers, { suspected: true, plugins: () => Promise.reject(failing('unreachable')) });
  await stage.pass();
  expect(readyOf(stage.status())).toMatchObject({ status: 'False', reason: 'UpstreamError' });
});

test('a remedy that the cause names is not followed by another', async () => {
  const request = { method: 'GET', path: '/plugins' } as const;
  const plain = classify(request, { phase: 'unanswered', code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  const stage = stageConnection({ plugins: () => Promise.reject(plain) });
  expect(readyOf(await stage.look())?.message).toMatch(/use http:\/\/ in the endpoint$/);
});

test('a path in the endpoint that the service does not know is named, with the endpoint to set', async () => {
  const request = { method: 'GET', path: '/plugins', collection: true } as const;
  const missing = classify(request, { phase: 'answered', status: 404, body: '' });
  const stage = stageConnection({ plugins: () => Promise.reject(missing) });
  stage.edit({ endpoint: 'http://host/v1.1/demo' });
  expect(readyOf(await stage.look())?.message).toBe(
    'cannot use the service at http://host/v1.1/demo: the path does not exist, or a proxy answers: check endpoint, tenant and dialect. spec.endpoint must be without /v1.1/demo, because the operator adds version and tenant: set it to http://host',
  );
});

describe('certificates that are not checked', () => {
  const unchecked = { tls: { insecureSkipVerify: true } };
  const messageWith = async (spec: object) => {
    const stage = stageConnection();
    stage.edit({ ...unchecked, ...spec });
    return readyOf(await stage.look())?.message;
  };

  test('are warned of', async () => {
    expect(await messageWith({ endpoint: 'https://host' })).toMatch(/WARNING: certificates are not checked/);
  });

  test('have no effect with http, which is said', async () => {
    expect(await messageWith({})).toBe(
      'the service answers. WARNING: tls.insecureSkipVerify has no effect, because spec.endpoint begins with http://: remove it',
    );
  });
});

describe('a Connection whose failures only the user can mend', () => {
  const stalled = (status: Record<string, unknown>) =>
    (status['conditions'] as readonly Condition[]).find((one) => one.type === 'Stalled')?.reason;

  test('is stalled from the second one on', async () => {
    const stage = stageConnection({ plugins: () => Promise.reject(failing('unauthorized')) });
    expect(stalled(await stage.look())).toBeUndefined();
    expect(stalled(await stage.look())).toBe('Unauthorized');
  });

  test('waits ten seconds for a Secret that may be on its way', async () => {
    const stage = stageConnection();
    stage.edit({ auth: { type: 'Token', secretRef: { name: 'token' } } });
    expect(await stage.pass()).toEqual({ next: 'at', afterMs: 10_000 });
    expect(stalled(stage.status())).toBeUndefined();
    stage.at.now += 10_000;
    expect(await stage.pass()).toEqual({ next: 'watch' });
    expect(stalled(stage.status())).toBe('CredentialsMissing');
  });
});

describe('a Secret that somebody has deleted', () => {
  test('is used as long as it is there, with what to do; events tell nothing that may be over soon', async () => {
    const stage = stageConnection({ secret: { token: btoa('secret') }, secretDeleted: true });
    stage.edit({ auth: { type: 'Token', secretRef: { name: 'token' } } });
    expect(readyOf(await stage.look())).toMatchObject({
      status: 'True',
      message:
        'the service answers. Secret token is being deleted, and kept as long as a Connection refers to it: create a Secret with another name, and set it in spec',
    });
    expect(stage.events).toMatchObject([{ reason: 'Available', note: 'the service answers' }]);
  });
});

describe('the events of a Connection whose Secret', () => {
  const auth = { auth: { type: 'Token', secretRef: { name: 'token' } } };
  const reasons = ({ events }: ReturnType<typeof stageConnection>) => events.map(({ reason }) => reason);

  test('is applied after it tell only that it is available', async () => {
    const answers: Answers = {};
    const stage = stageConnection(answers);
    stage.edit(auth);
    await stage.pass();
    Object.assign(answers, { secret: { token: btoa('secret') } });
    await stage.pass();
    expect(reasons(stage)).toEqual(['Available']);
  });

  test('stays missing tell what is missing, once for each cause', async () => {
    const answers: Answers = {};
    const stage = stageConnection(answers);
    stage.edit(auth);
    await stage.pass();
    stage.at.now += 10_000;
    await stage.pass();
    await stage.pass();
    expect(stage.events).toMatchObject([
      { reason: 'CredentialsMissing', note: expect.stringMatching(/does not exist in this namespace/) },
    ]);
    Object.assign(answers, { secret: { tokem: btoa('secret') } });
    await stage.pass();
    await stage.pass();
    expect(stage.events.slice(1)).toMatchObject([
      { reason: 'CredentialsMissing', note: expect.stringMatching(/has no key "token"/) },
    ]);
  });
});

describe('a Connection that is being deleted and still needed', () => {
  test('is checked when requests of others fail, and wakes them when its service answers again', async () => {
    const answers: Answers = { users: 1 };
    const stage = stageConnection(answers);
    stage.remove();
    await stage.pass();
    expect(stage.at.looks).toBe(0);
    Object.assign(answers, { suspected: true, plugins: () => Promise.reject(failing('unauthorized')) });
    expect(await stage.pass()).toEqual({ next: 'retry' });
    expect([stage.at.looks, stage.recoveries.length]).toEqual([1, 0]);
    Object.assign(answers, { suspected: false, plugins: async () => [] });
    expect(await stage.pass()).toEqual({ next: 'watch' });
    expect([stage.at.looks, stage.recoveries.length]).toEqual([2, 1]);
    await stage.pass();
    expect([stage.at.looks, stage.recoveries.length]).toEqual([2, 1]);
  });
});

test('a service that refuses the credentials was reached, and that is not denied', async () => {
  const body = JSON.stringify({ error: { message: 'The request you have made requires authentication.' } });
  const refusal = classify({ method: 'GET', path: '/plugins' }, { phase: 'answered', status: 401, body });
  const stage = stageConnection({ plugins: () => Promise.reject(refusal) });
  const { conditions } = (await stage.look()) as { conditions: readonly Condition[] };
  expect(conditions[0]).toMatchObject({
    reason: 'Unauthorized',
    message:
      'cannot use the service at http://host: the service does not accept the token: The request you have made requires authentication. Set spec.auth of Connection default',
  });
});

test('a full volume of the service is told as long as it lasts, and it stays usable', async () => {
  const answers: Answers = { isFull: true };
  const stage = stageConnection(answers);
  expect(await stage.pass()).toEqual({ next: 'settled', pollMs: minuteMs });
  expect(readyOf(stage.status())).toMatchObject({
    status: 'True',
    message: expect.stringMatching(
      /^the service answers\. WARNING: the volume of the service is full, .*: delete what/,
    ),
  });
  expect(stage.judgements.at(-1)).toEqual({ mayCreate: true });
  answers.isFull = false;
  stage.at.now += minuteMs;
  expect(await stage.pass()).toEqual({ next: 'settled', pollMs: 10 * minuteMs });
  expect(readyOf(stage.status())).toMatchObject({ status: 'True', message: 'the service answers' });
});
