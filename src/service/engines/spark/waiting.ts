// What keeps a Spark job from getting executors. Spark itself reports that in the log of the driver alone.
import { type EngineJob, type EngineNode, nodesWith } from '../engine.ts';
import { ports } from './launch.ts';

/** The page of the master, as JSON. */
export const masterPage = ({ address }: Pick<EngineNode, 'address'>): string =>
  `http://${address}:${ports.masterPage}/json/`;

/** The list of the applications of a driver. */
export const applicationsAt = (address: string): string => `http://${address}:${ports.driverPage}/api/v1/applications`;

export interface MasterState {
  readonly status?: string;
  /** Memory in MiB. */
  readonly workers?: readonly { readonly host?: string; readonly state?: string; readonly memory?: number }[];
  readonly activeapps?: readonly {
    readonly id?: string;
    readonly state?: string;
    readonly memoryperexecutor?: number;
  }[];
  readonly completedapps?: readonly { readonly id?: string }[];
}

/** The run is not ended then: its driver waits for the former master without end, but may not need executors any more. */
const forgotten =
  'its master was started again without its state, and gives it no executors any more: cancel it, and run it again';

export const waiting: NonNullable<EngineJob['waiting']> = async ({ address, nodes }, ask) => {
  const [master] = nodesWith(nodes, 'master');
  const [driver] = (await ask(applicationsAt(address))) as readonly { readonly id?: string }[];
  if (master === undefined || driver?.id === undefined) return undefined;
  const { status, activeapps = [], completedapps = [], workers = [] } = (await ask(masterPage(master))) as MasterState;
  const application = activeapps.find(({ id }) => id === driver.id);
  const isKnown = application !== undefined || completedapps.some(({ id }) => id === driver.id);
  if (status === 'ALIVE' && !isKnown) return forgotten;
  if (application?.state !== 'WAITING') return undefined;
  const wanted = application.memoryperexecutor ?? 0;
  const alive = workers.filter(({ state }) => state === 'ALIVE');
  const largest = Math.max(0, ...alive.map(({ memory = 0 }) => memory));
  if (wanted > largest)
    return `waiting for a larger worker: its executors need ${wanted} MiB each, and the largest worker offers ${largest}: cancel it, and lower spark.executor.memory or use a cluster with a larger flavor_id`;
  return `waiting for free workers: no executor of ${wanted} MiB, with its cores, has a place beside other jobs yet`;
};
