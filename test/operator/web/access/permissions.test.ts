// Who has a token, and what the user may list: asked of the API server, remembered for a short time, and at a limited rate.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../../src/kube/http/call.ts';
import { permissionsOf, Reviews, type WebUser } from '../../../../src/operator/web/access/permissions.ts';
import { ManualClock } from '../../../support/clock.ts';
import { objectOf } from '../support.ts';

interface Review {
  readonly kind: string;
  readonly spec: {
    readonly token?: string;
    readonly user?: string;
    readonly resourceAttributes?: { readonly resource: string; readonly namespace: string };
  };
}

/** An API server where `jane` has the token `good`, and may list what is allowed: `clusters/team-a`, or `clusters/` for all namespaces. */
function scene(...allowed: readonly string[]) {
  const clock = new ManualClock();
  const asked: Review[] = [];
  const faults: Error[] = [];
  const request = async ({ body }: ApiCall): Promise<unknown> => {
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
    const { kind, spec } = body as Review;
    asked.push({ kind, spec });
    if (kind === 'TokenReview') {
      const authenticated = spec.token === 'good';
      return { kind, status: { authenticated, user: authenticated ? { username: 'jane', groups: ['a'] } : {} } };
    }
    const { resource, namespace } = spec.resourceAttributes ?? { resource: '', namespace: '' };
    return { kind, status: { allowed: allowed.includes(`${resource}/${namespace}`) } };
  };
  return { clock, asked, faults, reviews: new Reviews({ transport: { request }, clock }) };
}

const userOf = async (reviews: Reviews): Promise<WebUser> => {
  const user = await reviews.userOf('good');
  if (user === undefined) throw new Error('the token is good');
  return user;
};

describe('a token', () => {
  test('is reviewed once, however many ask, and again after half a minute', async () => {
    const { clock, asked, reviews } = scene();
    const users = await Promise.all([reviews.userOf('good'), reviews.userOf('good')]);
    expect(users.map((user) => user?.name)).toEqual(['jane', 'jane']);
    expect(asked).toHaveLength(1);
    clock.leap(29_000);
    await reviews.userOf('good');
    expect(asked).toHaveLength(1);
    clock.leap(2_000);
    await reviews.userOf('good');
    expect(asked).toHaveLength(2);
  });

  test('that is not valid has no user', async () => {
    const { reviews } = scene();
    expect(await reviews.userOf('bad')).toBeUndefined();
  });

  test('that nobody knows is reviewed at a limited rate, which does not concern those that were valid', async () => {
    const { clock, asked, reviews } = scene();
    await userOf(reviews);
    clock.leap(60_000);
    const guesses = Array.from({ length: 200 }, async (_, index) => reviews.userOf(`guess-${index}`));
    const results = await Promise.allSettled(guesses);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(150);
    expect(refused[0]).toMatchObject({
      reason: { status: 429, message: 'too many new tokens: try again in a few seconds' },
    });
    expect((await userOf(reviews)).name).toBe('jane');
    expect(asked.filter(({ spec }) => spec.token === 'good')).toHaveLength(2);
  });

  test.each([
    [
      new ApiError('forbidden', 'cannot create tokenreviews: 403'),
      'the operator may not create a TokenReview: bind the ClusterRole system:auth-delegator to its ServiceAccount',
    ],
    [new ApiError('unreachable', 'secret words'), 'the API server does not answer a TokenReview: try again'],
  ])('that cannot be reviewed is an error with a remedy, and is asked for again: %s', async (fault, message) => {
    const { faults, reviews } = scene();
    faults.push(fault);
    await expect(reviews.userOf('good')).rejects.toMatchObject({ status: 503, message });
    expect((await userOf(reviews)).name).toBe('jane');
  });
});

describe('permissions', () => {
  const present = () => ['team-a', 'team-b', 'team-a'].map((namespace) => objectOf('Cluster', `${namespace}/x`));
  const namespaces = ['team-a', 'team-b', 'team-c'];

  test('for all namespaces need one review', async () => {
    const { asked, reviews } = scene('clusters/');
    const permissions = permissionsOf(reviews, await userOf(reviews));
    const includes = await permissions.namespacesOf('clusters', undefined, present);
    expect(namespaces.map((one) => includes?.(one))).toEqual([true, true, true]);
    expect(asked.filter(({ kind }) => kind === 'SubjectAccessReview').map(({ spec }) => spec)).toEqual([
      {
        user: 'jane',
        groups: ['a'],
        resourceAttributes: { group: 'dataprocessing.dev', resource: 'clusters', verb: 'list', namespace: '' },
      },
    ]);
  });

  test('for single namespaces are asked of those that have objects, once', async () => {
    const { asked, reviews } = scene('clusters/team-b');
    const permissions = permissionsOf(reviews, await userOf(reviews));
    const includes = await permissions.namespacesOf('clusters', undefined, present);
    expect(namespaces.map((one) => includes?.(one))).toEqual([false, true, false]);
    await permissions.namespacesOf('clusters', undefined, present);
    expect(asked.flatMap(({ spec }) => spec.resourceAttributes?.namespace ?? [])).toEqual(['', 'team-a', 'team-b']);
    expect(await permissions.namespacesOf('jobs', undefined, present)).toBeUndefined();
  });

  test('of one namespace include no other', async () => {
    const { reviews } = scene('clusters/team-b');
    const permissions = permissionsOf(reviews, await userOf(reviews));
    const includes = await permissions.namespacesOf('clusters', 'team-b', present);
    expect(namespaces.map((one) => includes?.(one))).toEqual([false, true, false]);
    expect(await permissions.namespacesOf('clusters', 'team-a', present)).toBeUndefined();
  });

  test('that are revoked end within half a minute, those that are granted begin within seconds', async () => {
    const allowed = ['clusters/team-a'];
    const { clock, reviews } = scene();
    const user = await userOf(reviews);
    expect(await reviews.mayList(user, 'clusters', 'team-a')).toBe(false);
    const later = scene(...allowed);
    expect(await later.reviews.mayList(user, 'clusters', 'team-a')).toBe(true);
    later.clock.leap(30_001);
    expect(later.reviews.knows(user, 'clusters', 'team-a')).toBe(false);
    clock.leap(5_001);
    expect(reviews.knows(user, 'clusters', 'team-a')).toBe(false);
  });

  test('of very many namespaces are asked in several answers, which say so', async () => {
    const { asked, reviews } = scene('clusters/n-299');
    const user = await userOf(reviews);
    const many = () => Array.from({ length: 300 }, (_, index) => objectOf('Cluster', `n-${index}/x`));
    const first = permissionsOf(reviews, user);
    expect(await first.namespacesOf('clusters', undefined, many)).toBeUndefined();
    expect(first.notes()).toEqual(['Your permissions are still being checked: more objects follow.']);
    expect(asked).toHaveLength(201);
    const second = permissionsOf(reviews, user);
    expect((await second.namespacesOf('clusters', undefined, many))?.('n-299')).toBe(true);
    expect(second.notes()).toEqual([]);
  });
});
