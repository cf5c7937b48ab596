// A job engine whose runs go on, whatever becomes of the service. It can be told to misbehave.
import type {
  ExecutionOrder,
  FoundRun,
  JobEngine,
  RunEnd,
  RunOrder,
} from '../../../src/service/backends/job-engine.ts';
import { Hooks } from './hooks.ts';

type Method = 'submit' | 'finish' | 'kill' | 'runsOn' | 'strays';

interface Run {
  readonly tenant: string;
  readonly cluster: string;
  readonly end: PromiseWithResolvers<RunEnd>;
  state: 'running' | 'over' | 'killed';
}

export class RunRoom extends Hooks<Method, Pick<RunOrder, 'signal'>> {
  /** By the identifier of the execution. */
  readonly runs = new Map<string, Run>();
  /** How often a run was started, ever. */
  readonly starts = new Map<string, number>();
  /** Runs whose executions were removed. */
  readonly forgotten: string[] = [];
  /** Killed before they were submitted: they must not start later. */
  readonly #barred = new Set<string>();

  finish(id: string, end: RunEnd = { status: 'SUCCEEDED' }): void {
    const run = this.runs.get(id);
    if (run === undefined || run.state !== 'running') return;
    run.state = 'over';
    run.end.resolve(end);
  }

  /** A request of long ago is carried out, which starts a run that nobody waits for. */
  appear(id: string, cluster: string): void {
    this.runs.set(id, { tenant: 't', cluster, end: Promise.withResolvers<RunEnd>(), state: 'running' });
  }

  get running(): readonly string[] {
    return [...this.runs].filter(([, { state }]) => state === 'running').map(([id]) => id);
  }

  engine(): JobEngine {
    return {
      submit: (order) =>
        this.call('submit', order, () => {
          const id = `run-of-${order.execution.id}`;
          this.#start(order);
          order.accepted(id);
          return id;
        }),
      finish: (order) => this.call('finish', order, () => this.#end(order)),
      kill: (order) => this.call('kill', order, () => this.#kill(order.execution.id)),
      runsOn: (order) => this.call('runsOn', order, () => this.#found((run) => run.cluster === order.cluster.id)),
      strays: (signal) => this.call('strays', { signal }, () => this.#found(() => true)),
      logs: async () => undefined,
      forget: ({ execution }) => this.#forget(execution.id),
    };
  }

  #start({ tenant, execution: { id }, cluster }: ExecutionOrder): void {
    if (this.runs.has(id) || this.#barred.has(id)) return;
    this.starts.set(id, (this.starts.get(id) ?? 0) + 1);
    this.runs.set(id, { tenant, cluster: cluster.id, end: Promise.withResolvers<RunEnd>(), state: 'running' });
  }

  #found(matches: (run: Run) => boolean): readonly FoundRun[] {
    return [...this.runs]
      .filter(([, run]) => matches(run))
      .map(([id, { tenant, state }]) => ({ tenant, id, isOver: state !== 'running' }));
  }

  #end({ execution, signal }: RunOrder): Promise<RunEnd> {
    const run = this.runs.get(execution.id);
    if (run === undefined) return Promise.resolve({ status: 'FAILED', message: 'the run cannot be found' });
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => aborted.reject(signal.reason));
    return Promise.race([run.end.promise, aborted.promise]);
  }

  #forget(id: string): void {
    this.#barred.add(id);
    this.forgotten.push(id);
    this.runs.delete(id);
  }

  #kill(id: string): void {
    this.#barred.add(id);
    const run = this.runs.get(id);
    if (run !== undefined && run.state === 'running') run.state = 'killed';
  }
}
