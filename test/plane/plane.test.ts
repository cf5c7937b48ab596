// The shared plane and planes of their own: users, namespaces, tokens, restarts.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { writeKubeconfig } from '../../dev/plane/keys/kubeconfig.ts';
import { type Plane, type PlaneOptions, startPlane } from '../../dev/plane/plane.ts';
import { limitMs } from '../support/patience.ts';
import { connect, isGone } from './support.ts';

const namespaces = '/api/v1/namespaces';
const newName = (): string => `test-${randomUUID().slice(0, 8)}`;

async function ownPlane(options: PlaneOptions): Promise<Plane> {
  const plane = await startPlane(options);
  onTestFinished(async () => plane.stop());
  return plane;
}

describe.skipIf(inject('kubeconfig') === '')('the shared plane', () => {
  const user = async (name: string, groups: readonly string[] = []): Promise<string> =>
    writeKubeconfig(inject('planeDirectory'), { name, groups });

  it('is ready', async () => {
    const call = await connect(inject('kubeconfig'));
    expect(await call('GET', '/readyz')).toEqual({ status: 200, body: 'ok' });
  });

  it('tells its true version, by which clients choose what they use', async () => {
    const call = await connect(inject('kubeconfig'));
    expect((await call('GET', '/version')).body).toMatchObject({ major: '1', gitVersion: /^v1\.\d+\.\d+/ });
  });

  it('lets the administrator create and read a namespace', async () => {
    const call = await connect(inject('kubeconfig'));
    const name = newName();
    expect(await call('POST', namespaces, { metadata: { name } })).toMatchObject({ status: 201 });
    expect(await call('GET', `${namespaces}/${name}`)).toMatchObject({ status: 200, body: { metadata: { name } } });
  });

  it('denies what RBAC does not grant to a user', async () => {
    const call = await connect(await user('jane'));
    const answer = await call('GET', namespaces);
    expect(answer).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('User "jane" cannot list') },
    });
  });

  it('knows users and groups by any name', async () => {
    const call = await connect(await user('zoë: "x" {y}', ['team-a', 'система']));
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
    expect(answer.body).toMatchObject({
      status: { userInfo: { username: 'zoë: "x" {y}', groups: ['team-a', 'система', 'system:authenticated'] } },
    });
  });

  it('grants a user what a binding gives to the group', async () => {
    const admin = await connect(inject('kubeconfig'));
    const group = newName();
    const [rbac, metadata] = ['rbac.authorization.k8s.io', { name: group }];
    const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['list'] }];
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: group };
    const subjects = [{ apiGroup: rbac, kind: 'Group', name: group }];
    await admin('POST', `/apis/${rbac}/v1/clusterroles`, { metadata, rules });
    await admin('POST', `/apis/${rbac}/v1/clusterrolebindings`, { metadata, roleRef, subjects });
    const call = await connect(await user('jane', [group]));
    // The API server learns of a binding through a watch of its own.
    await vi.waitFor(async () => expect(await call('GET', namespaces)).toMatchObject({ status: 200 }), limitMs);
    expect(await call('POST', namespaces, { metadata: { name: newName() } })).toMatchObject({ status: 403 });
  });

  it('hands out tokens for a ServiceAccount', async () => {
    const call = await connect(inject('kubeconfig'));
    const accounts = `${namespaces}/default/serviceaccounts`;
    const name = newName();
    await call('POST', accounts, { metadata: { name } });
    const answer = await call('POST', `${accounts}/${name}/token`, { spec: { expirationSeconds: 600 } });
    expect(answer).toMatchObject({ status: 201, body: { status: { token: expect.stringMatching(/^ey/) } } });
  });
});

describe.skipIf(inject('kubeconfig') === '')('a plane of its own', () => {
  it('shares nothing, tells what ends by itself, keeps address and data over a restart, and leaves nothing', async () => {
    const lines: string[] = [];
    const plane = await ownPlane({ onProgress: (line) => lines.push(line) });
    const { url, directory, pids: before } = plane;
    const [own, shared] = [await connect(plane.kubeconfig), await connect(inject('kubeconfig'))];
    const name = newName();
    expect(await own('POST', namespaces, { metadata: { name } })).toMatchObject({ status: 201 });
    expect(await shared('GET', `${namespaces}/${name}`)).toMatchObject({ status: 404 });

    process.kill(before.apiServer, 'SIGKILL');
    await vi.waitFor(() => expect(lines).toContain('kube-apiserver ended by itself: SIGKILL'), limitMs);
    await plane.restartApiServer();
    expect(plane.url).toBe(url);
    const { pids } = plane;
    expect(pids.apiServer).not.toBe(before.apiServer);
    expect(pids.etcd).toBe(before.etcd);
    const again = await connect(plane.kubeconfig);
    expect(await again('GET', `${namespaces}/${name}`)).toMatchObject({ status: 200 });

    expect(Object.values(pids).some(isGone)).toBe(false);
    await plane.stop();
    expect(Object.values(pids).every(isGone)).toBe(true);
    expect(existsSync(directory)).toBe(false);
    await plane.stop();
  });
});
