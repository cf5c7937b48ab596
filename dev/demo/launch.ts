// Starts the bundled service and the operator as separate processes, and waits until both are ready.
import { type Program, type Programs, waitForLine } from './programs.ts';
import { NotYet, waitUntil } from './waiting.ts';

export interface Service {
  readonly program: Program;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
}

/** How to run one of our programs other than from its source. */
export interface Way {
  /** Path from the root of the repository. */
  readonly script?: string;
  readonly nodeFlags?: readonly string[];
  /** In addition to ours. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Throws with the end of its log when it does not listen. */
export async function startService(programs: Programs, flags: readonly string[], way: Way = {}): Promise<Service> {
  const program = await programs.start({ name: 'service', script: 'src/service/program/main.ts', args: flags, ...way });
  return { program, url: await waitForLine(program, /^listening on (\S+)$/m) };
}

export interface Operator {
  readonly program: Program;
  /** Where /healthz, /readyz and /metrics are. */
  readonly healthUrl: string;
}

/** On a free health port. Throws with the end of its log when it does not get ready. */
export async function startOperator(programs: Programs, flags: readonly string[], way: Way = {}): Promise<Operator> {
  const args = ['--health-address', '127.0.0.1:0', ...flags];
  const program = await programs.start({ name: 'operator', script: 'src/operator/main.ts', args, ...way });
  const healthUrl = `http://127.0.0.1:${await waitForLine(program, /running; health on port (\d+)/)}`;
  const probe = async () => {
    const response = await fetch(`${healthUrl}/readyz`);
    return response.ok ? 'ready' : new NotYet(`/readyz answers ${response.status}: ${await response.text()}`);
  };
  await waitUntil('start the operator', probe, { withinMs: 60_000 });
  return { program, healthUrl };
}
