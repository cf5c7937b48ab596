// Clusters of real engines in pods, for tests.

import { heapFlavors } from '../../../../../src/service/backends/pods/manifests/containers.ts';
import { parseImages } from '../../../../../src/service/backends/pods/manifests/engine-images.ts';
import type { ClusterSetting } from '../../../../../src/service/backends/pods/manifests/manifests.ts';
import type { Engine } from '../../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { createFlink } from '../../../../../src/service/engines/flink/flink.ts';
import { createHadoop } from '../../../../../src/service/engines/hadoop/hadoop.ts';
import { type EngineImage, imageIn } from '../../../../../src/service/engines/image.ts';
import { createSpark } from '../../../../../src/service/engines/spark/spark.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../../../src/service/model/records/records.ts';

type Plugin = 'spark' | 'vanilla' | 'flink';

const images = parseImages('{}');
const [spark, hadoop] = [imageIn(images, 'spark'), imageIn(images, 'hadoop')];
const image = { jars: ['/opt/hadoop/share/hadoop/common'], streaming: '/opt/hadoop/streaming.jar' };
const hadoopHome = { folder: hadoop.home, java: hadoop.java, javaHome: '/usr/lib/jvm/jre', image };
const sparkEngine = createSpark(
  { folder: spark.home, java: spark.java, hadoop: hadoopHome },
  heapFlavors(usualFlavors),
);
const hadoopEngine = createHadoop(hadoopHome, heapFlavors(usualFlavors));

export function groupOf(name: string, processes: readonly string[], count: number): ClusterGroupRecord {
  const instances = Array.from({ length: count }, (_, index) => ({
    instance_id: `${name}-machine-${index}`,
    instance_name: `c1-${name}-00${index + 1}`,
    created_at: 'now',
  }));
  const rest = { node_configs: {}, flavor_id: '2', volumes_per_node: 0, volumes_size: 0, volume_mount_prefix: '/v' };
  return { id: name, name, count, instances, node_processes: processes, ...rest, created: 'now', updated: 'now' };
}

export function clusterOf(plugin: Plugin, node_groups: readonly ClusterGroupRecord[]): ClusterRecord {
  const bigdata_version = { spark: '4.1.2', vanilla: '3.5.0', flink: '2.3.0' }[plugin];
  const names = { id: '6ba7b810-9dad-11d1-80b4-00c04fd430c8', name: 'analytics', plugin_name: plugin, bigdata_version };
  const dates = { created_at: 'now', updated_at: 'now' };
  return { ...names, ...dates, status: 'Active', info: {}, cluster_configs: {}, anti_affinity: [], node_groups };
}

export const sparkCluster = (workers = 2): ClusterRecord =>
  clusterOf('spark', [groupOf('master', ['master'], 1), groupOf('workers', ['slave'], workers)]);

/** What a client sends to create such a cluster. */
export const sparkRequest = (workers: number) => ({
  name: 'words',
  plugin_name: 'spark',
  bigdata_version: '4.1.2',
  default_image_id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
  user_keypair_id: 'demo',
  node_groups: [
    { name: 'master', count: 1, flavor_id: '2', node_processes: ['master'] },
    { name: 'worker', count: workers, flavor_id: '2', node_processes: ['slave'] },
  ],
});

export const hadoopCluster = (workers = 2): ClusterRecord =>
  clusterOf('vanilla', [
    groupOf('head', ['namenode', 'resourcemanager'], 1),
    groupOf('workers', ['datanode', 'nodemanager'], workers),
  ]);

export const flinkCluster = (): ClusterRecord =>
  clusterOf('flink', [groupOf('head', ['jobmanager'], 1), groupOf('workers', ['taskmanager'], 2)]);

const engines: Readonly<Record<string, readonly [Engine, EngineImage]>> = {
  spark: [sparkEngine, spark],
  flink: [
    createFlink({ folder: '/opt/flink', java: '/opt/java/openjdk/bin/java', isImage: true }, heapFlavors(usualFlavors)),
    imageIn(images, 'flink'),
  ],
};

export const settingOf = ({ plugin_name }: ClusterRecord): ClusterSetting => ({
  engine: engines[plugin_name]?.[0] ?? hadoopEngine,
  flavors: usualFlavors,
  imageOf: () => engines[plugin_name]?.[1] ?? hadoop,
  pullSecrets: [],
  place: { namespace: 'data', domain: 'cluster.local', secret: 'shared-secret' },
  reach: {
    service: {
      namespace: 'services',
      labels: { 'app.kubernetes.io/name': 'dataprocessing-service' },
      runnerPort: 8387,
    },
    dns: [{ namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }],
    scrapers: [],
    egress: [],
  },
  storageClass: undefined,
  stateSize: 1,
  publishing: { allowed: [], domain: undefined, className: undefined },
});
