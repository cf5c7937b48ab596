// The image of the operator and the bundled service, of the same layout as that of the Dockerfile.
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readStart } from '../bench/image.ts';
import { type Architecture, isNeeded, unpackDebian, writeAuthorities } from './debian.ts';
import { entriesOf } from './folder.ts';
import { type Image, writeImages } from './oci.ts';
import { runCommand } from './run.ts';
import { writeBom } from './sbom.ts';
import type { TarEntry } from './tar.ts';

export interface ProductImage {
  readonly file: string;
  readonly digest: string;
  readonly bom: string;
}

interface Product {
  /** The repository. */
  readonly root: string;
  readonly name: string;
  readonly architectures: readonly Architecture[];
  /** Where the archive is written. */
  readonly file: string;
  readonly print: (line: string) => void;
}

/** npm's words for architectures. */
const npmNames = { amd64: 'x64', arm64: 'arm64' } as const;
const user = 65532;

/** What Node needs, and the authorities that sign certificates. */
const basePackages = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'ca-certificates'];

/** The accounts, by path. */
export const accounts = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${user}:${user}:nonroot:/home/nonroot:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nnonroot:x:${user}:\n`,
} as const;

/** Writes the archive. The same sources, packages and Node give the same digest. */
export async function buildProduct(product: Product): Promise<ProductImage> {
  const { root, name, architectures, file, print } = product;
  await mkdir(join(root, 'dist'), { recursive: true });
  const work = await mkdtemp(join(root, 'dist', '.image-'));
  try {
    print('building the programs');
    const app = await buildApp(root, work);
    const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      readonly devDependencies: { readonly node: string };
    };
    const bases = [];
    for (const architecture of architectures) {
      print(`fetching the base and Node for ${architecture}`);
      bases.push({ architecture, ...(await buildBase(join(work, architecture), architecture, devDependencies.node)) });
    }
    const packages = bases.flatMap((base) => base.packages);
    const bom = await writeBom({ root, node: devDependencies.node, packages });
    print('writing the image');
    const start = await readStart();
    const images = bases.map(
      ({ architecture, folder }): Image => ({
        name,
        architecture,
        layers: [layerOf(folder), appLayer(app, bom)],
        config: configOf(start),
      }),
    );
    return { file, digest: await writeImages(images, file), bom };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** As the Dockerfile does it. */
async function buildApp(root: string, work: string): Promise<string> {
  const app = join(work, 'app');
  await mkdir(app);
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) await cp(join(root, name), join(app, name));
  await runCommand('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: app });
  await runCommand('npm', ['run', '--silent', 'build', '--', '--dir', join(app, 'dist')], { cwd: root });
  return app;
}

async function buildBase(work: string, architecture: Architecture, node: string) {
  const folder = join(work, 'root');
  await mkdir(folder, { recursive: true });
  const packages = await unpackDebian(folder, work, { architecture, names: basePackages });
  await writeAuthorities(folder);
  const spec = `node-linux-${npmNames[architecture]}@${node}`;
  // npm verifies the digest that the registry names.
  const text = await runCommand('npm', ['pack', '--json', '--pack-destination', work, spec], { cwd: work });
  const [packed] = JSON.parse(text) as readonly { readonly filename: string }[];
  if (packed === undefined) throw new Error(`npm has no ${spec}`);
  await runCommand('tar', ['-xzf', join(work, packed.filename), '-C', work, 'package/bin/node']);
  await mkdir(join(folder, 'usr', 'local', 'bin'), { recursive: true });
  await cp(join(work, 'package', 'bin', 'node'), join(folder, 'usr', 'local', 'bin', 'node'));
  return { folder, packages };
}

async function* layerOf(folder: string): AsyncGenerator<TarEntry> {
  yield* entriesOf(folder, { includes: isNeeded });
  yield { kind: 'folder', path: 'tmp', mode: 0o1777 };
  for (const [path, content] of Object.entries(accounts)) yield { kind: 'file', path, content };
}

export async function* appLayer(app: string, bom: string): AsyncGenerator<TarEntry> {
  // The lock file of the installation holds what differs between versions of npm.
  const includes = (path: string) => !/^(package-lock\.json|\.npmrc|node_modules\/\.package-lock\.json)$/.test(path);
  yield* entriesOf(app, { at: 'app', includes });
  yield { kind: 'file', path: 'app/sbom.cdx.json', content: bom };
}

export const configOf = ({ nodeFlags, environment }: Awaited<ReturnType<typeof readStart>>): Image['config'] => ({
  Entrypoint: ['node', ...nodeFlags, 'dist/main.js'],
  Env: [
    'PATH=/usr/local/bin:/usr/bin:/bin',
    'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ],
  User: `${user}:${user}`,
  WorkingDir: '/app',
  ExposedPorts: { '8081/tcp': {} },
});
