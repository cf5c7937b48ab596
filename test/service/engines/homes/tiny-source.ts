// An engine of a few bytes, as it is published, and the places where it is looked for.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import type { RemoteFile } from '../../../../src/lib/fetch/download.ts';
import { createLineProgress } from '../../../../src/lib/fetch/progress.ts';
import { awakeClock } from '../../../../src/lib/system.ts';
import type { EngineSource } from '../../../../src/service/engines/homes/engine-source.ts';
import { digestOf } from '../../../lib/fetch/file-server.ts';
import { temporaryFolder } from '../../../plane/support.ts';

/** Large enough to be cut in the middle. */
const filler = 400_000;

/** A gzipped tar archive as Apache publishes them. */
export async function packTiny(): Promise<Buffer> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'tiny-1.0-bin', 'jars'), { recursive: true });
  await writeFile(join(folder, 'tiny-1.0-bin', 'jars', 'tiny.jar'), 'from the archive');
  // Random, so that it stays large.
  await writeFile(join(folder, 'tiny-1.0-bin', 'filler'), crypto.getRandomValues(new Uint8Array(65_536)));
  const more = Array.from({ length: Math.ceil(filler / 65_536) }, (_, index) => `filler-${index}`);
  for (const name of more)
    await writeFile(join(folder, 'tiny-1.0-bin', name), crypto.getRandomValues(new Uint8Array(65_536)));
  execFileSync('tar', ['-czf', join(folder, 'tiny.tgz'), '-C', folder, 'tiny-1.0-bin']);
  return readFile(join(folder, 'tiny.tgz'));
}

export const tinySource = (home: string, packed: Buffer): EngineSource & { readonly archive: RemoteFile } => ({
  name: 'tiny',
  title: 'Apache Tiny',
  version: '1.0',
  lines: ['1.0'],
  installed: 'by default',
  help: 'the Tiny that runs',
  variable: 'TINY_HOME',
  archive: { urls: [`${home}/tiny/tiny-1.0-bin.tgz`], digest: digestOf(packed) },
  maven: {
    dependencies: ['org.tiny:tiny-core:1.0', 'org.tiny:tiny-more:1.0'],
    exclusions: ['org.huge:huge'],
    jars: 'jars',
    files: { 'etc/RELEASE': 'Tiny 1.0\n' },
  },
  readVersion(folder) {
    if (!existsSync(join(folder, 'jars', 'tiny.jar'))) throw new Error('it has no jars/tiny.jar');
    return '1.0';
  },
  lacks: (folder) => (existsSync(join(folder, 'jars', 'more.jar')) ? [] : ['more']),
});

/** A folder with an engine. */
export async function putTiny(folder: string): Promise<string> {
  await mkdir(join(folder, 'jars'), { recursive: true });
  await writeFile(join(folder, 'jars', 'tiny.jar'), `in ${folder}`);
  return folder;
}

/** How engines are looked for, in places that only this test has. */
export async function createSearch() {
  const lines: string[] = [];
  const root = await temporaryFolder();
  const environment: Record<string, string> = { XDG_CACHE_HOME: root, HOME: '/nowhere' };
  const progress = createLineProgress((line) => void lines.push(line), awakeClock);
  const cache = join(root, 'dataprocessing-operator', 'engines');
  return { search: { environment, progress, clock: awakeClock }, cache, lines };
}

/** A Maven that copies one jar, or fails with this text. */
export async function putMaven(failure?: string): Promise<void> {
  const folder = await temporaryFolder();
  const copies = 'for each; do case "$each" in -DoutputDirectory=*) to="${each#*=}";; esac; done; mkdir -p "$to"';
  const script = failure === undefined ? `${copies}; echo maven > "$to/tiny.jar"` : `echo "${failure}"; exit 1`;
  await writeFile(join(folder, 'mvn'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'mvn'), 0o755);
  vi.stubEnv('PATH', [folder, '/usr/bin', '/bin'].join(delimiter));
}

/** A system without Maven, but with tar. */
export async function hideMaven(): Promise<void> {
  const folder = await temporaryFolder();
  for (const program of ['tar', 'gzip', 'sh']) {
    const file = join(folder, program);
    await writeFile(file, `#!/bin/sh\nPATH=/usr/bin:/bin exec ${program} "$@"\n`);
    await chmod(file, 0o755);
  }
  vi.stubEnv('PATH', folder);
}
