// Lives of the service, one after the other, over the same records and the same machines.
import { onTestFinished } from 'vitest';
import { createSeededRandom } from '../../../src/service/model/records/identifiers.ts';
import { createMemoryStore, type Store } from '../../../src/service/model/store/store.ts';
import type { ServerOptions } from '../../../src/service/program/options.ts';
import { createServer } from '../../../src/service/program/server.ts';
import {
  base,
  createJob,
  createSource,
  createCluster as make,
} from '../../contract/sections/jobs/section-4-6-support.ts';
import { connect, type Json, type Peer } from '../../contract/support.ts';
import { ManualClock } from '../../support/clock.ts';
import { MachineRoom } from './machine-room.ts';
import { RunRoom } from './run-room.ts';

const clusters = `${base}/clusters`;
type Dialect = NonNullable<ServerOptions['dialect']>;

export interface Life {
  readonly dialect: Dialect;
  readonly clock: ManualClock;
  readonly peer: Peer;
  close(): Promise<void>;
  /** Ends like a process that is killed: nothing of it is stored from now on. */
  kill(): void;
  isDead(): boolean;
  /** Advances the time in small steps until the condition holds, at most ten minutes. False if it does not, or if the life has ended. */
  until(condition: () => boolean | Promise<boolean>): Promise<boolean>;
}

/** Ignores what a life that was killed writes. */
function mortal(store: Store): {
  readonly store: Store;
  readonly die: () => void;
  readonly isDead: () => boolean;
} {
  let dead = false;
  const silent = { ...store, put: () => undefined, remove: () => undefined };
  const handler = { get: (_target: Store, name: keyof Store) => (dead ? silent : store)[name] };
  return {
    store: new Proxy(store, handler as ProxyHandler<Store>),
    die: () => {
      dead = true;
    },
    isDead: () => dead,
  };
}

export class Lives {
  readonly room = new MachineRoom();
  readonly runs = new RunRoom();
  readonly errors: string[] = [];
  readonly #store = createMemoryStore();
  readonly #options: Partial<ServerOptions>;
  #seed = 0;

  constructor(options: Partial<ServerOptions> = {}) {
    this.#options = options;
  }

  async next(): Promise<Life> {
    const clock = new ManualClock();
    const { store, die, isDead } = mortal(this.#store);
    const error = (_fields: unknown, message: string) => void this.errors.push(message);
    const server = createServer({
      clock,
      random: createSeededRandom((this.#seed += 1)),
      stageMs: 100,
      store,
      log: { debug() {}, info() {}, warn() {}, error },
      provisioner: this.room.provisioner(),
      engine: this.runs.engine(),
      ...this.#options,
    });
    const peer = connect(await server.start());
    const advance = async (): Promise<void> => clock.advance(100);
    const close = async (): Promise<void> => {
      let ended = false;
      const done = server.close().finally(() => {
        ended = true;
      });
      while (!ended) await clock.advance(1000);
      await done;
    };
    onTestFinished(close);
    return {
      dialect: this.#options.dialect ?? 'neutral',
      clock,
      peer,
      close,
      kill: die,
      isDead,
      async until(condition) {
        for (let step = 0; step < 6000 && !isDead(); step += 1) {
          if (await condition()) return true;
          await advance();
        }
        return false;
      },
    };
  }
}

let names = 0;

/** A cluster that has only been asked for. */
export async function createCluster({ peer, dialect }: Life, count = 2): Promise<string> {
  const node_groups = [{ name: 'g', count, flavor_id: '1', node_processes: ['namenode'] }];
  return (await make(peer, dialect, { name: `cluster-${(names += 1)}`, node_groups }))['id'];
}

export const deleteCluster = ({ peer }: Life, id: string) => peer.remove(`${clusters}/${id}`);

export const readCluster = async ({ peer }: Life, id: string): Promise<Json> =>
  (await peer.get(`${clusters}/${id}`)).body.cluster;

export const scaleTo = ({ peer }: Life, id: string, count: number) =>
  peer.put(`${clusters}/${id}`, { resize_node_groups: [{ name: 'g', count }] });

export const machineIds = (cluster: Json): readonly string[] =>
  (cluster?.['node_groups'] ?? []).flatMap(({ instances }: Json) => instances.map((of: Json) => of.instance_id));

/** The cluster comes to rest in the status. */
export const comesTo = (life: Life, id: string, status: string | undefined): Promise<boolean> =>
  life.until(async () => (await readCluster(life, id))?.status === status);

export async function execute({ peer, dialect }: Life, cluster_id: string): Promise<string> {
  const name = `job${(names += 1)}`;
  const job = await createJob(peer, dialect, { name });
  const source = (url: string) => createSource(peer, { name: `${name}-${url.length}`, url });
  const [input, output] = [await source('swift://c/in'), await source('swift://c/out')];
  const sources = dialect === 'savanna' ? { input_id: input['id'], output_id: output['id'] } : {};
  const reply = await peer.post(`${base}/jobs/${job['id']}/execute`, { cluster_id, ...sources });
  return reply.body.job_execution.id;
}

export const readRun = async ({ peer }: Life, id: string): Promise<Json> =>
  (await peer.get(`${base}/job-executions/${id}`)).body.job_execution;

export const cancelRun = ({ peer }: Life, id: string) => peer.get(`${base}/job-executions/${id}/cancel`);
export const deleteRun = ({ peer }: Life, id: string) => peer.remove(`${base}/job-executions/${id}`);
