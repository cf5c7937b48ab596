// How jobs get packages, wherever they run.
import { environmentCache, packageCache } from '../engines/homes/find.ts';
import type { InstallInput } from '../engines/homes/install.ts';
import type { Python } from '../engines/homes/python.ts';
import { PackageCache } from '../engines/packages/package-cache.ts';
import { PythonEnvironments } from '../engines/packages/python-environments.ts';
import type { Suppliers } from './runs/supplies.ts';

/** What users do who have no index of Python packages. */
export const archiveRemedy = 'name a wheel, a pex or a zip archive with the packages in edp.python.requirements';

export function packagesFor(
  { 'maven-repository': repository }: { readonly 'maven-repository': string | undefined },
  { environment, progress, clock }: Omit<InstallInput, 'cache'>,
): Suppliers['packages'] {
  if (repository === undefined) return 'start the service with --maven-repository URL, or name jars in libs';
  return new PackageCache({ cache: packageCache(environment), environment, progress, clock, repository });
}

/** `findPython` returns the interpreter that has pip, if there is one where the service runs. */
export function environmentsFor(
  { 'python-index': index }: { readonly 'python-index': string | undefined },
  { environment, progress, clock }: Omit<InstallInput, 'cache'>,
  findPython: () => Python | undefined,
): Suppliers['environments'] {
  if (index === undefined) return `start the service with --python-index URL, or ${archiveRemedy}`;
  const python = findPython();
  if (python === undefined) return `install python3 with pip, and restart the service, or ${archiveRemedy}`;
  return new PythonEnvironments({ cache: environmentCache(environment), environment, progress, clock, index, python });
}
