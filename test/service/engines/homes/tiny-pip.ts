// The tiny engine as the Python package index publishes it, and a real pip that installs it from a folder.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PipPackage } from '../../../../src/service/engines/homes/engine-source.ts';
import { temporaryFolder } from '../../../plane/support.ts';

/** The part of a build backend that pip asks for metadata. Building anything fails. */
const backend = `
import os
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    os.mkdir(os.path.join(folder, "tinyspark-1.0.dist-info"))
    with open(os.path.join(folder, "tinyspark-1.0.dist-info", "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\\nName: tinyspark\\nVersion: 1.0\\n")
    return "tinyspark-1.0.dist-info"
`;
const project = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n';

const files: Readonly<Record<string, string>> = {
  'pyproject.toml': project,
  'backend.py': backend,
  'PKG-INFO': 'Metadata-Version: 2.1\nName: tinyspark\nVersion: 1.0\n',
  'deps/jars/tiny.jar': 'from pip',
  'deps/jars/more.jar': 'more',
  'deps/jars/shell/huge.jar': 'huge',
  'deps/bin/tiny': '#!/bin/sh\n',
  'deps/examples/example.py': '',
  'tiny/sql.py': 'pass\n',
};

interface Published {
  readonly pip: PipPackage;
  /** The environment in which pip sees nothing else. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Publishes the package in a folder. */
export async function publishTiny(): Promise<Published> {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'tinyspark-1.0', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, path.startsWith('deps/bin/') ? 0o755 : 0o644);
  }
  const archive = join(folder, 'tinyspark-1.0.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', folder, 'tinyspark-1.0']);
  const bytes = await readFile(archive);
  const pip: PipPackage = {
    name: 'tinyspark',
    version: '1.0',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    places: { 'deps/jars': 'jars', 'deps/bin': 'bin', tiny: 'python/tiny' },
    without: ['deps/jars/shell'],
    files: { RELEASE: 'Tiny 1.0\n' },
  };
  return { pip, settings: { PIP_CONFIG_FILE: '/dev/null', PIP_NO_INDEX: '1', PIP_FIND_LINKS: folder } };
}
