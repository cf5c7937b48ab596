// The examples at a service that is killed and restarted on its data, under an operator that goes on.
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { conditionOf } from '../../../dev/demo/readiness.ts';
import type { Tenant } from '../../../dev/demo/remote.ts';
import { limitMs } from '../../support/patience.ts';
import type { Bench } from './bench.ts';
import { cluster } from './checks.ts';

export interface MortalService {
  readonly tenant: Tenant;
  readonly examples: readonly Manifest[];
  /** The Cluster of the examples. */
  readonly analytics: Manifest;
  kill(): Promise<void>;
  /** At the same address. */
  restart(): Promise<void>;
  /** Resolves when the Cluster says that the service is not there. */
  untilTold(): Promise<void>;
}

export async function openMortalService(bench: Bench): Promise<MortalService> {
  // Slow enough that a cluster is still under way when the service dies.
  const flags = ['--data', join(bench.folder, 'service.db'), '--stage-ms', '400', '--stage-ms', 'Deleting=1500'];
  let service = await bench.startService(...flags);
  const { url } = service;
  await bench.startOperator();
  const examples = await bench.examples(url);
  const analytics = cluster(examples, 'analytics');
  const reason = async () => {
    const found = await bench.objects.read(analytics);
    if (found === undefined) throw new Error('cannot read the Cluster: it is not there');
    return conditionOf(found, 'Ready')?.reason;
  };
  return {
    tenant: bench.tenant(url),
    examples,
    analytics,
    kill: async () => void (await service.program.end('SIGKILL', limitMs)),
    async restart() {
      service = await bench.startService(...flags, '--port', new URL(url).port);
    },
    async untilTold() {
      await expect.poll(reason, { timeout: limitMs }).toBe('UpstreamError');
    },
  };
}
