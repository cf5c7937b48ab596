// The jar of the example is what the compiler makes of its source.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { temporaryFolder } from '../plane/support.ts';
import { findEngine } from './engines.ts';

const example = join(import.meta.dirname, '..', '..', 'examples', 'spark');
const spark = findEngine(sparkSource);

/** Other releases can compile the same source to other bytes. */
function isCompiler17(): boolean {
  try {
    return execFileSync('javac', ['-version'], { encoding: 'utf8' }).startsWith('javac 17.');
  } catch {
    return false;
  }
}

test.skipIf(spark === undefined || !isCompiler17())('word-count.jar has the class of WordCount.java', async () => {
  const [compiled, packed] = [await temporaryFolder(), await temporaryFolder()];
  const path = join(spark?.folder ?? '', 'jars', '*');
  const source = join(example, 'WordCount.java');
  execFileSync('javac', ['-g:none', '--release', '17', '-cp', path, '-d', compiled, source]);
  execFileSync('jar', ['--extract', '--file', join(example, 'word-count.jar')], { cwd: packed });
  const [wanted, found] = [compiled, packed].map((folder) => readFileSync(join(folder, 'WordCount.class')));
  expect(found?.equals(wanted ?? Buffer.alloc(0))).toBe(true);
});
