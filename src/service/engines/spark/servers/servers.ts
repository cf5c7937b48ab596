// The servers that a Spark cluster can have for clients with queries.
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { EngineNode, EngineProcess } from '../../engine.ts';
import type { Flavor } from '../../flavors.ts';
import { executorProblem } from '../jobs/executors.ts';
import { type SparkHome, worker } from '../launch.ts';
import { settingsOf } from '../options.ts';
import { connectEndpoint, connectProcess, connectRemedy, connectServer } from './connect.ts';
import { checkTables, thriftEndpoint, thriftProcess, thriftRemedy, thriftServer } from './thrift-server.ts';

export const servers = [connectServer, thriftServer] as const;

/** Those that the installation does not have, by name, with what to do about it. */
export function absentServers(home: SparkHome): Readonly<Record<string, string>> {
  const [connect, thrift] = [connectRemedy(home), thriftRemedy(home)];
  return {
    ...(connect !== undefined && { [connectServer]: connect }),
    ...(thrift !== undefined && { [thriftServer]: thrift }),
  };
}

export function serverProcesses(home: SparkHome, flavors: readonly Flavor[]): readonly EngineProcess[] {
  const absent = absentServers(home);
  return [connectProcess(home, flavors), thriftProcess(home, flavors)].filter(({ name }) => absent[name] === undefined);
}

/** Throws an Error that names the field and the remedy if a server could not run any query. */
export function checkServers(cluster: ClusterRecord, home: SparkHome, flavors: readonly Flavor[]): void {
  checkTables(cluster, home);
  const groups = cluster.node_groups.map((group) => ({ cluster, group }));
  const workers = groups.filter(({ group }) => group.node_processes.includes(worker));
  for (const each of groups) {
    const server = servers.find((name) => each.group.node_processes.includes(name));
    if (server === undefined) continue;
    const problem = executorProblem((name) => settingsOf(each)[name] ?? '', workers, flavors);
    if (problem !== undefined) throw new Error(`group ${each.group.name} has ${server}, whose ${problem}`);
  }
}

/** What clients connect to, by label. */
export const serverEndpoints = (nodes: readonly EngineNode[]): Readonly<Record<string, string>> => ({
  ...connectEndpoint(nodes),
  ...thriftEndpoint(nodes),
});
