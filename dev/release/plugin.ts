// The plugin of kubectl as an archive, and the manifest with which Krew installs it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { stringify } from 'yaml';
import { fileDigest } from '../../src/lib/fetch/file-digest.ts';
import { entriesOf } from '../image/folder.ts';
import { type TarEntry, writeTar } from '../image/tar.ts';

export const pluginName = 'kubectl-dataprocessing';
const program = `${pluginName}.js`;

/** Writes the archive below `folder`, and returns its name. The same sources and packages give the same bytes. */
export async function writePluginArchive(root: string, folder: string, version: string): Promise<string> {
  const built = await mkdtemp(join(tmpdir(), 'plugin-build-'));
  try {
    await build(root, built);
    const entries = await collect(entriesOf(built));
    const files: readonly TarEntry[] = [
      ...entries.map((entry) => (entry.path === program ? { ...entry, mode: 0o755 } : entry)),
      // Where the plugin reads its version, and Node that its files are modules.
      { kind: 'file', path: 'package.json', content: JSON.stringify({ name: pluginName, version, type: 'module' }) },
      { kind: 'copy', path: 'LICENSE', source: join(root, 'LICENSE'), mode: 0o644 },
    ];
    const name = `${pluginName}-${version}.tar.gz`;
    await writeFile(join(folder, name), gzipSync(Buffer.concat(await collect(writeTar(files)))));
    return name;
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** As rolldown.config.ts, with the plugin alone. */
async function build(root: string, dir: string): Promise<void> {
  const bundle = await rolldown({
    input: { [pluginName]: join(root, 'src/cli/launch-plugin.ts') },
    cwd: root,
    platform: 'node',
  });
  try {
    await bundle.write({ dir, format: 'esm' });
  } finally {
    await bundle.close();
  }
}

interface KrewInput {
  readonly version: string;
  /** Of the archive. */
  readonly name: string;
  readonly sha256: string;
  /** The folder in which the files of the release can be downloaded. */
  readonly downloadUrl: string;
}

const description = `kubectl dataprocessing explains why a cluster or a job is not ready, gives an overview
of a namespace, runs jobs and prints their output, lists what is in a service and
belongs to no resource, writes manifests that adopt it, and checks an installation.
`;

const caveats = `The plugin needs Node.js 24 or newer as "node" in the PATH.
`;

/** The manifest for an index of Krew. PURE. */
export function krewManifest({ version, name, sha256, downloadUrl }: KrewInput): string {
  const base = downloadUrl.replace(/\/+$/, '');
  const operator = { key: 'os', operator: 'In', values: ['darwin', 'linux'] };
  return stringify(
    {
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'dataprocessing' },
      spec: {
        version: `v${version}`,
        homepage: base,
        shortDescription: 'Explain and run data-processing clusters and jobs',
        description,
        caveats,
        platforms: [
          {
            selector: { matchExpressions: [operator] },
            uri: `${base}/${name}`,
            sha256,
            files: [{ from: '*', to: '.' }],
            bin: program,
          },
        ],
      },
    },
    { lineWidth: 0 },
  );
}

/** Writes `dataprocessing.yaml` for the archive below `folder`. */
export async function writeKrewManifest(folder: string, input: Omit<KrewInput, 'sha256'>): Promise<void> {
  const sha256 = await fileDigest(join(folder, input.name));
  await writeFile(join(folder, 'dataprocessing.yaml'), krewManifest({ ...input, sha256 }));
}
