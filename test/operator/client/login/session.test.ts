// A log-in that lasts, in virtual time: renewal before the end, after a refusal, one at a time, and pauses after failures.
import { describe, expect, test } from 'vitest';
import { type KeystoneLogin, loginError } from '../../../../src/operator/client/login/keystone.ts';
import { Session } from '../../../../src/operator/client/login/session.ts';
import type { Category, ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { ManualClock, settle } from '../../../support/clock.ts';

const minute = 60_000;

interface Scene {
  readonly clock: ManualClock;
  readonly session: Session;
  /** Log-ins so far. */
  count(): number;
  fail(category: Category | undefined): void;
  project: string;
}

function open({ lifetimeMs = 60 * minute, chance = 0.5, takesMs = 0 } = {}): Scene {
  const clock = new ManualClock();
  let logIns = 0;
  let failing: Category | undefined;
  const logIn = async (): Promise<KeystoneLogin> => {
    logIns += 1;
    const token = `token-${logIns}`;
    if (takesMs > 0) await new Promise<void>((resolve) => clock.after(takesMs, resolve));
    if (failing !== undefined) throw loginError({ category: failing, why: `it is ${failing}` });
    return { token, project: { id: scene.project, name: 'red' }, lifetimeMs, catalogue: [] };
  };
  const session = new Session({ clock, random: { next: () => chance }, logIn });
  const scene: Scene = {
    clock,
    session,
    count: () => logIns,
    fail: (category) => {
      failing = category;
    },
    project: 'red-id',
  };
  return scene;
}

const tokenOf = async ({ session }: Scene): Promise<string | undefined> => session.credentials('red-id').token();
const failureOf = async (scene: Scene): Promise<ServiceError> =>
  tokenOf(scene).then(
    () => expect.unreachable(),
    (error: ServiceError) => error,
  );

describe('a token', () => {
  test('is kept until a minute or so before its end', async () => {
    const scene = open();
    expect(await tokenOf(scene)).toBe('token-1');
    await scene.clock.advance(59 * minute - 1);
    expect(await tokenOf(scene)).toBe('token-1');
    await scene.clock.advance(1);
    expect(await tokenOf(scene)).toBe('token-2');
  });

  test.each([
    [0, 45_000],
    [0.999, 74_970],
  ])('is renewed at another time by each replica: chance %d, %d ms before its end', async (chance, marginMs) => {
    const scene = open({ chance });
    await tokenOf(scene);
    await scene.clock.advance(60 * minute - marginMs - 1);
    expect(await tokenOf(scene)).toBe('token-1');
    await scene.clock.advance(2);
    expect(await tokenOf(scene)).toBe('token-2');
  });

  test('that lives for seconds only is renewed at four fifths of them', async () => {
    const scene = open({ lifetimeMs: 5_000 });
    await tokenOf(scene);
    await scene.clock.advance(3_999);
    expect(await tokenOf(scene)).toBe('token-1');
    await scene.clock.advance(1);
    expect(await tokenOf(scene)).toBe('token-2');
  });

  test('is asked for once by all who want it at the same time, also for its renewal', async () => {
    const scene = open({ takesMs: 500 });
    const first = Promise.all([tokenOf(scene), tokenOf(scene), scene.session.login()]);
    await scene.clock.advance(500);
    expect(await first).toMatchObject(['token-1', 'token-1', { token: 'token-1' }]);
    await scene.clock.advance(59 * minute);
    const second = Promise.all([tokenOf(scene), tokenOf(scene)]);
    await scene.clock.advance(500);
    expect(await second).toEqual(['token-2', 'token-2']);
    expect(scene.count()).toBe(2);
  });

  test('serves to its end while no other one is to be had', async () => {
    const scene = open();
    await tokenOf(scene);
    scene.fail('unreachable');
    await scene.clock.advance(60 * minute - 1);
    expect(await tokenOf(scene)).toBe('token-1');
    await scene.clock.advance(1);
    expect((await failureOf(scene)).why).toBe('it is unreachable');
    scene.fail(undefined);
    await scene.clock.advance(5 * minute);
    expect(await tokenOf(scene)).toMatch(/^token-[3-9]$/);
  });

  test('of another project is not given out, however it came to that', async () => {
    const scene = open();
    await tokenOf(scene);
    scene.project = 'blue-id';
    await scene.clock.advance(60 * minute);
    const error = await failureOf(scene);
    expect(error.category).toBe('unauthorized');
    expect(error.why).toMatch(/^the token is for project blue-id \(red\), not for tenant red-id: correct the project/);
    expect((await scene.session.login()).project?.id).toBe('blue-id');
  });
});

describe('a token that the service refuses', () => {
  test('is dropped, and another one is worth a try', async () => {
    const scene = open();
    const credentials = scene.session.credentials('red-id');
    await scene.clock.advance(10 * minute);
    expect(credentials.rejected((await credentials.token()) ?? '')).toBe(true);
    expect(await credentials.token()).toBe('token-2');
  });

  test('is dropped once, however many requests it was refused to', async () => {
    const scene = open();
    const credentials = scene.session.credentials('red-id');
    await credentials.token();
    for (const _ of [1, 2, 3]) expect(credentials.rejected('token-1')).toBe(true);
    expect(await credentials.token()).toBe('token-2');
    expect(credentials.rejected('token-1')).toBe(true);
    expect(await credentials.token()).toBe('token-2');
    expect(scene.count()).toBe(2);
  });

  test('young, one after the other: each log-in waits twice as long as the one before', async () => {
    const scene = open();
    const credentials = scene.session.credentials('red-id');
    const times: number[] = [];
    for (let ms = 0; ms < 20_000; ms += 100) {
      const before = scene.count();
      const token = (await credentials.token()) ?? '';
      if (scene.count() > before) times.push(ms);
      credentials.rejected(token);
      await scene.clock.advance(100);
    }
    expect(times).toEqual([0, 100, 1_100, 3_100, 7_100, 15_100]);
  });

  test('old enough: that was no sign of trouble', async () => {
    const scene = open();
    const credentials = scene.session.credentials('red-id');
    for (let refused = 0; refused < 10; refused += 1) {
      expect(credentials.rejected((await credentials.token()) ?? '')).toBe(true);
      await credentials.token();
      await scene.clock.advance(minute);
    }
    expect(scene.count()).toBe(11);
  });
});

describe('a log-in that fails', () => {
  test('is not repeated at once, whoever asks, and says when it may be', async () => {
    const scene = open();
    scene.fail('unreachable');
    const first = await failureOf(scene);
    expect(first.retryAfterMs).toBe(750);
    await scene.clock.advance(700);
    const again = await failureOf(scene);
    expect([again.why, again.retryAfterMs, scene.count()]).toEqual([first.why, 50, 1]);
    await scene.clock.advance(50);
    scene.fail(undefined);
    expect(await tokenOf(scene)).toBe('token-2');
  });

  test.each<readonly [Category, readonly number[]]>([
    ['unreachable', [750, 1_500, 3_000, 6_000, 12_000, 24_000, 48_000, 96_000, 192_000, 225_000, 225_000]],
    // Many wrong passwords may lock the account.
    ['unauthorized', [22_500, 45_000, 90_000, 180_000, 225_000, 225_000]],
  ])('%s: is repeated after %j ms', async (category, expected) => {
    const scene = open();
    scene.fail(category);
    const waits: number[] = [];
    for (const _ of expected) {
      const { retryAfterMs = 0 } = await failureOf(scene);
      waits.push(retryAfterMs);
      await scene.clock.advance(retryAfterMs);
    }
    expect([waits, scene.count()]).toEqual([expected, expected.length]);
  });

  test('is heard of by all who waited, and by nobody as an unhandled rejection', async () => {
    const scene = open({ takesMs: 100 });
    scene.fail('unauthorized');
    const all = Promise.allSettled([tokenOf(scene), tokenOf(scene), scene.session.login()]);
    await scene.clock.advance(100);
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(scene.count()).toBe(1);
    await settle();
  });
});
