// What the API server makes of the installation: the pod fits its namespace, and users get what the roles promise.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, type Objects, openObjects } from '../../../dev/demo/manifests.ts';
import { limitMs } from '../../support/patience.ts';
import { podOf, repository } from '../support/installation.ts';

const kubeconfig = inject('kubeconfig');
const manifests = await renderKustomization(join(repository, 'deploy'));
const approvals = await renderKustomization(join(repository, 'deploy', 'approvals'));
const random = Math.random().toString(36).slice(2, 8);

describe.skipIf(kubeconfig === '')('the installation', () => {
  const namespace = `admission-${random}`;
  let server: ApiServer;
  let objects: Objects;

  beforeAll(async () => {
    server = await openApiServer(kubeconfig);
    objects = openObjects(server, namespace);
    const [own] = manifests.filter(({ kind }) => kind === 'Namespace');
    if (own === undefined) throw new Error('cannot test the installation: it has no Namespace');
    await objects.apply({ ...own, metadata: { ...own.metadata, name: namespace } });
    for (const each of manifests.filter(({ kind }) => kind === 'ServiceAccount'))
      await objects.apply({ ...each, metadata: { ...each.metadata, namespace } });
  });
  afterAll(async () => server.close());

  /** As the controller of the Deployment would. */
  const createPod = async (spec: object) =>
    server.send({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`,
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'operator' }, spec },
    });

  test('has a pod that its namespace, which enforces the restricted standard, lets in', async () => {
    const { pod } = podOf(manifests);
    const { status, body } = await createPod(pod);
    expect(status, JSON.stringify(body)).toBe(201);
    const { securityContext: _dropped, ...loose } = pod;
    const refusal = await createPod(loose);
    expect([refusal.status, JSON.stringify(refusal.body)]).toEqual([403, expect.stringContaining('restricted')]);
  });

  test.each(['NetworkPolicy', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'])(
    'spells out every default of its %s, so that nothing seems to differ when it is applied again',
    async (kind) => {
      const [manifest] = manifests.filter((each) => each.kind === kind);
      if (manifest === undefined) throw new Error(`cannot test the installation: it has no ${kind}`);
      const own = manifest.metadata.namespace === undefined ? {} : { namespace };
      const applied = await objects.apply({ ...manifest, metadata: { ...manifest.metadata, ...own } });
      expect(applied.spec).toEqual(manifest['spec']);
    },
  );

  describe('for users', () => {
    const roles = [...manifests, ...approvals].filter(
      ({ kind, metadata }) => /-(view|edit|approve)$/.test(metadata.name) && kind === 'ClusterRole',
    );

    beforeAll(async () => {
      for (const role of roles) await objects.apply(role);
      for (const role of roles) await objects.apply(bindingOf(role));
    });

    const bindingOf = ({ metadata: { name } }: Manifest): Manifest => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `${name}-${random}` }],
    });

    async function may(role: 'view' | 'edit' | 'approve', verb: string, resource: string): Promise<boolean> {
      const [plural, subresource = ''] = resource.split('/');
      const resourceAttributes = { namespace, verb, group: 'dataprocessing.dev', resource: plural, subresource };
      const { status } = await server.ask<{ readonly status: { readonly allowed: boolean } }>({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: `dataprocessing-operator-${role}-${random}`, resourceAttributes },
        },
      });
      return status.allowed;
    }

    test.each([
      ['view', 'list', 'clusters', true],
      ['view', 'get', 'connections', true],
      ['view', 'get', 'clusters/status', true],
      ['view', 'patch', 'clusters', false],
      ['edit', 'create', 'clusters', true],
      ['edit', 'delete', 'connections', true],
      ['edit', 'update', 'nodegrouptemplates', true],
      ['edit', 'patch', 'clusters/status', false],
      ['approve', 'approve', 'clusters', true],
      ['approve', 'patch', 'jobexecutions', true],
      // The policy of its runs is in its template, and it has no plan of its own.
      ['approve', 'approve', 'jobschedules', true],
      ['approve', 'patch', 'jobschedules', false],
      ['approve', 'patch', 'clusters/status', false],
      ['approve', 'patch', 'sharedconnections', false],
      ['approve', 'patch', 'connections', false],
    ] as const)('%s may %s %s: %s', async (role, verb, resource, allowed) => {
      await expect.poll(async () => may(role, verb, resource), { timeout: limitMs }).toBe(allowed);
    });
  });
});
