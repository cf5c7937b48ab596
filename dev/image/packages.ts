// The npm packages that the programs need, from the lock file, as a software bill of materials (CycloneDX 1.5). PURE.
//
// Not by `npm sbom --omit dev`: it leaves out every package that a development dependency needs as well, such as zod.

interface Locked {
  readonly version: string;
  readonly license?: string;
  /** Such as sha512-… in base64. */
  readonly integrity?: string;
  readonly dev?: boolean;
}

export interface LockFile {
  readonly name: string;
  readonly version: string;
  /** By folder. That of the project has the empty path. */
  readonly packages: Readonly<Record<string, Locked>>;
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

export interface Bill {
  readonly metadata: { readonly component: object };
  readonly components: readonly object[];
  readonly [field: string]: unknown;
}

export function billOfMaterials({ name, version, packages }: LockFile): Bill {
  const needed = Object.entries(packages)
    .filter(([path, each]) => path !== '' && each.dev !== true)
    .map(([path, each]) => componentOf(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), each));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': purlOf(name, version), name, version } },
    // A package can be there in several folders.
    components: [...new Map(needed.map((each) => [each.purl, each])).values()],
  };
}

interface Component {
  readonly purl: string;
  readonly [field: string]: unknown;
}

function componentOf(name: string, { version, license, integrity }: Locked): Component {
  const purl = purlOf(name, version);
  const [, algorithm, digest = ''] = /^(sha\d+)-(.*)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(algorithm !== undefined && {
      hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
  };
}
