// What became of the mutants: how many the tests caught, file by file, and which they did not.
import { readFileSync } from 'node:fs';
import { type Equivalent, equivalent } from './equivalent.ts';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** The line as it was, and what took the place of a part of it. */
  readonly source: string;
  readonly replacement: string;
  readonly status: string;
}

interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly status: string;
          readonly replacement?: string;
          readonly location: { readonly start: { readonly line: number } };
        }[];
      }
    >
  >;
}

/** The mutants of the last runs, each file as it was when it was run last. */
export function readMutants(path: string): readonly Mutant[] {
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants.map(({ status, replacement = '', location: { start } }) => ({
      file,
      line: start.line,
      source: (lines[start.line - 1] ?? '').trim(),
      replacement: replacement.replace(/\s+/g, ' '),
      status,
    }));
  });
}

const isCaught = ({ status }: Mutant): boolean => status === 'Killed' || status === 'Timeout';
const isMissed = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage';

/** Mutants that cannot be told from the original count as neither; all others do, also those that no test comes across. */
export function scoreOf(mutants: readonly Mutant[]) {
  const caught = mutants.filter(isCaught).length;
  const missed = mutants.filter((one) => isMissed(one) && whyEquivalent(one) === undefined).length;
  const same = mutants.filter((one) => isMissed(one) && whyEquivalent(one) !== undefined).length;
  return { percent: percentOf(caught, caught + missed), caught, missed, equivalent: same };
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.floor((part / whole) * 1_000) / 10;
}

function whyEquivalent({ file, source, replacement }: Mutant): string | undefined {
  const isSame = (one: Equivalent) =>
    one.file === file && one.source === source && (one.replacement ?? replacement) === replacement;
  return equivalent.find(isSame)?.why;
}

export function tableOf(mutants: readonly Mutant[]): string {
  const files = [...new Set(mutants.map(({ file }) => file))].sort();
  const rows = files.map((file) =>
    rowOf(
      file,
      mutants.filter((one) => one.file === file),
    ),
  );
  const missed = mutants.filter(isMissed).map((one) => {
    const why = whyEquivalent(one);
    return `${one.file}:${one.line} ${why === undefined ? one.status : `equivalent, ${why}`}\n  ${one.source}\n  -> ${one.replacement}`;
  });
  return [...missed, '', ...rows, rowOf('all', mutants)].join('\n');
}

function rowOf(name: string, mutants: readonly Mutant[]): string {
  const { percent, caught, missed, equivalent: same } = scoreOf(mutants);
  return `${name.padEnd(36)} ${String(percent).padStart(5)} %  ${caught} caught, ${missed} not, ${same} equivalent`;
}
