// Compiles a program of this folder against the jars of Spark.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The bytes of the program's jar. Needs a JDK. */
export async function buildJar(spark: string, program: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  try {
    const [classes, jar] = [join(folder, 'classes'), join(folder, 'program.jar')];
    const source = join(import.meta.dirname, 'programs', `${program}.java`);
    await execute('javac', ['-cp', join(spark, 'jars', '*'), '-d', classes, source]);
    await execute('jar', ['--create', '--file', jar, '-C', classes, '.']);
    return await readFile(jar);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
