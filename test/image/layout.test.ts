// Both ways to build the image give the same layout: that of the Dockerfile, and that without a container engine.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readStart } from '../../dev/bench/image.ts';
import { accounts, appLayer, configOf } from '../../dev/image/product.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../plane/support.ts';

const root = join(import.meta.dirname, '..', '..');
const dockerfile = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll(/\\\n\s*/g, '').split('\n');
const [build, last] = [
  dockerfile.slice(0, dockerfile.lastIndexOf('FROM ${NODE}')),
  dockerfile.slice(dockerfile.lastIndexOf('FROM ${NODE}')),
];

/** What follows a word at the start of a line of the last stage. */
const instructions = (word: string): readonly string[] =>
  last.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));

/** An installation as npm and the build leave it. */
async function placeApp(): Promise<string> {
  const app = await temporaryFolder();
  for (const folder of ['node_modules/yaml', 'dist/service']) await mkdir(join(app, folder), { recursive: true });
  const files = ['package.json', 'package-lock.json', '.npmrc', 'node_modules/.package-lock.json'];
  for (const file of [...files, 'node_modules/yaml/index.js', 'dist/main.js', 'dist/service/main.js'])
    await writeFile(join(app, file), '');
  return app;
}

describe('the image without a container engine', () => {
  test('has the files of the Dockerfile, and no others', async () => {
    const files: string[] = [];
    for await (const { kind, path } of appLayer(await placeApp(), 'list')) if (kind !== 'folder') files.push(path);
    const copied = instructions('COPY').flatMap((line) => line.split(' ').slice(1, -1));
    const names = files.map((path) => path.split('/')[1] ?? '');
    expect([...new Set(names)].toSorted()).toEqual(copied.map((path) => path.replace('/build/', '')).toSorted());
    expect(files).not.toContain('app/node_modules/.package-lock.json');
    expect(build.join('\n')).toContain(' && rm node_modules/.package-lock.json ');
  });

  test('has the accounts of the Dockerfile, so the user has a name', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'etc'));
    const [command = ''] = instructions('RUN').filter((line) => line.includes('/etc/'));
    await promisify(execFile)('/bin/sh', ['-ec', command.replaceAll(' /etc/', ` ${folder}/etc/`)]);
    for (const [path, content] of Object.entries(accounts))
      expect(await readFile(join(folder, path), 'utf8'), path).toBe(content);
    const [user = ''] = instructions('USER')[0]?.split(':') ?? [];
    expect(accounts['etc/passwd']).toMatch(new RegExp(`^\\w+:x:${user}:`, 'm'));
  });

  test('has the configuration of the Dockerfile', async () => {
    const { Env = [], ...config } = configOf(await readStart());
    expect(config).toEqual({
      Entrypoint: JSON.parse(instructions('ENTRYPOINT')[0] ?? ''),
      User: instructions('USER')[0],
      WorkingDir: instructions('WORKDIR')[0],
      ExposedPorts: Object.fromEntries(instructions('EXPOSE').map((port) => [`${port}/tcp`, {}])),
    });
    // The others are of the base: where programs and the authorities are.
    const variables = instructions('ENV').flatMap((line) => line.split(' '));
    expect(Env.filter((each) => !/^(PATH|SSL_CERT_FILE)=/.test(each))).toEqual(variables);
  });
});

test('the build of the Dockerfile lists the packages of npm, Node, and those of its base', async ({ skip }) => {
  const command = /node (dev\/image\/\S+) > sbom\.cdx\.json$/m.exec(build.join('\n'))?.[1] ?? '';
  const run = promisify(execFile);
  const known = await run('dpkg-query', ['--show', 'dpkg']).catch(() => skip('there is no dpkg'));
  const version = known.stdout.trim().split('\t')[1];
  const options = { cwd: root, maxBuffer: 64 * 1024 ** 2 };
  const { stdout } = await run(process.execPath, [command], options);
  const { components } = JSON.parse(stdout) as { readonly components: readonly object[] };
  expect(components).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'zod', version: packageJson.dependencies.zod }),
      expect.objectContaining({ name: 'node', version: process.versions.node }),
      expect.objectContaining({ name: 'dpkg', version }),
    ]),
  );
});
