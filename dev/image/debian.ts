// The parts of Debian that an image is based on: packages without what only people read, unpacked into a folder.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run.ts';

/** In the words of Debian, which are those of images. */
export type Architecture = 'amd64' | 'arm64';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Of the package file. */
  readonly sha256: string;
}

/** Whether a path of a package belongs into an image. */
export const isNeeded = (path: string): boolean =>
  !/^usr\/(share\/(doc|man|locale|lintian|gcc|bug)|sbin)(\/|$)|gconv|^(sbin|etc\/ca-certificates)(\/|$)/.test(path);

export interface PackageChoice {
  readonly architecture: Architecture;
  readonly names: readonly string[];
  /** Also everything that these depend on. */
  readonly withDependencies?: boolean;
}

/**
 * Fetches packages with the package sources of this computer, whose signatures apt verifies, and unpacks them into `root`. Their scripts do not run. Rejects
 * with the remedy where there is no apt.
 */
export async function unpackDebian(
  root: string,
  work: string,
  { architecture, names, withDependencies = false }: PackageChoice,
): Promise<readonly DebianPackage[]> {
  const files = join(work, 'apt', 'cache', 'archives');
  const apt = await prepareApt(work, architecture);
  await apt('update').catch((cause: unknown) => {
    const remedy = 'apt-get is needed, on Debian or Ubuntu; use the Dockerfile elsewhere';
    throw new Error(`cannot fetch packages for an image: ${remedy}`, { cause });
  });
  const how = withDependencies ? ['--yes', '--download-only', '--no-install-recommends', 'install'] : ['download'];
  await apt(...how, ...names);
  const found = (await readdir(files)).filter((name) => name.endsWith('.deb')).sort();
  const packages: DebianPackage[] = [];
  for (const name of found) {
    const file = join(files, name);
    await runCommand('dpkg-deb', ['--extract', file, root]);
    packages.push({
      ...(await fieldsOf(file)),
      sha256: createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    });
  }
  return packages;
}

/** An apt that knows nothing of what is installed here. */
async function prepareApt(work: string, architecture: Architecture) {
  const state = join(work, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    await mkdir(join(state, folder), { recursive: true });
  await writeFile(join(state, 'status'), '');
  const settings = Object.entries({
    'Dir::State': state,
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': join(state, 'cache'),
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': '',
  }).map(([name, value]) => `-o${name}=${value}`);
  return (...args: readonly string[]): Promise<string> =>
    runCommand('apt-get', [...settings, '--quiet', ...args], { cwd: join(state, 'cache', 'archives') });
}

async function fieldsOf(file: string): Promise<Omit<DebianPackage, 'sha256'>> {
  const text = await runCommand('dpkg-deb', ['--field', file, 'Package', 'Version', 'Architecture']);
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  return { name: field('Package'), version: field('Version'), architecture: field('Architecture') };
}

/** The package ca-certificates makes this file when it is installed. */
export async function writeAuthorities(root: string): Promise<void> {
  const folder = join(root, 'usr', 'share', 'ca-certificates', 'mozilla');
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  await mkdir(join(root, 'etc', 'ssl', 'certs'), { recursive: true });
  await writeFile(join(root, 'etc', 'ssl', 'certs', 'ca-certificates.crt'), texts.join(''));
}
