// The built plugin on another Node than the one that it needs.
import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runCommand } from '../support/command.ts';

const root = join(import.meta.dirname, '..', '..');
const needed = Number.parseInt(packageJson.engines.node.replace('>=', ''), 10);
let folder = '';
let plugin = '';

beforeAll(async () => {
  // Within the project, whose package.json has the version.
  await mkdir(join(root, 'dist'), { recursive: true });
  folder = await mkdtemp(join(root, 'dist', '.plugin-'));
  plugin = join(folder, 'kubectl-dataprocessing.js');
  const rolldown = join(root, 'node_modules/.bin/rolldown');
  await promisify(execFile)(rolldown, ['--config', 'rolldown.config.ts', '--dir', folder], { cwd: root });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const refusal = (version: string) =>
  new RegExp(`^error: kubectl dataprocessing needs Node\\.js ${needed} or newer, and \\S+ is ${version}\\. .*\\n$`);

test('starts on the Node that it needs', async () => {
  const { code, output, errors } = await runCommand(process.execPath, [plugin, 'version']).ended;
  expect([code, output, errors]).toEqual([0, `${packageJson.version}\n`, '']);
});

test('says which Node it needs, in one line, on one that is older by its version alone', async () => {
  const version = `${needed - 1}.9.0`;
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, plugin, 'logs', 'x'];
  const { code, output, errors } = await runCommand(process.execPath, args).ended;
  expect([code, output, errors]).toEqual([1, '', expect.stringMatching(refusal(version))]);
});

test('its first file imports nothing before it knows the version', async () => {
  expect(await readFile(plugin, 'utf8')).not.toMatch(/^\s*import\b|\bawait\b/m);
});

/** Those of the PATH that are too old for the project. */
async function oldNodes(): Promise<readonly (readonly [path: string, version: string])[]> {
  const paths = new Set((process.env['PATH'] ?? '').split(delimiter).map((each) => join(each, 'node')));
  const all = [...paths].map(async (path) => {
    const isProgram = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isProgram) return [];
    const { stdout } = await promisify(execFile)(path, ['-p', 'process.versions.node']);
    return Number.parseInt(stdout, 10) < needed ? [[path, stdout.trim()] as const] : [];
  });
  return (await Promise.all(all)).flat();
}

test('says the same on each real Node of this computer that is older', async ({ skip }) => {
  const nodes = await oldNodes();
  if (nodes.length === 0) skip('no older Node is installed');
  for (const [path, version] of nodes) {
    const { code, output, errors } = await runCommand(path, [plugin, 'version']).ended;
    expect([code, output, errors]).toEqual([1, '', expect.stringMatching(refusal(version))]);
  }
});
