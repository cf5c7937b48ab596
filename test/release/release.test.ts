// The whole release, without publishing it: the folder is complete, its digests are right, and the chart in it renders.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { renderKustomization } from '../../dev/demo/kustomization.ts';
import { newestOf } from '../../dev/release/changelog.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { repository } from '../e2e/support/installation.ts';
import { runCommand } from '../support/command.ts';
import { helm, runHelm } from '../support/kubernetes/helm.ts';

const { version } = packageJson;
/** Its first line asks the PATH for Node. */
const withNode = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };

async function unpackPlugin(archive: string, to: string): Promise<void> {
  expect(await runCommand('tar', ['-xzf', archive, '-C', to]).ended).toMatchObject({ code: 0, errors: '' });
}

test.skipIf(helm === undefined)('npm run release -- --dry-run', async () => {
  const downloadUrl = 'https://example.com/releases/';
  const base = await mkdtemp(join(tmpdir(), 'release-'));
  onTestFinished(async () => rm(base, { recursive: true }));
  const folder = join(base, 'out');
  const script = packageJson.scripts.release.split(' ').slice(1);
  // The image is a matter of minutes, and has tests of its own.
  const args = [...script, '--dry-run', '--without-image', '--out', folder, '--download-url', downloadUrl];
  const { code, output, errors } = await runCommand(process.execPath, args).ended;
  expect([code, errors]).toEqual([0, '']);
  expect(output).toContain(`${folder} has all of ${version}`);

  const chart = `dataprocessing-operator-${version}.tgz`;
  const files = ['crds.yaml', `dataprocessing-operator-${version}.cdx.json`, chart, 'install.yaml', 'quickstart.yaml'];
  const archive = `kubectl-dataprocessing-${version}.tar.gz`;
  const names = [...files, 'dataprocessing.yaml', archive, 'release-notes.md'].toSorted();
  expect((await readdir(folder)).toSorted()).toEqual(['SHA256SUMS', ...names]);
  const read = async (name: string) => readFile(join(folder, name));
  const digests = names.map(
    async (name) =>
      `${createHash('sha256')
        .update(await read(name))
        .digest('hex')}  ${name}\n`,
  );
  expect(String(await read('SHA256SUMS'))).toBe((await Promise.all(digests)).join(''));

  await unpackPlugin(join(folder, archive), base);
  const told = await runCommand(join(base, 'kubectl-dataprocessing.js'), ['version'], withNode).ended;
  expect(told).toMatchObject({ code: 0, output: `${version}\n`, errors: '' });
  expect(parse(String(await read('dataprocessing.yaml')))).toMatchObject({
    kind: 'Plugin',
    metadata: { name: 'dataprocessing' },
    spec: {
      version: `v${version}`,
      platforms: [
        {
          uri: `https://example.com/releases/${archive}`,
          sha256: createHash('sha256')
            .update(await read(archive))
            .digest('hex'),
          bin: 'kubectl-dataprocessing.js',
        },
      ],
    },
  });

  const rendered = await runHelm('template', 'operator', join(folder, chart), '--set', 'watchAllNamespaces=true');
  expect([rendered.code, rendered.output]).toEqual([0, expect.stringContaining(`dataprocessing-operator:${version}`)]);
  const installed = parseAllDocuments(String(await read('install.yaml'))).map((document) => document.toJS() as unknown);
  expect(installed).toEqual(await renderKustomization(join(repository, 'deploy')));
  const bill = JSON.parse(String(await read(`dataprocessing-operator-${version}.cdx.json`))) as {
    readonly components: readonly { readonly name: string }[];
  };
  const packages = bill.components.map(({ name }) => name);
  expect(packages).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)));
  // Other packages, which those need, and none for development.
  expect(packages).toContain('ajv');
  expect(packages.filter((each) => ['vitest', 'typescript', 'rolldown', 'oxlint'].includes(each))).toEqual([]);
  const changelog = await readFile(join(repository, 'CHANGELOG.md'), 'utf8');
  expect(String(await read('release-notes.md')).trim()).toBe(newestOf(changelog)?.text);
});
