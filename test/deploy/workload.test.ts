// The Deployment and what surrounds it: the pod is as restricted as can be, ends in order, and is found by its probes.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderKustomization } from '../../dev/demo/kustomization.ts';
import type { Manifest } from '../../dev/demo/manifests.ts';
import { readConfig } from '../../src/operator/config.ts';
import { podOf, repository } from '../e2e/support/installation.ts';

const manifests = await renderKustomization(join(repository, 'deploy'));
const { pod } = podOf(manifests);
const [container] = pod.containers;
const specOf = (kind: string) => one(kind)['spec'] as Readonly<Record<string, unknown>>;

function one(kind: string): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  if (found[0] === undefined || found.length > 1) throw new Error(`cannot test ${kind}: there are ${found.length}`);
  return found[0];
}

test('two replicas elect a leader, and do not go both at once', () => {
  const { replicas, strategy } = specOf('Deployment');
  expect([replicas, strategy]).toMatchObject([2, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } }]);
  const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  expect(readConfig([], environment)['leader-elect']).toBe(true);
  const { labels } = (specOf('Deployment')['template'] as Manifest).metadata as { readonly labels?: object };
  const selector = { matchLabels: labels };
  expect(specOf('PodDisruptionBudget')).toEqual({
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector,
  });
  expect(pod['topologySpreadConstraints']).toMatchObject([
    { whenUnsatisfiable: 'ScheduleAnyway', labelSelector: selector },
  ]);
});

test('the restricted standard of pod security, which its namespace enforces', () => {
  expect(pod['securityContext']).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container['securityContext']).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'volumes']) expect(pod).not.toHaveProperty(field);
  const { labels } = one('Namespace').metadata as { readonly labels?: Readonly<Record<string, string>> };
  expect(labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted');
});

test('the token is mounted into this pod, and into no other that uses the account', () => {
  expect(pod['automountServiceAccountToken']).toBe(true);
  expect(one('ServiceAccount')['automountServiceAccountToken']).toBe(false);
  expect(pod.serviceAccountName).toBe(one('ServiceAccount').metadata.name);
});

test('a stop has more time than the operator takes for it', () => {
  expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(readConfig([], {})['shutdown-timeout'] + 5_000);
});

test('memory is bounded, and CPU is not throttled', () => {
  expect(container['resources']).toMatchObject({
    requests: { cpu: expect.anything(), memory: expect.anything() },
    limits: { memory: expect.anything() },
  });
  expect(container).not.toHaveProperty('resources.limits.cpu');
});

describe('the port of health and metrics', () => {
  const { port } = readConfig([], {})['health-address'];

  test('is where the operator listens', () => {
    expect(container['ports']).toEqual([{ name: 'health', containerPort: port }]);
  });

  test.each([
    ['startupProbe', '/healthz'],
    ['livenessProbe', '/healthz'],
    ['readinessProbe', '/readyz'],
  ])('is asked by the %s', (probe, path) => {
    expect(container[probe]).toMatchObject({ httpGet: { path, port: 'health' } });
  });

  test('is what the Service leads to, and all that is let in', () => {
    expect(specOf('Service')).toMatchObject({ ports: [{ name: 'metrics', port, targetPort: 'health' }] });
    expect(specOf('NetworkPolicy')['ingress']).toEqual([{ ports: [{ protocol: 'TCP', port: 'health' }] }]);
  });

  test('belongs to the pods that Deployment, Service and NetworkPolicy select', () => {
    const { selector, template } = specOf('Deployment') as {
      readonly selector: { readonly matchLabels: object };
      readonly template: { readonly metadata: { readonly labels: object } };
    };
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(specOf('Service')['selector']).toEqual(selector.matchLabels);
    expect(specOf('NetworkPolicy')['podSelector']).toEqual(selector);
  });
});

test('the namespaced variant does not start until the installation has a name of its own', async () => {
  const namespaced = podOf(await renderKustomization(join(repository, 'deploy', 'namespaced'))).pod;
  const environment = Object.fromEntries(namespaced.containers[0].env.map(({ name, value }) => [name, value]));
  expect(() => readConfig([], environment)).toThrow(
    /^cannot start: --installation: must be a name .*team-a-production, not "<a name of its own>"/,
  );
});
