// What a JobSchedule has made, in a world with all that its executions need.
import type { Json } from '../../operator/kinds/support/sample.ts';
import { limitMs } from '../../support/patience.ts';
import type { World } from './world.ts';

export const hourMs = 3_600_000;
export const patience = { timeout: limitMs, interval: 200 };
export const names: Json = { worker: 'worker', small: 'small', program: 'program', cluster: 'cluster', job: 'job' };

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly state?: string };
}

export async function executionsOf(world: World): Promise<readonly Listed[]> {
  const { body } = await world.api.send({ path: world.path('JobExecution') });
  return (body as { readonly items: readonly Listed[] }).items;
}

export const runsOf = ({ external }: World) => external.filter((line) => /^POST \/v1\.1\/.*\/execute$/.test(line));
