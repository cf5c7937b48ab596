// What is done to processes that run in pods: their files are written anew, and they get signals.
import { dirname, join } from 'node:path';
import { type Command, type Engine, type EngineNode, type EngineProcess, nodesWith } from '../../../engines/engine.ts';
import { Transient } from '../../../model/disk/transient.ts';
import { type KubeApi, pods } from '../api/api.ts';
import { podOfHost } from '../api/names.ts';
import { firstProcess, signalName, toChildren, toDrain, toDrained } from '../manifests/drain-scripts.ts';
import { isRunning, type PodObject } from './conditions.ts';

/** Of the content of a file. What is written is shorter. */
const readBytes = 250_000;
/** Prints the content of a file, or nothing. Of one that is too long, it prints a part, so that it differs from what is to be there. */
const reading = `head -c ${readBytes} "$1" 2>/dev/null || true`;
const writing = 'umask 077; mkdir -p "$2"; printf %s "$3" > "$1.new" && mv "$1.new" "$1"';
/** Of a text in a URL, which is how a command gets to a container. */
const mostCharacters = 200_000;

/** There is nothing that the command could be about. */
class NotRunning extends Error {
  override readonly name = 'NotRunning';
}

type DrainedProcess = Pick<EngineProcess, 'name' | 'drain'>;

export class PodPrograms {
  readonly #api: Pick<KubeApi, 'exec' | 'get'>;

  constructor(api: Pick<KubeApi, 'exec' | 'get'>) {
    this.#api = api;
  }

  /** Tells the processes which machines leave, if they have to know and do not know it yet. */
  async tell(
    engine: Engine,
    nodes: readonly EngineNode[],
    leaving: readonly EngineNode[],
    signal: AbortSignal,
  ): Promise<void> {
    const told = engine.processes.flatMap((process) =>
      process.reload === undefined
        ? []
        : nodesWith(nodes, process.name).map((node) => this.#reload(process, { node, nodes, leaving }, signal)),
    );
    await Promise.all(told);
  }

  async #reload(
    process: EngineProcess,
    { node, nodes, leaving }: { node: EngineNode; nodes: readonly EngineNode[]; leaving: readonly EngineNode[] },
    signal: AbortSignal,
  ): Promise<void> {
    const usual = process.files?.(node, nodes, []) ?? {};
    const everybody = process.files?.(node, nodes, nodes) ?? {};
    const files = process.files?.(node, nodes, leaving) ?? {};
    // Those that say who leaves. The others are as the pod has made them.
    const changing = Object.keys(files).filter((path) => usual[path] !== everybody[path]);
    let isStale = false;
    for (const path of changing) {
      const [file, text] = [join(node.folder, path), files[path] ?? ''];
      if ((await this.#run(process, node, shell(reading, [file]), signal)) === text) continue;
      if (text.length > mostCharacters) throw new Error(`${path} is too long to be written into a pod`);
      await this.#run(process, node, shell(writing, [file, dirname(file), text]), signal);
      isStale = true;
    }
    const command = process.reload?.(node);
    if (isStale && command !== undefined) await this.#run(process, node, wordsOf(command), signal);
  }

  /** Sends the signal that begins to drain the process, if it has one. A process that does not run has nothing to drain. */
  async signal({ name, drain }: DrainedProcess, node: EngineNode, signal: AbortSignal): Promise<void> {
    if (drain?.signal !== undefined) await this.#kill({ name }, node, [toDrain, drain.signal], signal);
  }

  /** Ends the processes on these machines that got it. Their pods start them again, and then they take work. */
  async endDrained(engine: Engine, nodes: readonly EngineNode[], signal: AbortSignal): Promise<void> {
    for (const { name, drain } of engine.processes) {
      const drained = drain?.signal === undefined ? [] : nodesWith(nodes, name);
      await Promise.all(drained.map((node) => this.#kill({ name }, node, [toDrained, 'SIGTERM'], signal)));
    }
  }

  /** The same for what the process has started, if it is to get the signal, too. */
  async signalChildren({ name, drain }: DrainedProcess, node: EngineNode, signal: AbortSignal): Promise<void> {
    if (drain?.signal === undefined || drain.signalsChildren !== true) return;
    await this.#kill({ name }, node, [toChildren, drain.signal], signal);
  }

  async #kill(
    process: Pick<EngineProcess, 'name'>,
    node: EngineNode,
    [script, name]: readonly [script: string, name: NodeJS.Signals],
    signal: AbortSignal,
  ): Promise<void> {
    const note = join(node.folder, `${process.name}.drained`);
    const command = shell(script, [signalName(name), firstProcess, note]);
    await this.#run(process, node, command, signal).catch((error: unknown) => {
      if (!(error instanceof NotRunning)) throw error;
    });
  }

  async #run(
    { name }: Pick<EngineProcess, 'name'>,
    node: EngineNode,
    command: readonly string[],
    signal: AbortSignal,
  ): Promise<string> {
    const [namespace, pod] = podOfHost(node.address);
    try {
      return await this.#api.exec({ namespace, pod, container: name }, command, signal);
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof Transient)) throw cause;
      // A pod or container that does not run is told like an API server that does not answer.
      const found = await this.#api.get<PodObject>(pods, namespace, pod);
      if (found !== undefined && isRunning(found, name)) throw cause;
      throw new NotRunning(`container ${name} of pod ${pod} does not run`, { cause });
    }
  }
}

const shell = (script: string, args: readonly string[]): readonly string[] => ['/bin/sh', '-c', script, 'sh', ...args];

const wordsOf = ({ file, args, env }: Command): readonly string[] => [
  '/usr/bin/env',
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  file,
  ...args,
];
