// The Thrift server of Spark: programs with JDBC or ODBC run SQL on the cluster, in the protocol of HiveServer2.
import { join } from 'node:path';
import type { ClusterRecord } from '../../../model/records/records.ts';
import { countOf, type EngineNode, type EngineProcess, firstVolumeOf, nodesWith } from '../../engine.ts';
import type { Flavor } from '../../flavors.ts';
import { hiveSettings } from '../hive-settings.ts';
import { ports, type SparkHome } from '../launch.ts';
import { thriftHeapOf } from '../memory.ts';
import { completeRemedy, hasHive } from '../source.ts';
import { serverProcess, temporaryOf } from './server.ts';

export const thriftServer = 'thriftserver';

/** Its own tables: only one program can open the metastore of jobs. */
const placeOf = (node: EngineNode): string => join(firstVolumeOf(node), 'hive');

export const thriftProcess = (home: SparkHome, flavors: readonly Flavor[]): EngineProcess =>
  serverProcess(home, flavors, {
    name: thriftServer,
    title: 'Thrift server',
    main: 'org.apache.spark.sql.hive.thriftserver.HiveThriftServer2',
    port: ports.thrift,
    page: ports.thriftPage,
    tab: 'sqlserver',
    heapOf: thriftHeapOf,
    settings: (node, nodes) => ({
      'spark.hadoop.hive.server2.thrift.port': ports.thrift,
      // In a pod, it is reached at 127.0.0.1, too.
      ...(home.isImage !== true && { 'spark.hadoop.hive.server2.thrift.bind.host': node.address }),
      ...hiveSettings(nodes, { place: placeOf(node), temporary: temporaryOf(node, { name: thriftServer }) }),
    }),
    state: placeOf,
  });

/** Why there is no Thrift server, with the remedy. Undefined if there is one. */
export const thriftRemedy = ({ release, isImage = false, folder }: SparkHome): string | undefined =>
  isImage || hasHive(folder) ? undefined : `its Spark has no Hive: ${completeRemedy(release)}`;

/** Throws an Error with the remedy if workers could not write what the server then does not find. */
export function checkTables(cluster: ClusterRecord, { isImage = false }: SparkHome): void {
  if (!isImage || countOf(cluster, thriftServer) === 0 || countOf(cluster, 'namenode') > 0) return;
  throw new Error(
    `node_groups have ${thriftServer}, whose tables need HDFS, because pods share no folder: add the processes namenode and datanode`,
  );
}

/** What clients connect to, by label. */
export const thriftEndpoint = (nodes: readonly EngineNode[]) =>
  Object.fromEntries(
    nodesWith(nodes, thriftServer).map(({ address }) => ['Thrift Server', `jdbc:hive2://${address}:${ports.thrift}`]),
  );
