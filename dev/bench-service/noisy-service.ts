// A service that copies the output of runs: `node noisy-service.ts ROOT KUBELET RUNS FOLDER`. ROOT: the folder with the `src` to measure, of this or an earlier version.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Transport from '../../src/kube/http/transport.ts';
import type * as System from '../../src/lib/system.ts';
import type * as Api from '../../src/service/backends/pods/api/api.ts';
import type * as Runs from '../../src/service/backends/pods/jobs/pod-runs.ts';
import type * as Logs from '../../src/service/backends/pods/jobs/run-logs.ts';
import type * as Server from '../../src/service/program/server.ts';

type Sources = typeof Server & typeof System & typeof Transport & typeof Api & typeof Runs & typeof Logs;

const [root = '', kubelet = '', runs = '', folder = ''] = process.argv.slice(2);
const modules = [
  'service/program/server.ts',
  'lib/system.ts',
  'kube/http/transport.ts',
  'service/backends/pods/api/api.ts',
  'service/backends/pods/jobs/pod-runs.ts',
  'service/backends/pods/jobs/run-logs.ts',
].map((path) => import(pathToFileURL(join(root, 'src', path)).href) as Promise<object>);
const sources = Object.assign({}, ...(await Promise.all(modules))) as Sources;
const { createServer, systemClock: clock, createTransport, KubeApi, PodRuns, RunLogs } = sources;

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const config = {
  server: kubelet,
  namespace: 'data',
  trust: { rejectUnauthorized: true },
  credentials: async () => ({ headers: {} }),
  renew: quiet,
};
const podRuns = new PodRuns(folder);
const api = new KubeApi(createTransport({ config, clock }));
const logs = new RunLogs({ api, runs: podRuns, clock, log, logBytes: 16 * 1024 ** 2 });
const { signal } = new AbortController();
for (let index = 0; index < Number(runs); index += 1) {
  const run = `run-${index}`;
  mkdirSync(podRuns.paths(run).folder, { recursive: true });
  logs.follow(run, signal, { tenant: 't' }).look({ metadata: { name: run, namespace: 'data' } });
}
const url = await createServer({ clock, random: { next: Math.random }, log, stageMs: 0 }).start({});
process.stdout.write(`listening on ${url}\n`);
