// The image of the tests: BusyBox, a single program that is all the usual small ones.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Image, writeImage } from '../../../dev/image/oci.ts';
import type { TarEntry } from '../../../dev/image/tar.ts';

export const busyboxImage = 'localhost/busybox:1';

/** Where distributions put the static one. */
const programs = ['/bin/busybox', '/usr/bin/busybox', '/usr/sbin/busybox', '/bin/busybox.static'];

/** Throws, with the remedy, if this computer has none. */
export function findBusybox(): string {
  const found = programs.find(existsSync);
  if (found !== undefined) return found;
  throw new Error('cannot make the image of the tests: on Debian and Ubuntu, run apt-get install busybox-static');
}

export async function writeBusyboxImage(file: string): Promise<void> {
  const source = findBusybox();
  const applets = execFileSync(source, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  await writeImage(imageOf(source, applets), file);
}

function imageOf(source: string, applets: readonly string[]): Image {
  const links = applets.filter((name) => name !== 'busybox');
  const layer: readonly TarEntry[] = [
    { kind: 'folder', path: 'bin' },
    { kind: 'copy', path: 'bin/busybox', source, mode: 0o755 },
    ...links.map((name) => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' }) as const),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
  ];
  return { name: busyboxImage, layers: [layer], config: { Env: ['PATH=/bin'], Cmd: ['sh'], User: '65532:65532' } };
}
