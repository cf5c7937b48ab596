// The list of everything in the image: a software bill of materials in the format of CycloneDX 1.5.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DebianPackage } from './debian.ts';
import { billOfMaterials, type LockFile } from './packages.ts';

interface Contents {
  /** The folder with the lock file. */
  readonly root: string;
  readonly node: string;
  /** Of one that is installed already, the digest of its file is not known. */
  readonly packages: readonly (Omit<DebianPackage, 'sha256'> & Partial<DebianPackage>)[];
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':');

const debianComponent = ({ name, version, architecture, sha256 }: Contents['packages'][number]) => {
  const purl = `pkg:deb/debian/${encode(name)}@${encode(version)}?arch=${architecture}`;
  const hashes = sha256 === undefined ? [] : [{ alg: 'SHA-256', content: sha256 }];
  return { type: 'library', 'bom-ref': purl, name, version, purl, ...(hashes.length > 0 && { hashes }) };
};

/** The same contents give the same text: the time is not in it, and the serial number follows from the components. */
export async function writeBom({ root, node, packages }: Contents): Promise<string> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const bill = billOfMaterials(lock);
  const runtime = { type: 'platform', 'bom-ref': `pkg:generic/node@${node}`, name: 'node', version: node };
  const all = [...bill.components, { ...runtime, purl: `pkg:generic/node@${node}` }, ...packages.map(debianComponent)];
  const digest = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  const parts = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  const serial = `${parts[1]}-${parts[2]}-5${parts[3]}-8${parts[4]}-${parts[5]}`;
  const bom = {
    ...bill,
    serialNumber: `urn:uuid:${serial}`,
    components: all,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}
