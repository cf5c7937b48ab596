// Several operators of one installation, as the pods of its Deployment, and who of them leads.
import { expect } from 'vitest';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import type { Program } from '../../../dev/demo/programs.ts';
import { NotYet, waitUntil } from '../../../dev/demo/waiting.ts';
import { pickPorts } from '../../../dev/plane/ports.ts';
import { readConfig } from '../../../src/operator/config.ts';
import { limitMs } from '../../support/patience.ts';
import type { Bench } from './bench.ts';

export interface Replica {
  readonly name: string;
  readonly program: Program;
  readonly healthUrl: string;
}

/** Short, and with room for a busy machine. */
export const shortLease: readonly string[] =
  '--lease-duration 6s --lease-renew-deadline 4s --lease-retry-period 500ms'.split(' ');

const config = readConfig(shortLease, {});
export const leaseTimes = {
  durationMs: config['lease-duration'],
  deadlineMs: config['lease-renew-deadline'],
  retryMs: config['lease-retry-period'],
} as const;

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
  readonly renewTime?: string;
}

export async function leaseOf({ objects, lease }: Bench): Promise<LeaseSpec> {
  return ((await objects.read(lease))?.['spec'] ?? {}) as LeaseSpec;
}

/** The name of the pod that holds the lease; empty: nobody does. */
export async function leaderOf(bench: Bench): Promise<string> {
  return ((await leaseOf(bench)).holderIdentity ?? '').replace(/_[^_]*$/, '');
}

/** Resolves when the replica leads; answers with the ms that it took. */
export async function untilLeads(bench: Bench, { name }: Replica): Promise<number> {
  const begun = performance.now();
  const probe = async () => (await leaderOf(bench)) === name || new NotYet(`the leader is "${await leaderOf(bench)}"`);
  await waitUntil(`see ${name} lead`, probe, { withinMs: limitMs, everyMs: 20 });
  return performance.now() - begun;
}

/** Resolves when the replica is ready to lead, which it says in its log and in /readyz as the leader does. */
export async function startReplica(bench: Bench, name: string, ...flags: readonly string[]): Promise<Replica> {
  const [port] = await pickPorts(1);
  const args = ['--health-address', `127.0.0.1:${port}`, ...bench.operatorFlags(...flags)];
  const start = { name, script: 'src/operator/main.ts', args, environment: { POD_NAME: name } };
  const program = bench.watch(await bench.programs.start(start));
  const healthUrl = `http://127.0.0.1:${port}`;
  const ready = async () => (await fetch(`${healthUrl}/readyz`)).status;
  await expect.poll(async () => ready().catch(() => 0), { timeout: limitMs }).toBe(200);
  return { name, program, healthUrl };
}

/** Access to the service, and one template after the other. */
export async function manifestsOf(bench: Bench, endpoint: string) {
  const examples = await bench.examples(endpoint);
  const access = examples.filter(({ kind }) => kind === 'Secret' || kind === 'Connection');
  const worker = examples.find(({ kind, metadata }) => kind === 'NodeGroupTemplate' && metadata.name === 'worker');
  if (worker === undefined) throw new Error('the examples have no NodeGroupTemplate worker');
  const template = (name: string): Manifest => ({ ...worker, metadata: { name } });
  return { access, template };
}

/** Of a figure without labels. */
export async function figureOf({ healthUrl }: Replica, figure: string): Promise<number> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  return Number(new RegExp(`^dataprocessing_operator_${figure} (.+)$`, 'm').exec(text)?.[1]);
}
