// Runs a job by the routes of the service, as any client would.
import type { Tenant } from './remote.ts';
import { type Bound, NotYet, waitUntil } from './waiting.ts';

interface Asking {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** JSON, or the bytes of a file. */
  readonly body?: object | Buffer;
}

/** The text of the answer. Throws for everything but success. */
async function ask({ url, tenant, token }: Tenant, { method, path, body }: Asking): Promise<string> {
  const isFile = Buffer.isBuffer(body);
  const response = await fetch(`${url}/v1.1/${tenant}/${path}`, {
    method,
    headers: {
      'x-auth-token': token,
      ...(body !== undefined && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body !== undefined && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`cannot ${method} ${path}: ${response.status} ${text}`);
  return text;
}

/** The one object in the answer to a request. */
async function askObject<T>(tenant: Tenant, asking: Asking): Promise<T> {
  const [object] = Object.values(JSON.parse(await ask(tenant, asking)) as Readonly<Record<string, T>>);
  if (object === undefined) throw new Error(`cannot read the answer to ${asking.method} ${asking.path}: it is empty`);
  return object;
}

interface Named {
  readonly id: string;
}

interface RemoteExecution extends Named {
  readonly info: { readonly status: string; readonly message?: string };
}

export interface SparkJob {
  readonly name: string;
  readonly jar: Buffer;
  readonly mainClass: string;
  readonly args: readonly string[];
}

export interface StartedJob {
  /** Resolves once the execution has one of these statuses. Throws if it ends otherwise. */
  waitFor(statuses: readonly string[], bound: Bound): Promise<void>;
  output(): Promise<string>;
  /** Removes the execution, the job and its binary from the service. */
  remove(bound: Bound): Promise<void>;
}

const ended = ['SUCCEEDED', 'FAILED', 'KILLED', 'DONEWITHERROR'];

/** What the execution has printed. */
export const fetchLog = (tenant: Tenant, execution: string): Promise<string> =>
  ask(tenant, { method: 'GET', path: `job-executions/${execution}/logs` });

/** Uploads the jar, creates the job and executes it on the cluster. */
export async function startSparkJob(tenant: Tenant, cluster: string, job: SparkJob): Promise<StartedJob> {
  const { name, jar, mainClass, args } = job;
  const create = async (path: string, body: object): Promise<string> =>
    (await askObject<Named>(tenant, { method: 'POST', path, body })).id;
  const file = await askObject<Named>(tenant, { method: 'PUT', path: `job-binary-internals/${name}.jar`, body: jar });
  const binary = await create('job-binaries', { name: `${name}.jar`, url: `internal-db://${file.id}` });
  const id = await create('jobs', { name, type: 'Spark', mains: [binary] });
  const job_configs = { configs: { 'edp.java.main_class': mainClass }, args };
  const execution = await create(`jobs/${id}/execute`, { cluster_id: cluster, job_configs });
  const path = `job-executions/${execution}`;
  const output = (): Promise<string> => fetchLog(tenant, execution);
  return {
    output,
    async waitFor(statuses, bound) {
      const probe = async () => {
        const { info } = await askObject<RemoteExecution>(tenant, { method: 'GET', path });
        if (statuses.includes(info.status)) return info.status;
        if (!ended.includes(info.status)) return new NotYet(`it is ${info.status}`);
        throw new Error(`cannot run job ${name}: it is ${info.status}: ${info.message ?? ''}\n${await output()}`);
      };
      await waitUntil(`see job ${name} ${statuses.join(' or ')}`, probe, { everyMs: 250, ...bound });
    },
    async remove(bound) {
      await ask(tenant, { method: 'DELETE', path });
      // It remains for a moment if it has not ended.
      const gone = async () => (await ask(tenant, { method: 'GET', path: 'job-executions' })).includes(execution);
      await waitUntil('remove the execution', async () => !(await gone()) || new NotYet('it is still there'), bound);
      for (const each of [`jobs/${id}`, `job-binaries/${binary}`, `job-binary-internals/${file.id}`]) {
        await ask(tenant, { method: 'DELETE', path: each });
      }
    },
  };
}
