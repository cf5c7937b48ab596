// Spark Connect: programs elsewhere run queries on the cluster, over gRPC.
import { createHmac } from 'node:crypto';
import { type EngineNode, type EngineProcess, nodesWith } from '../../engine.ts';
import type { Flavor } from '../../flavors.ts';
import { ports, type SparkHome } from '../launch.ts';
import { connectHeapOf } from '../memory.ts';
import { defaultRelease } from '../releases.ts';
import { completeRemedy, hasConnect } from '../source.ts';
import { serverProcess } from './server.ts';

export const connectServer = 'connect';

/** The file with the token, in the folder of the machine and in the Secret of its node group. */
export const tokenFile = 'connect.token';

/** Follows from what the machines share, so that it stays the same when the server is started again. It does not give that away. */
const tokenOf = ({ secret }: EngineNode): string => createHmac('sha256', secret).update('Spark Connect').digest('hex');

export const connectProcess = (home: SparkHome, flavors: readonly Flavor[]): EngineProcess =>
  serverProcess(home, flavors, {
    name: connectServer,
    title: 'Spark Connect',
    main: 'org.apache.spark.sql.connect.service.SparkConnectServer',
    port: ports.connect,
    page: ports.connectPage,
    tab: 'connect',
    heapOf: connectHeapOf,
    settings: (node) => ({
      'spark.connect.grpc.binding.port': ports.connect,
      // In a pod, it is reached at 127.0.0.1, too.
      ...(home.isImage !== true && { 'spark.connect.grpc.binding.address': node.address }),
      'spark.connect.authenticate.token': tokenOf(node),
      'spark.sql.catalogImplementation': 'in-memory',
    }),
    files: (node) => ({ [tokenFile]: tokenOf(node) }),
    // Functions of clients in Python run there with this one.
    ...(home.python !== undefined && { env: { PYSPARK_PYTHON: home.python } }),
  });

/** Why there is no Spark Connect, with the remedy. Undefined if there is one. */
export function connectRemedy({ release = defaultRelease, isImage = false, folder }: SparkHome): string | undefined {
  if (release.lacksConnect === true)
    return `Spark ${release.version} contains no Spark Connect: use a cluster with Spark 4.0 or newer`;
  return isImage || hasConnect(folder) ? undefined : `its Spark has no Spark Connect: ${completeRemedy(release)}`;
}

/** What clients connect to, by label. */
export const connectEndpoint = (nodes: readonly EngineNode[]) =>
  Object.fromEntries(
    nodesWith(nodes, connectServer).map(({ address }) => ['Connect Server', `sc://${address}:${ports.connect}`]),
  );
