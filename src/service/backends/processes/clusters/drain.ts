// Moves work and data off machines that are about to be removed.

import { drainOrder, type Engine, type EngineNode, type EngineProcess, nodesWith } from '../../../engines/engine.ts';
import { describeDrain, type ProbeInput, waitFor } from '../../../engines/probes.ts';
import type { ClusterOrder } from '../../provisioner.ts';
import { beginDrain, ensureProcess, findDrained, findEnd, isRunning, signalChildren } from './machine.ts';

interface DrainInput extends ProbeInput, Pick<ClusterOrder, 'report'> {
  readonly signal: AbortSignal;
  readonly engine: Engine;
  /** The machines of the cluster, and those of them that are going. */
  readonly nodes: readonly EngineNode[];
  readonly going: readonly EngineNode[];
}

/** How often a process is started again that ends before it is done. */
const mostStarts = 3;

/** Processes whose files name the machines that are going read them, and machines that an earlier drain was about are used again if they stay. */
export async function tellWhoGoes({ engine, nodes, going, ...at }: DrainInput): Promise<void> {
  const told = engine.processes.flatMap((process) =>
    nodesWith(nodes, process.name)
      .filter((node) => process.reload !== undefined || (!going.includes(node) && findDrained(node, process)))
      .map((node) => ensureProcess(node, { nodes, leaving: going }, process, at)),
  );
  await Promise.all(told);
}

/** Resolves when the machines have nothing left, once it was told who goes. */
export async function waitUntilDrained(input: DrainInput): Promise<void> {
  const { engine, going } = input;
  for (const process of drainOrder(engine))
    await Promise.all(nodesWith(going, process.name).map((node) => drainProcess(node, process, input)));
}

async function drainProcess(node: EngineNode, process: EngineProcess, input: DrainInput): Promise<void> {
  const { nodes, going, engine: _, report, ...at } = input;
  const { drain } = process;
  if (drain === undefined) return;
  const limitMs = drain.limitMs(node);
  const until = at.clock.monotonic() + limitMs;
  const done = drain.done(node, nodes);
  const about = { probe: done, process: process.name, machine: node.machine.instance_name, limitMs };
  const description = describeDrain(about, report);
  description.waits();
  const isLate = () => at.clock.monotonic() >= until;
  const hopeless = (problem: string) => {
    description.waits(problem);
    return findEnd(node, process) ?? (isLate() ? description.late(problem) : undefined);
  };
  const { signal, signalsChildren } = drain;
  const meanwhile =
    signal === undefined || signalsChildren !== true ? undefined : () => signalChildren(node, process, signal);
  for (let starts = 0; ; starts += 1) {
    try {
      if (starts > 0) await ensureProcess(node, { nodes, leaving: going }, process, at);
      if (signal !== undefined) beginDrain(node, process, signal);
      return await waitFor(done, { ...at, hopeless, meanwhile });
    } catch (cause) {
      const runs = isRunning(node, process);
      // Others do its work again.
      if (!at.signal.aborted && drain.isNeeded !== true && (isLate() || !runs)) return;
      if (at.signal.aborted || runs || starts === mostStarts) throw cause;
    }
  }
}
