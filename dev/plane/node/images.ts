// The images of a node: two for itself, and any other from an OCI archive. There is no registry.
import { join } from 'node:path';
import { type Image, writeImage } from '../../image/oci.ts';
import type { NodeBinaries } from '../binaries/binaries.ts';
import { nodeFilesOf } from './files.ts';
import { runInNode } from './namespaces.ts';
import { CONTAINERD_SOCKET } from './settings.ts';

/** Speed matters more than size for what is imported at once. */
const FAST = 1;

const nobody = 65532;

const programImage = (name: string, program: string): Image => ({
  name: `localhost/${name}:1`,
  layers: [[{ kind: 'copy', path: name, source: program, mode: 0o755 }]],
  config: { Entrypoint: [`/${name}`], User: `${nobody}:${nobody}` },
  compression: FAST,
});

/** Imports what pods and their names depend on. */
export async function importOwnImages(directory: string, binaries: NodeBinaries): Promise<void> {
  for (const name of ['pause', 'coredns'] as const) {
    const file = join(nodeFilesOf(directory).images, `${name}.tar`);
    await writeImage(programImage(name, binaries[name]), file);
    await importImage(directory, file);
  }
}

/**
 * Makes the images of an OCI archive usable in pods of the node, in any process that can read the `directory` of the plane.
 *
 * Names should begin with `localhost/`, and pods should have `imagePullPolicy: Never`, so that nobody asks a registry.
 */
export async function importImage(directory: string, archive: string): Promise<void> {
  await runInNode(directory, [
    'ctr',
    '--address',
    CONTAINERD_SOCKET,
    '--namespace',
    'k8s.io',
    'images',
    'import',
    archive,
  ]);
}
