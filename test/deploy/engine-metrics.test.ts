// The PodMonitor for clusters and jobs reads each page that an engine has, at the ports of the pods that are really made.
import { describe, expect, test } from 'vitest';
import { clusterLabel, managedBy, runLabel } from '../../src/service/backends/pods/api/names.ts';
import { metricsPortName } from '../../src/service/backends/pods/manifests/containers.ts';
import { readImages } from '../../src/service/backends/pods/manifests/engine-images.ts';
import { usualFlavors } from '../../src/service/engines/flavors.ts';
import { registry } from '../../src/service/engines/index.ts';
import { helm, render } from '../support/kubernetes/helm.ts';

const endpointsOf = (metrics: boolean) =>
  registry
    .flatMap(({ inImage }) => inImage(readImages(undefined), usualFlavors, metrics))
    .flatMap(({ engine: { processes, jobs } }) => [...processes, ...jobs])
    .flatMap(({ metrics: pages = [] }) => pages.map(({ port, path }) => `${metricsPortName(port)} ${path}`));

test('engines have no page without the flag', () => {
  expect(endpointsOf(false)).toEqual([]);
});

interface Monitor {
  readonly namespaceSelector: object;
  readonly selector: object;
  readonly podMetricsEndpoints: readonly {
    readonly port: string;
    readonly path: string;
    readonly relabelings: readonly { readonly sourceLabels: readonly string[] }[];
  }[];
}

const metaLabel = (label: string): string => `__meta_kubernetes_pod_label_${label.replaceAll(/[^a-z]/g, '_')}`;

describe.skipIf(helm === undefined)('the PodMonitor', () => {
  const monitors = async (values: object) =>
    (await render({ 'service.enabled': true, ...values })).filter(
      ({ kind, metadata }) => kind === 'PodMonitor' && metadata.name === 'dataprocessing-engines',
    );

  test('has all pages, and tells which cluster and which run they are of', async () => {
    const [monitor] = await monitors({ 'service.engineMetrics': true, 'metrics.podMonitor.enabled': true });
    if (monitor === undefined) throw new Error('there is no PodMonitor');
    const { selector, podMetricsEndpoints } = monitor['spec'] as Monitor;
    expect(selector).toEqual({ matchLabels: managedBy });
    const read = podMetricsEndpoints.map(({ port, path }) => `${port} ${path}`);
    expect(new Set(read)).toEqual(new Set(endpointsOf(true)));
    expect(new Set(read).size).toBe(read.length);
    for (const { relabelings } of podMetricsEndpoints)
      expect(relabelings.flatMap(({ sourceLabels }) => sourceLabels)).toEqual([
        metaLabel(clusterLabel),
        metaLabel(runLabel),
      ]);
  });

  test.each([{ 'service.engineMetrics': true }, { 'metrics.podMonitor.enabled': true }, {}])(
    'is not there with %j',
    async (values) => {
      expect(await monitors(values)).toEqual([]);
    },
  );
});
