// Bugs that a job engine, or the service with it, could have. Each of them was there once, or would be easy to make.
import { messageOf } from '../../../../../../src/lib/errors.ts';
import { sleep } from '../../../../../../src/lib/timing/wait.ts';
import type { FoundRun, JobEngine, RunEnd } from '../../../../../../src/service/backends/job-engine.ts';
import { jobs } from '../../../../../../src/service/backends/pods/api/api.ts';
import { runName } from '../../../../../../src/service/backends/pods/api/names.ts';
import type { Flaw } from './world.ts';

/** The engine with other methods. */
function changed(engine: JobEngine, changes: Partial<JobEngine>): JobEngine {
  return new Proxy(engine, {
    get(of, name) {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(of, name, of);
      return typeof value === 'function'
        ? (...args: readonly unknown[]) => Reflect.apply(value, of, args) as unknown
        : value;
    },
  });
}

const none = async (): Promise<readonly FoundRun[]> => [];

export const flaws = {
  'a run that cannot be observed is FAILED': (engine) =>
    changed(engine, {
      finish: async (order): Promise<RunEnd> => {
        try {
          return await engine.finish(order);
        } catch (cause) {
          if (order.signal.aborted) throw cause;
          return { status: 'FAILED', message: String(cause) };
        }
      },
    }),
  'a refusal of the API server is final': (engine) =>
    changed(engine, {
      submit: async (order) => {
        try {
          return await engine.submit(order);
        } catch (cause) {
          if (order.signal.aborted) throw cause;
          throw new Error(messageOf(cause), { cause });
        }
      },
    }),
  'a run that is given up is not killed': (engine) => changed(engine, { kill: async () => undefined }),
  'a kill writes no tombstone': (engine, { api }) =>
    changed(engine, {
      kill: ({ execution }) => api.remove(jobs, 'data', runName(execution.id)),
    }),
  'a kill does not wait for the end of the pod': (engine, { api, runs }) =>
    changed(engine, {
      kill: async ({ execution }) => {
        runs.bar(execution.id);
        await api.remove(jobs, 'data', runName(execution.id));
      },
    }),
  'a run is over when its Job is gone': (engine, { api, clock }) =>
    changed(engine, {
      finish: async (order): Promise<RunEnd> => {
        const lost = async (): Promise<RunEnd> => {
          for (;;) {
            const job = await api.get(jobs, 'data', runName(order.execution.id));
            if (job === undefined) return { status: 'FAILED', message: 'its Job was deleted' };
            await sleep(clock, 500, order.signal);
            order.signal.throwIfAborted();
          }
        };
        return await Promise.race([engine.finish(order), lost()]);
      },
    }),
  'runs that appear late are not looked for': (engine) => changed(engine, { strays: none }),
  'the permit is given to every pod that asks': (engine, { runs }) => {
    runs.start = () => true;
    return engine;
  },
  'a runner whose permit does not arrive gets no other one': (engine, { runs }) => {
    const start = runs.start.bind(runs);
    runs.start = (run) => start(run);
    return engine;
  },
} satisfies Readonly<Record<string, Flaw>>;
