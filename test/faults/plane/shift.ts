// The operator as a process: started, killed, asked to end, and started anew.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, type Programs, waitForLine } from '../../../dev/demo/programs.ts';

export interface ShiftOptions {
  readonly programs: Programs;
  readonly flags: readonly string[];
  /** Modules that are loaded before the operator. */
  readonly loaded: readonly string[];
  /** Between the end of one process and the start of the next. */
  readonly between?: () => Promise<void>;
}

const endsWithinMs = 30_000;

/** One operator at a time. */
export class Shift {
  readonly #options: ShiftOptions;
  #program: Promise<Program> | undefined;
  /** Asked to end, and perhaps not gone yet. */
  #leaving: Program | undefined;
  /** From a death to the next start. */
  #change: Promise<void> | undefined;

  constructor(options: ShiftOptions) {
    this.#options = options;
  }

  start(): void {
    const { programs, flags, loaded } = this.#options;
    this.#program = programs.start({
      name: 'operator',
      script: 'src/operator/main.ts',
      args: ['--health-address', '127.0.0.1:0', ...flags],
      nodeFlags: loaded.flatMap((file) => ['--import', file]),
      // Half of the time of a start goes into reading our own sources.
      environment: { NODE_COMPILE_CACHE: join(tmpdir(), 'faults-compile-cache') },
    });
  }

  /** Resolves when the one who is on duty, whoever that is by then, works. */
  async running(): Promise<void> {
    for (;;) {
      await this.#change;
      const program = await this.#program;
      if (program === undefined) throw new Error('cannot wait for the operator: it was not started');
      try {
        await waitForLine(program, /running; health on port (\d+)/);
        return;
      } catch (error) {
        await this.#change;
        if (program === (await this.#program)) throw error;
      }
    }
  }

  /** Resolves when it is dead; the next one is under way then. One that is leaving goes first: it still has the lease. */
  async kill(): Promise<void> {
    if (this.#leaving?.ended() === undefined && this.#leaving !== undefined)
      return void (await this.#leaving.end('SIGKILL', endsWithinMs));
    const dead = this.#end();
    this.#change = this.#replace(dead);
    await dead;
  }

  /** Another one starts before this one is asked to end. */
  async handOver(): Promise<void> {
    this.#leaving = await this.#program;
    this.start();
    await this.#leaving?.end('SIGTERM', endsWithinMs);
    await this.running();
  }

  async end(): Promise<void> {
    await this.#change;
    await this.#end();
  }

  async #end(): Promise<void> {
    await (await this.#program)?.end('SIGKILL', endsWithinMs);
  }

  async #replace(dead: Promise<void>): Promise<void> {
    await dead;
    await this.#options.between?.();
    this.start();
  }
}
