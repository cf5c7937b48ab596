// What one hostile answer costs: no more than 32 MiB and twice its size, whatever it holds, for each of the parsers.
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, 'hostile-reader.ts');

/** Of Node, the schemas, fast-check and the answer itself, of which the test has two copies. */
const ground = (bytes: number): number => 24 + (3 * bytes) / 1_048_576;

/** So many answers for each parser. */
export function hostileAnswers(runs: number): void {
  const parsers = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as [string, number][];
  test.each(parsers)('%s: every answer is read or refused in bounded memory', async (name, bytes) => {
    const room = Math.ceil(ground(bytes) + 32 + (2 * bytes) / 1_048_576);
    const flags = [`--max-old-space-size=${room}`, '--max-semi-space-size=4'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, name, String(runs)]);
    expect(stdout).toContain('done');
  });
}
