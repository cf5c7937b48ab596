// Places in the work of a provisioner and of a job engine at which the service can be killed. Each one is reached by name.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Binary, JobEngine } from '../../../src/service/backends/job-engine.ts';
import { Folders } from '../../../src/service/backends/processes/clusters/folders.ts';
import type { Provisioner } from '../../../src/service/backends/provisioner.ts';
import type { Engine, EngineNode, EngineProcess } from '../../../src/service/engines/engine.ts';
import type { Machine } from '../../../src/service/model/records/records.ts';
import type { Point } from './points.ts';

type Reach = (place: string) => void;

/** Kills this process when it reaches the place that the file names, for the time that it names. The file goes before, so the next life lives. */
export function strikeAt(file: string): Reach {
  const times = new Map<string, number>();
  let known = '';
  return (place) => {
    if (!existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    // Places are counted from the moment on at which the file is written.
    if (text !== known) times.clear();
    known = text;
    const time = (times.get(place) ?? 0) + 1;
    times.set(place, time);
    const point = JSON.parse(text) as Point;
    if (point.place !== place || time < point.time) return;
    rmSync(file);
    process.kill(process.pid, 'SIGKILL');
  };
}

/** `T` with a place that is reached before each call of a function that it has. */
function before<T extends object, K extends keyof T>(of: T, name: K, reach: () => void): Pick<T, K> | object {
  const known = of[name];
  if (typeof known !== 'function') return {};
  const call = (...args: unknown[]) => {
    reach();
    return known.apply(of, args);
  };
  return { [name]: call };
}

function mortalProcess(of: EngineProcess, role: 'head' | 'worker', reach: Reach): EngineProcess {
  const at = (name: 'files' | 'command' | 'ready' | 'reload') => before(of, name, () => reach(`${name} of a ${role}`));
  const { drain } = of;
  const done = drain && {
    drain: {
      ...drain,
      done: (node: EngineNode, nodes: readonly EngineNode[]) => {
        reach(`done of a ${role}`);
        return drain.done(node, nodes);
      },
    },
  };
  return { ...of, ...at('files'), ...at('command'), ...at('ready'), ...at('reload'), ...done };
}

export function mortalEngine(engine: Engine, reach: Reach): Engine {
  const [first = 0] = engine.processes.map(({ rank }) => rank).toSorted((one, other) => one - other);
  return {
    ...engine,
    processes: engine.processes.map((of) => mortalProcess(of, of.rank === first ? 'head' : 'worker', reach)),
    jobs: engine.jobs.map((job) => ({ ...job, ...before(job, 'program', () => reach('program')) })),
    ...before(engine, 'usable', () => reach('usable')),
  };
}

export class MortalFolders extends Folders {
  readonly #reach: Reach;

  constructor(root: string, reach: Reach) {
    super(root, () => 'secret');
    this.#reach = reach;
  }

  override make(...args: Parameters<Folders['make']>): string {
    const made = super.make(...args);
    this.#reach('make');
    return made;
  }

  override remove(cluster: string, machine: string): void {
    super.remove(cluster, machine);
    this.#reach('vanish');
  }
}

export const mortalProvisioner = (of: Provisioner, reach: Reach): Provisioner => {
  async function around<T>(name: string, work: () => Promise<T>): Promise<T> {
    reach(`before ${name}`);
    const result = await work();
    reach(`after ${name}`);
    return result;
  }
  return {
    checkPlan: (cluster, others) => of.checkPlan(cluster, others),
    launch: (order, machines) => around('launch', () => of.launch(order, machines)),
    configure: (order, change) => around('configure', () => of.configure(order, change)),
    drain: (order, machines: readonly Machine[]) => around('drain', () => of.drain(order, machines)),
    remove: (order, machines) => around('remove', () => of.remove(order, machines)),
    list: (order) => around('list', () => of.list(order)),
    adopt: (order) => of.adopt(order),
    watch: (report) => of.watch(report),
  };
};

export function mortalJobs(of: JobEngine, reach: Reach): JobEngine {
  const read = (binary: Binary): Binary => ({ ...binary, ...before(binary, 'read', () => reach('read')) });
  return {
    ...(of.schemes && { schemes: of.schemes }),
    async submit(order) {
      const accepted = (id: string) => {
        reach('accepted');
        order.accepted(id);
      };
      const id = await of.submit({ ...order, accepted, mains: order.mains.map(read) });
      reach('after submit');
      return id;
    },
    async finish(order) {
      const end = await of.finish(order);
      reach('after finish');
      return end;
    },
    async kill(order) {
      reach('before kill');
      await of.kill(order);
      reach('after kill');
    },
    runsOn: (order) => of.runsOn(order),
    logs: (order, range) => of.logs(order, range),
    forget: (order) => of.forget(order),
  };
}
