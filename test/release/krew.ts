// The validator of Krew in the pinned version, which judges manifests of plugins.
import { join } from 'node:path';
import { collect, listOf, whileFilling } from '../../dev/plane/binaries/binaries.ts';
import { KREW_VERSION, platformName } from '../../dev/plane/binaries/release.ts';
import { folderSource, goSource } from '../../dev/plane/binaries/sources.ts';
import { cacheRoot } from '../../src/lib/fetch/cache.ts';
import { type Ended, runCommand } from '../support/command.ts';

const name = 'validate-krew-manifest';

/** Its path. Undefined where it cannot be had: then skip. CI must not. */
export async function findValidator(environment: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const folder = join(cacheRoot(environment), 'krew', `${KREW_VERSION}-${platformName()}`);
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const sources = [folderSource('the cache', folder), goSource(folder, tell)];
  const { found, attempts } = await whileFilling(folder, tell, () => collect([name], sources, {}, tell));
  if (found[name] !== undefined) return found[name];
  const reason = `cannot find ${name} ${KREW_VERSION}: tried\n${listOf(attempts)}\nInstall Go 1.26 or newer.`;
  if ((environment['CI'] ?? '') !== '') throw new Error(reason);
  tell(`\nSKIPPING every test that needs the validator of Krew.\n${reason}\n`);
  return undefined;
}

/** It installs nothing, and so downloads nothing. */
export async function validate(validator: string | undefined, manifest: string): Promise<Ended> {
  return runCommand(validator ?? name, ['-skip-install', '-manifest', manifest]).ended;
}
