// The services that cells choose from: one that does everything, and two in which clusters stay in the middle of something.
import { Injector } from '../../src/server/injector.ts';
import { createServer, type Server } from '../../src/server/server.ts';
import { createMemoryStore, type Store } from '../../src/server/store.ts';
import { systemClock, systemRandom } from '../../src/system.ts';
import type { ServiceName } from './workloads.ts';

export interface Remote {
  readonly server: Server;
  /** What the service really has, whatever it tells. */
  readonly store: Store;
}

export type Remotes = Readonly<Record<ServiceName, Remote>>;

const stageMs = 30;

export async function startRemotes(): Promise<Remotes> {
  const stuck = (operation: 'start' | 'scale', status: string) =>
    new Injector(systemClock, { clusters: [{ operation, status, does: 'stuck' }] });
  const remote = async (injector?: Injector): Promise<Remote> => {
    const store = createMemoryStore();
    const grants = [{ token: 'open-sesame' }];
    const server = createServer({ clock: systemClock, random: systemRandom, stageMs, grants, store, injector });
    await server.start();
    return { server, store };
  };
  return {
    prompt: await remote(),
    'never started': await remote(stuck('start', 'Waiting')),
    'never scaled': await remote(stuck('scale', 'Scaling')),
  };
}
