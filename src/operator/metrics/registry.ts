// What all metrics share: the prefix, labels from closed lists, and samples that are read when Prometheus scrapes.
import { Counter, Gauge, type Registry } from 'prom-client';

export const prefix = 'dataprocessing_operator_';

export type Label = (value: string) => string;

/** Maps every value that is not on the list to `other`, which bounds the number of series. */
export function closedLabel(values: Iterable<string>): Label {
  const known = new Set(values);
  return (value) => (known.has(value) ? value : 'other');
}

export type ScrapedValue = readonly [value: number, labels?: Readonly<Record<string, string>>];

interface ScrapedMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Called at each scrape. The metric then has exactly these series; values of the same series are added in a counter. */
  readonly samples: () => Iterable<ScrapedValue>;
}

export function scrapedGauge(registry: Registry, metric: ScrapedMetric): void {
  const configuration = configurationOf(registry, metric);
  const collect = function (this: Gauge) {
    clear(this, metric);
    for (const [value, labels = {}] of metric.samples()) this.set(labels, value);
  };
  new Gauge({ ...configuration, collect });
}

export function scrapedCounter(registry: Registry, metric: ScrapedMetric): void {
  const configuration = configurationOf(registry, metric);
  const collect = function (this: Counter) {
    clear(this, metric);
    for (const [value, labels = {}] of metric.samples()) this.inc(labels, value);
  };
  new Counter({ ...configuration, collect });
}

function configurationOf(registry: Registry, { name, help, labelNames = [] }: ScrapedMetric) {
  return {
    name: `${prefix}${name}`,
    help,
    labelNames,
    registers: [registry],
  };
}

/** A reset alone leaves a 0 behind in a metric without labels. */
function clear(metric: Gauge | Counter, { labelNames = [] }: ScrapedMetric): void {
  metric.reset();
  if (labelNames.length === 0) metric.remove();
}
