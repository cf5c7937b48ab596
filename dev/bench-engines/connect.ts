// The first query of Spark Connect, beside one of a server that is started by hand with the same settings on the same cluster.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { opened } from '../../src/service/engines/spark/launch.ts';
import { findConnectClient } from '../engines/connect-client.ts';
import { type Setting, secondsOf } from './setting.ts';

const program = `
import sys
from urllib.parse import quote
from pyspark.sql import SparkSession
endpoint, file = sys.argv[1:]
token = quote("Bearer " + open(file).read())
print(SparkSession.builder.remote(f"{endpoint}/;authorization={token}").getOrCreate().range(100).selectExpr("sum(id)").first()[0])
`;
const main = 'org.apache.spark.sql.connect.service.SparkConnectServer';
const byHand = { address: '127.0.0.1', port: 25_002, page: 25_040 };
const patienceMs = 300_000;

/** What differs, because both are on one computer. */
const other: Readonly<Record<string, string | number>> = {
  'spark.driver.host': byHand.address,
  'spark.driver.bindAddress': byHand.address,
  'spark.connect.grpc.binding.address': byHand.address,
  'spark.connect.grpc.binding.port': byHand.port,
  'spark.ui.port': byHand.page,
};

/** The folder of the machine with the server. */
function machineOf(machines: string, cluster: string): string {
  const folders = readdirSync(join(machines, cluster)).map((name) => join(machines, cluster, name));
  const found = folders.find(isMachine);
  if (found === undefined) throw new Error(`no machine of ${cluster} has a Spark Connect server`);
  return found;
}

function isMachine(folder: string): boolean {
  try {
    return readdirSync(folder).includes('connect.token');
  } catch {
    // It is a file.
    return false;
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, byHand.address, () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });

/** Starts the server, and resolves when it listens. The returned function ends it. */
async function startByHand({ spark, java }: Setting, machine: string): Promise<() => void> {
  const settings = readFileSync(join(machine, 'conf', 'connect.conf'), 'utf8').split('\n');
  const lines = settings.map((line) => {
    const [name = ''] = line.split('=');
    return other[name] === undefined ? line : `${name}=${other[name]}`;
  });
  const file = join(machine, 'by-hand.conf');
  writeFileSync(file, lines.join('\n'), { mode: 0o600 });
  const flags = [
    '-Xmx1024m',
    '-XX:+UseSerialGC',
    '-XX:-UsePerfData',
    ...opened,
    '-cp',
    join(spark.folder, 'jars', '*'),
  ];
  const submit = ['org.apache.spark.deploy.SparkSubmit', '--properties-file', file, '--class', main, 'spark-internal'];
  const env = {
    PATH: '/usr/bin:/bin',
    SPARK_HOME: spark.folder,
    SPARK_SCALA_VERSION: '2.13',
    SPARK_LOCAL_IP: byHand.address,
  };
  const server = spawn(java, [...flags, ...submit], { env, stdio: 'ignore', cwd: machine });
  const end = performance.now() + patienceMs;
  while (!(await listens(byHand.port))) {
    if (server.exitCode !== null || performance.now() > end) throw new Error('the server by hand does not listen');
    await pause(100);
  }
  return () => void server.kill('SIGKILL');
}

/** In seconds. Undefined if there is no client. */
export async function compareConnect(setting: Setting) {
  const { subject, spark, machines, print } = setting;
  const client = await findConnectClient(spark.folder, print);
  if (client === undefined) return undefined;
  print('The first query of Spark Connect, and that of a server by hand.');
  const id = await subject.createCluster('bench-connect', spark.version, 2, ['connect']);
  const { info } = await subject.untilActive(id);
  const machine = machineOf(machines, id);
  const token = join(machine, 'connect.token');
  const first = await secondsOf(() => client(program, [info.Spark['Connect Server'], token]));
  const stop = await startByHand(setting, machine);
  try {
    const hand = await secondsOf(() => client(program, [`sc://${byHand.address}:${byHand.port}`, token]));
    return { first, byHand: hand };
  } finally {
    stop();
    await subject.removeCluster(id);
  }
}
