// The service under measurement, over HTTP: clusters and jobs, each waited for by short polls.
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 50;
const patienceMs = 300_000;
/** Any tenant will do: the service runs without authentication, on loopback. */
const base = '/v1.1/bench';

// Answers are looked into freely: what they are is for other suites.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export class Subject {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Throws with the answer unless it is a success. */
  async send(method: string, path: string, body?: object | Buffer): Promise<Json> {
    const raw = body instanceof Buffer;
    const type = raw ? 'application/octet-stream' : 'application/json';
    const response = await fetch(`${this.#url}${base}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': type },
        body: raw ? new Uint8Array(body) : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Asks until it is as wanted, and resolves to the answer. */
  async until(path: string, wanted: (answer: Json) => boolean): Promise<Json> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const answer = await this.send('GET', path);
      if (wanted(answer)) return answer;
      if (performance.now() > end) throw new Error(`GET ${path} is still answered ${JSON.stringify(answer)}`);
      await pause(pollMs);
    }
  }

  /** A Spark cluster. `others`: more processes, each on a machine of its own. */
  async createCluster(name: string, version: string, workers: number, others: readonly string[] = []): Promise<string> {
    const group = (process: string, count: number) => ({
      name: process,
      count,
      flavor_id: '3',
      node_processes: [process],
    });
    const { cluster } = await this.send('POST', '/clusters', {
      name,
      plugin_name: 'spark',
      bigdata_version: version,
      default_image_id: 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4',
      user_keypair_id: 'bench',
      node_groups: [group('master', 1), group('slave', workers), ...others.map((process) => group(process, 1))],
    });
    return cluster.id;
  }

  /** Resolves to the cluster. */
  async untilActive(id: string): Promise<Json> {
    const { cluster } = await this.until(`/clusters/${id}`, (answer) =>
      ['Active', 'Error'].includes(answer.cluster.status),
    );
    if (cluster.status === 'Error') throw new Error(`the cluster is in Error: ${cluster.status_description}`);
    return cluster;
  }

  scale = (id: string, count: number): Promise<Json> =>
    this.send('PUT', `/clusters/${id}`, { resize_node_groups: [{ name: 'slave', count }] });

  async removeCluster(id: string): Promise<void> {
    await this.send('DELETE', `/clusters/${id}`);
    await this.until('/clusters', ({ clusters }) => clusters.every((cluster: Json) => cluster.id !== id));
  }

  /** A Spark job whose main is the jar. */
  async createJob(jar: Buffer): Promise<string> {
    const { job_binary_internal } = await this.send('PUT', '/job-binary-internals/program.jar', jar);
    const binary = { name: 'program.jar', url: `internal-db://${job_binary_internal.id}` };
    const { job_binary } = await this.send('POST', '/job-binaries', binary);
    const { job } = await this.send('POST', '/jobs', { name: 'count', type: 'Spark', mains: [job_binary.id] });
    return job.id;
  }

  async execute(job: string, cluster: string, args: readonly string[], more: object = {}): Promise<string> {
    const job_configs = { configs: { 'edp.java.main_class': 'WordCount', ...more }, args };
    const { job_execution } = await this.send('POST', `/jobs/${job}/execute`, { cluster_id: cluster, job_configs });
    return job_execution.id;
  }

  /** Waits for one of the statuses. Throws if the run ends as another one. */
  async untilRun(id: string, ...wanted: readonly string[]): Promise<void> {
    const ends = ['SUCCEEDED', 'FAILED', 'KILLED'];
    const { job_execution } = await this.until(`/job-executions/${id}`, ({ job_execution: { info } }) =>
      [...wanted, ...ends].includes(info.status),
    );
    const { status } = job_execution.info;
    if (!wanted.includes(status)) throw new Error(`the job is ${status}: ${JSON.stringify(job_execution.info)}`);
  }
}
