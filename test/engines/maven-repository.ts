// The Maven repository for tests of packages: the one that Maven itself asks, which its own libraries name.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../src/lib/errors.ts';

const execute = promisify(execFile);
/** The model that all projects inherit from. */
const model = 'org/apache/maven/model/pom-4.0.0.xml';

async function ownRepository(): Promise<string> {
  const { stdout } = await execute('mvn', ['--version']);
  const libraries = join(/^Maven home: (.*)$/m.exec(stdout)?.[1] ?? '', 'lib');
  const library = readdirSync(libraries).find((name) => name.startsWith('maven-model-builder')) ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'maven-model-'));
  try {
    await execute('jar', ['--extract', '--file', join(libraries, library), model], { cwd: folder });
    const url = /<repository>.*?<url>(.*?)<\/url>/s.exec(readFileSync(join(folder, model), 'utf8'))?.[1];
    if (url === undefined) throw new Error(`${library} names no repository`);
    return url;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Its URL. Undefined, with the reason on the console, if there is no Maven, or if the file `path` cannot be reached there. */
export async function findMavenRepository(path: string): Promise<string | undefined> {
  const skip = (why: string) => console.warn(`The tests that need ${path} of a Maven repository are skipped: ${why}`);
  try {
    const url = await ownRepository();
    const { ok, status } = await fetch(`${url}/${path}`, { method: 'HEAD' });
    if (ok) return url;
    skip(`it answered ${status}`);
  } catch (error) {
    skip(messageOf(error));
  }
  return undefined;
}
