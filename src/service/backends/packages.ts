// How jobs get packages, wherever they run.
import { packageCache } from '../engines/homes/find.ts';
import type { InstallInput } from '../engines/homes/install.ts';
import { PackageCache } from '../engines/packages/package-cache.ts';
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
