// The services that cells choose from: one that does everything, two in which clusters stay in the middle of something, and one whose runs do not end.

import { Injector } from '../../../dev/personality/injector.ts';
import type { Personality } from '../../../dev/personality/personality.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import { createMemoryStore, type Store } from '../../../src/service/model/store/store.ts';
import { createServer, type Server } from '../../../src/service/program/server.ts';
import type { ServiceName } from '../tables/steps.ts';

export interface Remote {
  readonly server: Server;
  /** What the service really has, whatever it tells. */
  readonly store: Store;
}

const stuck = (operation: 'start' | 'scale', status: string): Personality => ({
  clusters: [{ operation, status, does: 'stuck' }],
});
export const personalities: Readonly<Record<ServiceName, Personality>> = {
  prompt: {},
  'never started': stuck('start', 'Waiting'),
  'never scaled': stuck('scale', 'Scaling'),
  'never ended': { executions: [{ status: 'RUNNING', does: 'stuck' }] },
};

export type Remotes = Readonly<Record<ServiceName, Remote>>;

const stageMs = 30;
/** The only one that the services know. */
export const plainToken = 'open-sesame-7f3a';

export async function startRemotes(): Promise<Remotes> {
  const remote = async (name: ServiceName): Promise<Remote> => {
    const store = createMemoryStore();
    const injector = new Injector(systemClock, personalities[name]);
    const grants = [{ token: plainToken }];
    const server = createServer({ clock: systemClock, random: systemRandom, stageMs, grants, store, hooks: injector });
    await server.start();
    return { server, store };
  };
  return {
    prompt: await remote('prompt'),
    'never started': await remote('never started'),
    'never scaled': await remote('never scaled'),
    'never ended': await remote('never ended'),
  };
}
