// Starts the one API server that all tests of a run share, each in a namespace of its own.
import type { TestProject } from 'vitest/node';
import { findBinaries } from '../../dev/plane/binaries/binaries.ts';
import { type Plane, startPlane } from '../../dev/plane/plane.ts';
import { reasonOf } from '../../src/lib/errors.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the administrator's kubeconfig, or '' where no API server can be had: then skip. */
    kubeconfig: string;
    /** The directory of the shared plane, for `writeKubeconfig` of dev/plane/keys/kubeconfig.ts; or ''. */
    planeDirectory: string;
  }
}

let plane: Plane | undefined;

export async function setup(project: TestProject): Promise<void> {
  if (!(await haveBinaries())) {
    project.provide('kubeconfig', '');
    project.provide('planeDirectory', '');
    return;
  }
  plane = await startPlane({ onProgress: tell });
  project.provide('kubeconfig', plane.kubeconfig);
  project.provide('planeDirectory', plane.directory);
}

export async function teardown(): Promise<void> {
  await plane?.stop();
}

/** Without an API server half of the tests say nothing: a person may go on, CI must not. */
async function haveBinaries(): Promise<boolean> {
  try {
    // The controller manager is for few tests, whose time limits are shorter than its build.
    await findBinaries({ controllerManager: true, onProgress: tell });
    return true;
  } catch (error) {
    if ((process.env['CI'] ?? '') !== '') throw error;
    tell(`\n${'!'.repeat(80)}\nSKIPPING every test that needs an API server.\n${reasonOf(error)}\n${'!'.repeat(80)}\n`);
    return false;
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
