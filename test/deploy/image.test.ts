// What the image is made of: JavaScript in few files that runs without its sources, and no package that is not installed there.
import { copyFile, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readStart } from '../../dev/bench/image.ts';
import { help } from '../../src/operator/config.ts';
import { repository } from '../e2e/support/installation.ts';
import { runCommand } from '../support/command.ts';

test('the build runs from a folder of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'image-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const dist = join(folder, 'dist');
  const build = runCommand('npm', ['run', '--silent', 'build', '--', '--dir', dist]);
  expect(await build.ended).toMatchObject({ code: 0, output: '' });
  await copyFile(join(repository, 'package.json'), join(folder, 'package.json'));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));

  const { nodeFlags, environment } = await readStart();
  const operator = await runCommand(process.execPath, [...nodeFlags, join(dist, 'main.js'), '--help'], environment)
    .ended;
  expect(operator).toEqual({ code: 0, signal: null, output: help, errors: '' });
  const service = await runCommand(process.execPath, [join(dist, 'service', 'main.js'), '--help']).ended;
  expect([service.code, service.errors]).toEqual([0, '']);

  const { dependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    readonly dependencies: object;
  };
  const scripts = await scriptsOf(dist);
  // A start reads them all.
  expect(scripts.length).toBeLessThan(15);
  const packages = packagesOf(scripts);
  expect(packages).toContain('fastify');
  const needed = packages.filter((name) => !optionalPackages.includes(name));
  expect(needed.filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
});

/** Packages of the client library require these in a try, and do without them. */
const optionalPackages = ['supports-color', 'bufferutil', 'utf-8-validate'];

/** The text of each file that is built. */
async function scriptsOf(dist: string): Promise<readonly string[]> {
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
  return Promise.all(files.map(async (name) => readFile(join(dist, name), 'utf8')));
}

function packagesOf(scripts: readonly string[]): readonly string[] {
  const imported = scripts.flatMap((text) =>
    [...text.matchAll(/(?:^import .*from |\bimport\(|__require\()"([^".][^"]*)"/gm)].map(([, name]) => name),
  );
  const names = imported.map((name = '') => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names)].filter((name) => !isBuiltin(name));
}

describe('the Dockerfile', async () => {
  const lines = (await readFile(join(repository, 'Dockerfile'), 'utf8')).split('\n');
  const ignored = (await readFile(join(repository, '.dockerignore'), 'utf8')).split('\n');

  test('starts from the Node that the project runs on, pinned', async () => {
    const { devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
      readonly devDependencies: { readonly node: string };
    };
    expect(lines).toContain(`ARG NODE=node:${devDependencies.node}-bookworm-slim`);
    const stages = lines.filter((line) => line.startsWith('FROM '));
    // oxlint-disable-next-line no-template-curly-in-string -- a variable of Docker
    expect(stages.map((line) => line.split(' ')[1])).toEqual(['${NODE}', '${NODE}']);
  });

  test('ends as a user with a number that is not 0, with Node itself as the process', () => {
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last.find((line) => line.startsWith('USER '))).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
    expect(last.find((line) => line.startsWith('ENTRYPOINT '))).toMatch(
      /^ENTRYPOINT \["node", ("--[a-z0-9=-]+", )*"dist\/main\.js"\]$/,
    );
  });

  test('copies what .dockerignore lets through, and nothing else gets through', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(ignored).toContain('*');
    expect(ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))).toEqual(copied);
  });
});
