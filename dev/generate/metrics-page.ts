// The page of metrics and alerts: the registered metrics, and the alert rules in deploy/monitoring.
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { systemClock } from '../../src/lib/system.ts';
import { measureQueue, measureReadiness } from '../../src/operator/metrics/process-metrics.ts';
import { prefix } from '../../src/operator/metrics/registry.ts';
import { measureRuns } from '../../src/operator/metrics/run-metrics.ts';
import { measureServices } from '../../src/operator/metrics/service-metrics.ts';
import {
  measureEvents,
  measureLeadership,
  measureNamespaces,
  measureWatches,
} from '../../src/operator/metrics/watch-metrics.ts';
import { createMetrics, measureApiServer } from '../../src/operator/wiring/connect-metrics.ts';
import { createMetrics as createServiceMetrics } from '../../src/service/api/http/metrics.ts';
import { code, generatedFrom, page, table } from './markdown.ts';

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

interface Alert {
  readonly alert: string;
  readonly for: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Group {
  readonly name: string;
  readonly rules: readonly Alert[];
}

const unasked = (): never => {
  throw new Error('cannot read a metric: only its name is asked for');
};

/** All metrics of the operator but the defaults of the client library. Nothing is measured. */
function registered(): readonly Metric[] {
  const registry = new Registry();
  measureReadiness(registry, []);
  measureApiServer(registry);
  createMetrics(registry, systemClock, { leading: unasked } as Parameters<typeof createMetrics>[2]);
  measureQueue(registry, unasked);
  measureRuns(registry, { kind: '', types: [], states: [], outcomes: [], typeOf: unasked, leading: unasked });
  measureServices(registry, { load: unasked, routes: [], reading: unasked });
  measureWatches(registry, unasked);
  measureNamespaces(registry, unasked);
  measureEvents(registry, unasked);
  measureLeadership(registry, { leading: unasked, transitions: unasked } as unknown as Parameters<
    typeof measureLeadership
  >[1]);
  return metricsIn(registry);
}

const metricsIn = (registry: Registry): readonly Metric[] =>
  (registry.getMetricsAsArray() as unknown as readonly Metric[]).toSorted((a, b) => (a.name < b.name ? -1 : 1));

const metricsTable = (metrics: readonly Metric[]): string =>
  table(
    ['Name', 'Type', 'Labels', 'Description'],
    metrics.map(({ name, type, labelNames = [], help }) => [
      code(name),
      type,
      labelNames
        .filter((label) => label !== 'le')
        .map(code)
        .join(', '),
      help,
    ]),
  );

export function metricsPage(rules: string): string {
  const { spec } = parse(rules) as { readonly spec: { readonly groups: readonly Group[] } };
  return page(
    generatedFrom('src/operator/metrics, src/service/api/http/metrics.ts and deploy/monitoring/prometheus-rule.yaml'),
    '# Metrics and alerts',
    '`/metrics` serves these metrics on port 8081 (`--health-address`). `deploy/monitoring` holds the alerts below and a dashboard for Grafana.',
    '## Metrics',
    `Every name begins with \`${prefix}\`. Besides these, the endpoint serves the default metrics of Node.js, such as \`process_resident_memory_bytes\` and \`nodejs_eventloop_lag_max_seconds\`.`,
    metricsTable(registered()),
    '## Metrics of the bundled service',
    'The bundled service serves these at `/metrics` of its own port, without a token. Those of the volume are there if it has a data file (`--data`).',
    metricsTable(metricsIn(createServiceMetrics({ volume: undefined, loopDelay: undefined }))),
    '## Alerts',
    ...spec.groups.flatMap(({ name, rules: alerts }) => [`### ${code(name)}`, ...alerts.map(alertText)]),
  );
}

const alertText = ({ alert, for: time, expr, labels, annotations }: Alert): string =>
  page(
    `#### ${alert}`,
    `Severity ${labels.severity}, after ${time}. ${placeholders(annotations.summary)}`,
    placeholders(annotations.description),
    `\`\`\`promql\n${expr.trim()}\n\`\`\``,
  ).trimEnd();

/** The templates of Prometheus in words: `{{ $labels.pod }}` becomes `<pod>`. */
const placeholders = (text: string): string =>
  text
    .replaceAll(/\{\{ *\$labels\.(\w+) *\}\}/g, '`<$1>`')
    .replaceAll(/\{\{ *\$value[^}]*\}\}/g, '`<value>`')
    .trim();
