// Wrong values of the chart are refused with what to do.
import { describe, expect, test } from 'vitest';
import { chart, helm, runHelm, settings } from '../support/kubernetes/helm.ts';

describe.skipIf(helm === undefined)('a value', () => {
  const excluding = 'watchAllNamespaces and watchNamespaces exclude each other: unset one of them';
  test.each([
    [{ replicas: 2, 'leaderElection.enabled': false }, 'replicas must be 1 without leaderElection.enabled'],
    [{ watchNamespaces: ['a'] }, 'watchNamespaces requires installation, a unique name such as team-a-production'],
    [
      { watchNamespaces: ['a'], installation: 'x', 'service.enabled': true },
      'service.namespace must be one of watchNamespaces',
    ],
    [
      { watchAllNamespaces: true, 'service.enabled': true, 'service.namespace': 'default' },
      'service.namespace must not be the namespace of the operator',
    ],
    [
      { watchAllNamespaces: true, 'service.enabled': true, 'service.clusterNamespaces': ['default'] },
      'no value of service.tenantNamespaces and service.clusterNamespaces, if that watches more',
    ],
    [{}, 'to watch all namespaces, as charts until 0.2.0 did by default, set watchAllNamespaces=true'],
    [{ 'service.enabled': true, installation: 'x' }, 'watchNamespaces is required'],
    [{ watchAllNamespaces: true, watchNamespaces: ['a'], installation: 'x' }, excluding],
    // Nothing that only one of them needs is asked for.
    [{ watchAllNamespaces: true, watchNamespaces: ['a'] }, excluding],
    [{ watchAllNamespaces: true, watchNamespaces: ['a'], 'service.enabled': true }, excluding],
    [{ replica: 1 }, "additional properties 'replica' not allowed"],
    [{ 'image.repository': 'team/operator' }, "at '/image/repository': 'team/operator' does not match pattern"],
    [{ logLevel: 'loud' }, "at '/logLevel': value must be one of"],
    [{ 'service.token.value': 'a=b' }, "at '/service/token/value'"],
    [{ 'service.provisioner': 'processes' }, "at '/service/provisioner': value must be one of"],
    [
      { 'service.provisioner': 'simulated', 'service.egress': ['10.0.0.0/8'] },
      'service.egress requires service.provisioner=kubernetes',
    ],
    [{ 'service.metricsFrom': ['10.0.0.0/8'] }, 'service.metricsFrom requires service.engineMetrics=true'],
    [{ 'web.service.enabled': true }, 'web.service.enabled requires web.enabled=true'],
    [{ 'web.enabled': true, 'web.ingressFrom': [{}] }, 'web.ingressFrom requires web.service.enabled=true'],
    [{ 'web.enabled': true, 'web.port': 8081 }, 'web.port and metrics.port must differ'],
    [{ 'service.persistence.keySecret': 'key' }, "additional properties 'keySecret' not allowed"],
    [{ 'service.engineImages': { spark: { image: 'x' } } }, "additional properties 'image' not allowed"],
    [{ 'service.engineImages': { spark: [{ image: 'x' }] } }, "additional properties 'image' not allowed"],
    [{ 'service.engineImages': { flink: [] } }, 'minItems: got 0, want 1'],
    [{ 'service.engineImages': { pig: {} } }, "additional properties 'pig' not allowed"],
    [{ 'service.engineImages': { hadoop: { python: '/usr/bin/python3' } } }, "invalid propertyName 'python'"],
    [{ 'service.engineImages': { spark: { s3a: '/jars' } } }, "properties 'reference' required, if 's3a' exists"],
  ])('such as %j is refused', async (wrong, why) => {
    const { code, errors } = await runHelm('template', 'operator', chart, ...settings(wrong));
    expect([code, errors]).toEqual([1, expect.stringContaining(why)]);
  });
});
