// The pages of a cluster that show a run: those of what runs it, and no addresses for programs.
import { expect, test } from 'vitest';
import { pagesOf } from '../../../../../src/service/backends/runs/run-plan.ts';
import { createHadoop } from '../../../../../src/service/engines/hadoop/hadoop.ts';
import { createSpark } from '../../../../../src/service/engines/spark/spark.ts';
import type { JobType } from '../../../../../src/wire/jobs.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';

const engines = [
  createSpark({ folder: '/spark', java: '/java' }),
  createHadoop({ folder: '/hadoop', java: '/java', javaHome: '/' }),
];
const hdfs = { 'Web UI': 'http://10.0.0.1:50070', NameNode: 'hdfs://10.0.0.1:8020' };
const clusters = {
  spark: {
    bigdata_version: '4.1.2',
    info: { HDFS: hdfs, Spark: { 'Web UI': 'http://10.0.0.1:8080', Master: 'spark://10.0.0.1:7077' } },
  },
  vanilla: {
    bigdata_version: '3.5.0',
    info: {
      HDFS: hdfs,
      YARN: { 'Web UI': 'http://10.0.0.1:8088' },
      MapReduce: { 'History Server': 'http://10.0.0.1:19888' },
    },
  },
};

const onYarn = { 'YARN Web UI': 'http://10.0.0.1:8088', 'MapReduce History Server': 'http://10.0.0.1:19888' };

test.each<[plugin: keyof typeof clusters, type: JobType, pages: object]>([
  ['spark', 'Spark', { 'Spark Web UI': 'http://10.0.0.1:8080' }],
  ['spark', 'Shell', {}],
  ['vanilla', 'MapReduce', onYarn],
  ['vanilla', 'MapReduce.Streaming', onYarn],
  ['vanilla', 'Java', {}],
])('%s: %s', (plugin_name, type, pages) => {
  const cluster = { ...clusterOf([]), plugin_name, ...clusters[plugin_name] };
  const job = { id: 'job-1', name: 'job', type, mains: [], libs: [], interface: [], created_at: 'now' };
  expect(pagesOf({ engines }, { cluster, job })).toEqual(pages);
});

test.each<[type: JobType, logs: string | undefined, isLinked: boolean]>([
  ['Spark', 's3a://logs/events', true],
  ['Spark', undefined, false],
  ['Shell', 's3a://logs/events', false],
])('the history server that outlives clusters shows %s with logs in %s: %s', (type, logs, isLinked) => {
  const Spark = logs === undefined ? {} : { 'spark.eventLog.dir': logs };
  const cluster = {
    ...clusterOf([groupOf('master', [])]),
    plugin_name: 'spark',
    ...clusters.spark,
    cluster_configs: { Spark },
  };
  const job = { id: 'job-1', name: 'job', type, mains: [], libs: [], interface: [], created_at: 'now' };
  const historyUrl = 'https://history.example';
  const { History } = pagesOf({ engines, historyUrl }, { cluster, job });
  expect(History).toBe(isLinked ? historyUrl : undefined);
  expect(pagesOf({ engines }, { cluster, job })).not.toHaveProperty('History');
});
