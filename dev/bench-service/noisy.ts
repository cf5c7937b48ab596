// Runs that print without end, and how fast the service answers others meanwhile: this version, and an earlier one.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuSecondsOf, residentMiBOf } from '../bench/processes.ts';
import { type Programs, waitForLine } from '../demo/programs.ts';
import { type Loaded, quantiles, send } from './load.ts';

export interface NoisyReport {
  /** A commit, or `this`. */
  readonly version: string;
  readonly runs: number;
  readonly healthz: Loaded['milliseconds'];
  /** A read of one object. */
  readonly get: Loaded['milliseconds'];
  /** Of one core, by the service. */
  readonly cpuShare: number;
  readonly rssMiB: number;
}

interface Noise {
  readonly programs: Programs;
  readonly folder: string;
  readonly print: (line: string) => void;
  readonly runs: readonly number[];
  readonly seconds: number;
  /** The folder of another version. Undefined if only this one is measured. */
  readonly base: string | undefined;
}

const root = join(import.meta.dirname, '..', '..');
const everyMs = 10;
const template = {
  name: 'workers',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  flavor_id: '2',
  node_processes: ['datanode'],
};

export async function measureNoise(noise: Noise): Promise<readonly NoisyReport[]> {
  const { base, runs, print } = noise;
  const versions: [string, string][] = [['this', root]];
  if (base !== undefined) versions.unshift(['base', base]);
  const reports: NoisyReport[] = [];
  for (const [version, sources] of versions)
    for (const count of runs) {
      print(`Copying the output of ${count} runs that print without end, with version ${version}.`);
      reports.push({ version, runs: count, ...(await measure(noise, sources, count)) });
    }
  return reports;
}

async function measure({ programs, seconds, folder }: Noise, sources: string, runs: number) {
  const kubelet = await programs.start({ name: 'kubelet', script: 'dev/bench-service/noisy-kubelet.ts', args: [] });
  const address = await waitForLine(kubelet, /^kubelet on (\S+)$/m);
  const args = [sources, address, String(runs), await mkdtemp(join(folder, 'runs-'))];
  const service = await programs.start({ name: 'noisy', script: 'dev/bench-service/noisy-service.ts', args });
  const url = await waitForLine(service, /^listening on (\S+)$/m, 180_000);
  const path = '/v1.0/bench/node-group-templates';
  const text = await send(url, { method: 'POST', path, body: template });
  const created = JSON.parse(text) as { readonly node_group_template: { readonly id: string } };
  const [before, begun] = [cpuSecondsOf(service.pid), performance.now()];
  const [healthz, get] = await Promise.all([
    sample(`${url}/healthz`, seconds),
    sample(`${url}${path}/${created.node_group_template.id}`, seconds),
  ]);
  const cpuShare = (cpuSecondsOf(service.pid) - before) / ((performance.now() - begun) / 1000);
  const rssMiB = residentMiBOf(service.pid);
  for (const program of [service, kubelet]) await program.end('SIGKILL', 10_000);
  return { healthz, get, cpuShare, rssMiB };
}

/** Asks again and again, one request at a time. */
async function sample(url: string, seconds: number): Promise<Loaded['milliseconds']> {
  const took: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const at = performance.now();
    await send(url, { method: 'GET', path: '' });
    took.push(performance.now() - at);
    await pause(everyMs);
  }
  return quantiles(took);
}
