// Compiles a program against the jars of an engine.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, messageOf } from '../../src/lib/errors.ts';

const execute = promisify(execFile);

/** Throws an Error with the remedy if there is no compiler. */
export async function checkCompiler(): Promise<void> {
  await execute('javac', ['-version']).catch((cause: unknown) => {
    throw new Error('a JDK is needed to compile the job, and there is no javac: install a JDK', { cause });
  });
}

/** The bytes of the program's jar. `jars`: the folder of the jars in the installation. Throws an Error with the remedy if it cannot be compiled. */
export async function buildJar(home: string, source: string, jars = 'jars'): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  try {
    const [classes, jar] = [join(folder, 'classes'), join(folder, 'program.jar')];
    await execute('javac', ['-cp', join(home, jars, '*'), '-d', classes, source]);
    await execute('jar', ['--create', '--file', jar, '-C', classes, '.']);
    return await readFile(jar);
  } catch (cause) {
    const why = hasCode(cause, 'ENOENT') ? 'there is no javac: install a JDK' : messageOf(cause);
    throw new Error(`cannot compile ${source}: ${why}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
