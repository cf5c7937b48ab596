// Metrics of Spark: its own servlet, at the pages that its processes and drivers have anyway. PURE.
import type { FlatConfigs } from '../../../wire/common.ts';
import type { EngineJob, EngineProcess } from '../engine.ts';
import { ports, type SparkHome } from './launch.ts';

const paths = {
  master: '/metrics/master/prometheus',
  own: '/metrics/prometheus',
  executors: '/metrics/executors/prometheus',
} as const;

const servlet = 'sink.prometheusServlet';

/** Settings for daemons and drivers, which jobs can replace. Without metrics: none. */
export const metricsSettings = ({ metrics = false }: Pick<SparkHome, 'metrics'>): FlatConfigs =>
  metrics
    ? {
        [`spark.metrics.conf.*.${servlet}.class`]: 'org.apache.spark.metrics.sink.PrometheusServlet',
        [`spark.metrics.conf.*.${servlet}.path`]: paths.own,
        [`spark.metrics.conf.master.${servlet}.path`]: paths.master,
        // What the master knows of an application has metrics of other names for each run, without end. It has a page of its own, which nobody reads.
        [`spark.metrics.conf.applications.${servlet}.path`]: '/metrics/applications/prometheus',
        'spark.metrics.conf.*.source.jvm.class': 'org.apache.spark.metrics.source.JvmSource',
        'spark.ui.prometheus.enabled': true,
      }
    : {};

/** In place of the identifier of the application, which would give each run metrics of other names. */
export const driverMetrics = (home: Pick<SparkHome, 'metrics'>): FlatConfigs =>
  home.metrics === true ? { ...metricsSettings(home), 'spark.metrics.namespace': 'job' } : {};

type Served = Pick<EngineProcess & EngineJob, 'metrics'>;

const servedAt = (
  { metrics = false }: Pick<SparkHome, 'metrics'>,
  port: number,
  ...served: readonly string[]
): Served => (metrics ? { metrics: served.map((path) => ({ port, path })) } : {});

export const masterPages = (home: SparkHome): Served => servedAt(home, ports.masterPage, `${paths.master}/`);
export const workerPages = (home: SparkHome): Served => servedAt(home, ports.workerPage, `${paths.own}/`);
/** Executors have no page: the driver serves what they report to it. */
export const driverPages = (home: SparkHome): Served =>
  servedAt(home, ports.driverPage, `${paths.own}/`, paths.executors);
