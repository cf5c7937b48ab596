// Starts the one cluster with a node that all tests of a run share, or uses the one in TEST_KUBECONFIG.
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findNodeBinaries } from '../../dev/plane/binaries/binaries.ts';
import { importImage } from '../../dev/plane/node/images.ts';
import { checkRequirements } from '../../dev/plane/node/requirements.ts';
import { type Plane, startPlane } from '../../dev/plane/plane.ts';
import { reasonOf } from '../../src/lib/errors.ts';
import { busyboxImage, findBusybox, writeBusyboxImage } from '../pods/support/busybox.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of an administrator, or '' where no pods can be had: then skip. */
    podsKubeconfig: string;
    /** The directory of the plane, or '' if the cluster is somebody else's. */
    podsDirectory: string;
    /** The address at which pods of our own node reach this computer, or ''. */
    podsHost: string;
    /** Has a shell and the usual small programs. */
    podsImage: string;
  }
}

/** A cluster of somebody else's pulls it, unless the variable names one that it has. */
const foreignImage = process.env['TEST_POD_IMAGE'] ?? 'docker.io/library/busybox:1.37';

let plane: Plane | undefined;

export async function setup(project: TestProject): Promise<void> {
  const given = process.env['TEST_KUBECONFIG'] ?? '';
  if (given === '' && (await canRunNode())) plane = await startOwn();
  project.provide('podsKubeconfig', plane?.kubeconfig ?? given);
  project.provide('podsDirectory', plane?.directory ?? '');
  project.provide('podsHost', plane?.node?.host ?? '');
  project.provide('podsImage', plane === undefined ? foreignImage : busyboxImage);
}

export async function teardown(): Promise<void> {
  await plane?.stop();
}

/** Skipped tests say nothing: a person may go on, CI must not. */
async function canRunNode(): Promise<boolean> {
  try {
    await checkRequirements();
    findBusybox();
    await findNodeBinaries({ onProgress: tell });
    return true;
  } catch (error) {
    if ((process.env['CI'] ?? '') !== '') throw error;
    tell(`\n${'!'.repeat(80)}\nSKIPPING every test that needs pods.\n${reasonOf(error)}\n${'!'.repeat(80)}\n`);
    return false;
  }
}

async function startOwn(): Promise<Plane> {
  const begun = performance.now();
  const started = await startPlane({ node: true, onProgress: tell });
  try {
    const archive = join(started.directory, 'busybox.tar');
    await writeBusyboxImage(archive);
    await importImage(started.directory, archive);
  } catch (error) {
    await started.stop();
    throw error;
  }
  tell(`the node runs pods after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return started;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
