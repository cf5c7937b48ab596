// The list of everything in the image: a software bill of materials in the format of CycloneDX 1.5.
import { createHash } from 'node:crypto';
import type { DebianPackage } from './debian.ts';
import { runCommand } from './run.ts';

interface Bom {
  readonly metadata: { readonly component: object };
  readonly components: readonly object[];
  readonly dependencies: readonly object[];
}

interface Contents {
  /** The folder with the lock file. */
  readonly root: string;
  readonly node: string;
  readonly packages: readonly DebianPackage[];
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':');

const debianComponent = ({ name, version, architecture, sha256 }: DebianPackage) => {
  const purl = `pkg:deb/debian/${encode(name)}@${encode(version)}?arch=${architecture}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl, hashes: [{ alg: 'SHA-256', content: sha256 }] };
};

/** The same contents give the same text: the time is not in it, and the serial number follows from the components. */
export async function writeBom({ root, node, packages }: Contents): Promise<string> {
  const args = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx'];
  const { metadata, components, dependencies } = JSON.parse(await runCommand('npm', args, { cwd: root })) as Bom;
  const runtime = { type: 'platform', 'bom-ref': `pkg:generic/node@${node}`, name: 'node', version: node };
  const all = [...components, { ...runtime, purl: `pkg:generic/node@${node}` }, ...packages.map(debianComponent)];
  const digest = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  const parts = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  const serial = `${parts[1]}-${parts[2]}-5${parts[3]}-8${parts[4]}-${parts[5]}`;
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: { component: metadata.component },
    components: all,
    dependencies,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}
