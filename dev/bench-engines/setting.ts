// What the measurements of real Spark clusters have in common.
import type { EngineHome } from '../../src/service/engines/homes/find.ts';
import type { Options } from './options.ts';
import type { Subject } from './subject.ts';

export interface Setting {
  readonly subject: Subject;
  readonly options: Options;
  readonly spark: EngineHome;
  readonly java: string;
  /** Where the machines are. */
  readonly machines: string;
  /** The jar of the job, and the text that it reads. */
  readonly jar: string;
  readonly text: string;
  readonly service: { readonly pid: number };
  readonly print: (line: string) => void;
}

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

/** 0 of none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
