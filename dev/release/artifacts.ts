// What a release consists of: each artifact is a step that writes its files into the folder.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { renderKustomization } from '../demo/kustomization.ts';
import { chartFolder } from '../generate/chart.ts';
import { billOfMaterials, type LockFile } from '../image/packages.ts';
import { newestOf } from './changelog.ts';
import { findHelm } from './helm.ts';
import { writeKrewManifest, writePluginArchive } from './plugin.ts';

export interface Release {
  readonly root: string;
  /** It may not exist yet. */
  readonly folder: string;
  readonly version: string;
  readonly print: (line: string) => void;
  /** Where the files of the release can be downloaded; undefined: not known yet. */
  readonly downloadUrl?: string | undefined;
}

type Artifact = (release: Release) => Promise<void>;

const name = 'dataprocessing-operator';
const run = promisify(execFile);
const maxBuffer = 64 * 1024 ** 2;

/** The entry of the changelog. */
const notes: Artifact = async ({ root, folder }) => {
  const { text = '' } = newestOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8')) ?? {};
  await writeFile(join(folder, 'release-notes.md'), `${text}\n`);
};

/** What `kubectl apply --server-side -f` installs without a checkout. */
const manifests: Artifact = async ({ root, folder }) => {
  const files = { install: 'deploy', quickstart: 'deploy/quickstart', crds: 'crds' };
  for (const [file, source] of Object.entries(files)) {
    const rendered = await renderKustomization(join(root, source));
    const documents = rendered.map((each) => stringify(each, { lineWidth: 0, aliasDuplicateObjects: false }));
    await writeFile(join(folder, `${file}.yaml`), documents.join('---\n'));
  }
};

const chart: Artifact = async ({ root, folder, print }) => {
  const helm = await findHelm({ onProgress: print });
  await run(helm, ['package', join(root, chartFolder), '--destination', folder]);
};

/** The packages that both programs need. */
const packages: Artifact = async ({ root, folder, version }) => {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const bill = `${JSON.stringify(billOfMaterials(lock), null, 2)}\n`;
  await writeFile(join(folder, `${name}-${version}.cdx.json`), bill);
};

/** The plugin of kubectl, and the manifest with which Krew installs it, if it is known from where. */
export const plugin: Artifact = async ({ root, folder, version, downloadUrl, print }) => {
  const archive = await writePluginArchive(root, folder, version);
  if (downloadUrl !== undefined) return writeKrewManifest(folder, { version, name: archive, downloadUrl });
  print('without --download-url, there is no manifest for Krew');
};

/** An OCI archive of the image with the name that the manifests have, and the list of all that is in it. */
export const image: Artifact = async ({ root, folder, version }) => {
  const flags = ['--out', join(folder, `${name}-image-${version}.tar`)];
  await run('npm', ['run', '--silent', 'image', '--', ...flags], { cwd: root, maxBuffer });
};

const prepare: Artifact = async ({ folder }) => void (await mkdir(folder, { recursive: true }));

/** All but the image. */
export const artifacts: readonly Artifact[] = [prepare, notes, manifests, chart, plugin, packages];
