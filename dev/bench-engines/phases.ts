// What is measured of real Spark clusters.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { opened } from '../../src/service/engines/spark/launch.ts';
import { cpuSecondsOf, residentMiBOf } from '../bench/processes.ts';
import { compareConnect } from './connect.ts';
import { javaProcesses } from './java-processes.ts';
import { comparePackages } from './packages.ts';
import { type Setting, secondsOf } from './setting.ts';
import { compareWorkers } from './workers.ts';

const run = promisify(execFile);

/** The same job as a user submits it, with the secret of the cluster. */
async function submitByHand(setting: Setting, cluster: string, master: string): Promise<void> {
  const { spark, java, jar, text, machines } = setting;
  const { secret } = JSON.parse(readFileSync(join(machines, cluster, 'cluster.json'), 'utf8')) as { secret: string };
  const settings = {
    'spark.master': master,
    'spark.authenticate': 'true',
    'spark.authenticate.secret': secret,
    'spark.cores.max': '2',
    'spark.driver.memory': '512m',
    'spark.executor.memory': '512m',
    'spark.driver.host': '127.0.0.1',
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ['--conf', `${key}=${value}`]);
  const program = ['org.apache.spark.deploy.SparkSubmit', ...flags, '--class', 'WordCount', jar, text];
  const heap = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:-UsePerfData', '-cp', join(spark.folder, 'jars', '*')];
  const env = { PATH: '/usr/bin:/bin', SPARK_HOME: spark.folder, SPARK_SCALA_VERSION: '2.13' };
  await run(java, [...heap, ...opened, ...program], { env });
}

export async function runPhases(setting: Setting) {
  const { subject, options, spark, jar, print } = setting;
  const job = await subject.createJob(readFileSync(jar));
  print('Creating a cluster of one master and two workers.');
  let id = '';
  const active = await secondsOf(async () => {
    id = await subject.createCluster('bench', spark.version, 2);
    await subject.untilActive(id);
  });
  const memory = javaProcesses(setting.machines).map(({ name, pid }) => ({ name, rssMiB: residentMiBOf(pid) }));
  const jobs = await compareJobs(setting, id, job);
  const scaling = await scale(setting, id, job);
  const remove = await secondsOf(() => subject.removeCluster(id));
  const connect = await compareConnect(setting);
  const workers = await compareWorkers(setting);
  const packages = await comparePackages(setting, job);
  const many = await repeat(setting, job);
  const cpuSeconds = cpuSecondsOf(setting.service.pid);
  const service = { rssMiB: residentMiBOf(setting.service.pid), cpuSeconds };
  return { active, remove, memory, jobs, scaling, connect, workers, packages, many, service, options };
}

/** Each job of the service, and then the same one by hand. */
async function compareJobs({ subject, options, text, print, ...setting }: Setting, cluster: string, job: string) {
  const { info } = await subject.untilActive(cluster);
  const figures: { readonly toRunning: number; readonly seconds: number; readonly byHand: number }[] = [];
  for (let index = 0; index < options.jobs; index += 1) {
    print(`Job ${index + 1} of ${options.jobs}, and the same one by hand.`);
    let toRunning = 0;
    const seconds = await secondsOf(async () => {
      let id = '';
      toRunning = await secondsOf(async () => {
        id = await subject.execute(job, cluster, [text]);
        await subject.untilRun(id, 'RUNNING', 'SUCCEEDED');
      });
      await subject.untilRun(id, 'SUCCEEDED');
    });
    const full = { subject, options, text, print, ...setting };
    const byHand = await secondsOf(() => submitByHand(full, cluster, info.Spark.Master));
    figures.push({ toRunning, seconds, byHand });
  }
  return figures;
}

/** From two workers to four and down to one, while a job runs. */
async function scale({ subject, text, print }: Setting, cluster: string, job: string) {
  print('Scaling from two workers to four and to one while a job runs.');
  const run = await subject.execute(job, cluster, [text, '40']);
  await subject.untilRun(run, 'RUNNING');
  const to = (count: number) =>
    secondsOf(async () => {
      await subject.scale(cluster, count);
      await subject.until(`/clusters/${cluster}`, (answer) => answer.cluster.status !== 'Active');
      await subject.untilActive(cluster);
    });
  const [toFour, toOne] = [await to(4), await to(1)];
  await subject.untilRun(run, 'SUCCEEDED');
  return { toFour, toOne, job: 'SUCCEEDED' };
}

/** Clusters one after the other, each with a job, and what is left of them. */
async function repeat({ subject, options, spark, text, machines, print }: Setting, job: string) {
  const seconds: number[] = [];
  for (let index = 0; index < options.clusters; index += 1) {
    print(`Cluster ${index + 1} of ${options.clusters}, with a job.`);
    const one = await secondsOf(async () => {
      const id = await subject.createCluster(`bench-${index}`, spark.version, 1);
      await subject.untilActive(id);
      await subject.untilRun(await subject.execute(job, id, [text]), 'SUCCEEDED');
      await subject.removeCluster(id);
    });
    seconds.push(one);
  }
  const { job_executions } = await subject.send('GET', '/job-executions');
  for (const { id } of job_executions) await subject.send('DELETE', `/job-executions/${id}`);
  const folders = () =>
    existsSync(machines) ? readdirSync(machines).filter((name) => name !== 'service.process') : [];
  for (let tries = 0; folders().length > 0 && tries < 100; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return { seconds, left: { processes: javaProcesses(machines), folders: folders() } };
}
