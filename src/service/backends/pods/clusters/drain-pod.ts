// Waits until a process in a pod that leaves has handed over its work.
import { sleep } from '../../../../lib/timing/wait.ts';
import type { EngineNode, EngineProcess } from '../../../engines/engine.ts';
import { ask, describeDrain, type ProbeInput, pauseAfter } from '../../../engines/probes.ts';
import type { ClusterOrder } from '../../provisioner.ts';
import { pods as podKind } from '../api/api.ts';
import type { ClusterPods } from './cluster-pods.ts';
import type { PodPrograms } from './pod-programs.ts';

interface PodDrain extends ProbeInput {
  readonly order: ClusterOrder;
  /** The machines of the cluster. */
  readonly nodes: readonly EngineNode[];
  readonly pods: ClusterPods;
  readonly programs: PodPrograms;
}

/** Between two questions to a process that is being drained. */
const pollMs = 500;
/** Each signal to what a process has started is a command in its pod. */
const pollsPerSignal = 4;

/** A process that does not run has nothing that could be moved, unless it is needed until it is done. Then this rejects if it takes too long. */
export async function drainProcess(node: EngineNode, process: EngineProcess, draining: PodDrain): Promise<void> {
  const { order, nodes, pods, programs, clock } = draining;
  const { drain, name } = process;
  if (drain === undefined) return;
  const { signal } = order;
  const { machine } = node;
  const [probe, limitMs] = [drain.done(node, nodes), drain.limitMs(node)];
  const until = clock.monotonic() + limitMs;
  const about = { probe, process: name, machine: machine.instance_name, limitMs };
  const description = describeDrain(about, (reported) => order.report(reported));
  description.waits();
  await programs.signal(process, node, signal);
  const observed = pods.observe(order, [podKind]);
  try {
    for (let polls = 1; ; polls += 1) {
      const began = clock.monotonic();
      const problem = await ask(probe, draining);
      if (problem === undefined) return;
      description.waits(problem);
      const pauseMs = pauseAfter(probe, pollMs, clock.monotonic() - began);
      await observed.current(order);
      signal.throwIfAborted();
      const isLate = clock.monotonic() >= until;
      if (isLate && drain.isNeeded === true) throw new Error(description.late(problem));
      // Others do its work again.
      if (drain.isNeeded !== true && (isLate || !(await pods.canHandOver(order, observed, [machine, name])))) return;
      if (polls % pollsPerSignal === 0) await programs.signalChildren(process, node, signal);
      await sleep(clock, pauseMs, signal);
      signal.throwIfAborted();
    }
  } finally {
    observed.close();
  }
}
