// The page of the operator on a real API server: real tokens and real permissions, on the leader and on a standby.
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { writeKubeconfig } from '../../dev/plane/keys/kubeconfig.ts';
import { loadClusterConfig } from '../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../src/kube/http/transport.ts';
import { systemClock, systemRandom } from '../../src/lib/system.ts';
import { Reviews } from '../../src/operator/web/access/permissions.ts';
import type { WebAnswer } from '../../src/operator/web/view/answer.ts';
import { createOperator, type Operator } from '../../src/operator/wiring/operator.ts';
import { type ApiServer, createNamespace } from '../support/kubernetes/api-server.ts';
import { limitMs } from '../support/patience.ts';
import { keptLog } from './support/kept-log.ts';
import { specs, World } from './support/world.ts';

const rbac = 'rbac.authorization.k8s.io';
const patience = { timeout: limitMs, interval: 100 };

async function applyAll(api: ApiServer, objects: Readonly<Record<string, object>>): Promise<void> {
  for (const [path, object] of Object.entries(objects)) {
    const { status, body } = await api.apply(path, object);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  }
}

/** A ServiceAccount of the namespace that may list the kinds of the operator there. Returns its token. */
async function addViewer(api: ApiServer, namespace: string, name: string): Promise<string> {
  const roles = `/apis/${rbac}/v1/namespaces/${namespace}`;
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
  const rules = [{ apiGroups: ['dataprocessing.dev'], resources: ['*'], verbs: ['list'] }];
  const roleRef = { apiGroup: rbac, kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const metadata = { name };
  await applyAll(api, {
    [account]: { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    [`${roles}/roles/${name}`]: { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    [`${roles}/rolebindings/${name}`]: { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects },
  });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = await api.send({ method: 'POST', path: `${account}/token`, body });
  return (answer.body as { readonly status: { readonly token: string } }).status.token;
}

describe.skipIf(inject('kubeconfig') === '')('the page', () => {
  const { lines, log } = keptLog();
  const operators: Operator[] = [];
  let world: World;
  let other = '';
  const tokens = { jane: '', joe: '' };

  async function operate(instance: string): Promise<Operator> {
    const operator = createOperator({
      cluster: await loadClusterConfig({ kubeconfig: inject('kubeconfig'), environment: {}, clock: systemClock }),
      namespaces: [world.namespace, other],
      installation: 'tests',
      quarantineMs: 3_000,
      health: { host: '127.0.0.1', port: 0 },
      web: { host: '127.0.0.1', port: 0 },
      instance,
      lease: { namespace: other, durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 200, lost: () => undefined },
      clock: systemClock,
      random: systemRandom,
      log,
    });
    operators.push(operator);
    // That of a standby does not end.
    void operator.start();
    await vi.waitFor(() => expect(operator.webPort()).toBeDefined(), patience);
    return operator;
  }

  const ask = async (operator: Operator | undefined, token: string, query = '') => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${operator?.webPort()}/api/objects?${query}`, { headers });
    return { status: answer.status, body: (await answer.json()) as WebAnswer & { readonly error?: string } };
  };

  beforeAll(async () => {
    world = await World.create();
    other = await createNamespace(world.api, `${world.namespace}-other`);
    tokens.jane = await addViewer(world.api, world.namespace, 'jane');
    tokens.joe = await addViewer(world.api, other, 'joe');
    await operate('first');
    await world.connectService();
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    await applyAll(world.api, {
      [`/apis/dataprocessing.dev/v1alpha1/namespaces/${other}/nodegrouptemplates/lonely`]: {
        apiVersion: 'dataprocessing.dev/v1alpha1',
        kind: 'NodeGroupTemplate',
        metadata: { name: 'lonely' },
        spec: specs.worker,
      },
    });
  });
  afterAll(async () => {
    await Promise.all(operators.map(async (operator) => operator.stop(10_000)));
    await world?.[Symbol.asyncDispose]();
  });

  test('shows each user the objects of the own namespace, and no word of the other', async () => {
    const [first] = operators;
    await expect.poll(async () => (await ask(first, tokens.joe)).body.objects?.[0]?.state, patience).toBe('Waiting');
    const [jane, joe] = [await ask(first, tokens.jane), await ask(first, tokens.joe)];
    expect(jane.body.objects.map(({ kind, namespace, name, state }) => ({ kind, namespace, name, state }))).toEqual(
      expect.arrayContaining([
        { kind: 'NodeGroupTemplate', namespace: world.namespace, name: 'worker', state: 'Ready' },
        { kind: 'Connection', namespace: world.namespace, name: 'default', state: 'Ready' },
      ]),
    );
    expect(JSON.stringify(jane.body)).not.toMatch(/-other|lonely/);
    expect(joe.body).toMatchObject({
      user: `system:serviceaccount:${other}:joe`,
      namespaces: [other],
      objects: [
        {
          kind: 'NodeGroupTemplate',
          name: 'lonely',
          blockedOn: [
            { kind: 'Connection', name: 'default', reason: 'DependencyNotReady', object: { resource: 'connections' } },
          ],
        },
      ],
    });
    expect(await ask(first, tokens.joe, `namespace=${world.namespace}`)).toMatchObject({ status: 403 });
    const named = `resource=nodegrouptemplates&namespace=${world.namespace}&name=worker`;
    expect((await ask(first, tokens.jane, named)).body.objects[0]?.conditions?.length).toBeGreaterThan(0);
    expect(await ask(first, tokens.joe, named)).toMatchObject({ status: 403 });
  });

  test('is refused to a token that the API server does not know, and no token is logged', async () => {
    const [first] = operators;
    const wrong = `${tokens.jane.slice(0, -8)}AAAAAAAA`;
    expect(await ask(first, wrong)).toEqual({ status: 401, body: { error: 'the token is not valid' } });
    expect(lines.length).toBeGreaterThan(0);
    for (const token of [wrong, tokens.jane, tokens.joe]) expect(lines.join('\n')).not.toContain(token.slice(0, 40));
  });

  test('has the same objects on a standby, which says that it is one', async () => {
    const [first] = operators;
    const second = await operate('second');
    await expect.poll(async () => (await ask(second, tokens.jane)).status, patience).toBe(200);
    const [leader, standby] = [await ask(first, tokens.jane), await ask(second, tokens.jane)];
    expect([leader.body.replica, standby.body.replica]).toEqual([
      { name: 'first', leading: true },
      { name: 'second', leading: false },
    ]);
    expect(standby.body.objects).toEqual(leader.body.objects);
  });

  test('needs the ClusterRole system:auth-delegator, and no more', async () => {
    const name = `delegator-${world.namespace}`;
    const kubeconfig = await writeKubeconfig(inject('planeDirectory'), { name });
    const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
    await using transport = {
      ...createTransport({ config, clock: systemClock }),
      [Symbol.asyncDispose]: async () => transport.close(),
    };
    const reviews = new Reviews({ transport, clock: systemClock });
    await expect(reviews.userOf(tokens.jane)).rejects.toThrow('bind the ClusterRole system:auth-delegator');
    await applyAll(world.api, {
      [`/apis/${rbac}/v1/clusterrolebindings/${name}`]: {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'system:auth-delegator' },
        subjects: [{ apiGroup: rbac, kind: 'User', name }],
      },
    });
    await expect
      .poll(async () => reviews.userOf(tokens.jane).then((user) => user?.name, String), patience)
      .toBe(`system:serviceaccount:${world.namespace}:jane`);
    const jane = await reviews.userOf(tokens.jane);
    if (jane === undefined) throw new Error('the token is that of jane');
    const may = async (namespace: string) => reviews.mayList(jane, 'clusters', namespace);
    expect([await may(world.namespace), await may(other), await may('')]).toEqual([true, false, false]);
  });
});
