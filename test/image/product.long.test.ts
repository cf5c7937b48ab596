// The image as `npm run image` writes it: the same digest each time, and for each architecture what belongs there.
import { execFile } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Architecture } from '../../dev/image/debian.ts';
import { buildProduct } from '../../dev/image/product.ts';
import { temporaryFolder } from '../plane/support.ts';

const root = join(import.meta.dirname, '..', '..');
const architectures: readonly Architecture[] = ['amd64', 'arm64'];
/** In the header of a program, as the format of ELF numbers them. */
const machines = { amd64: 62, arm64: 183 } as const;
const run = promisify(execFile);

interface Descriptor {
  readonly digest: string;
  readonly platform?: { readonly architecture: Architecture };
}

interface Document {
  readonly architecture: Architecture;
  readonly config: Descriptor & Readonly<Record<string, unknown>>;
  readonly layers: readonly Descriptor[];
  readonly manifests: readonly Descriptor[];
}

async function unpack(file: string) {
  const folder = await temporaryFolder();
  await run('tar', ['-xf', file, '-C', folder]);
  const blob = ({ digest }: Descriptor): string => join(folder, 'blobs', digest.replace(':', '/'));
  const read = async (of: Descriptor): Promise<Document> => JSON.parse(await readFile(blob(of), 'utf8'));
  return { blob, read };
}

/** Which processor a program is for. */
async function machineOf(program: string): Promise<number> {
  const file = await open(program);
  try {
    const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0);
    expect(buffer.subarray(0, 4).toString('latin1')).toBe('\u007FELF');
    return buffer.readUInt16LE(18);
  } finally {
    await file.close();
  }
}

test('the image is the same each time, and has the programs of each architecture', async () => {
  const folder = await temporaryFolder();
  const build = async (name: string) => {
    const file = join(folder, name);
    return buildProduct({ root, name: 'localhost/product:1', architectures, file, print: () => undefined });
  };
  const [first, second] = [await build('first.tar'), await build('second.tar')];
  expect([second.digest, second.bom]).toEqual([first.digest, first.bom]);

  const { blob, read } = await unpack(first.file);
  const { manifests } = await read(first);
  expect(manifests.map(({ platform }) => platform?.architecture)).toEqual(architectures);
  for (const each of manifests) {
    const { config, layers } = await read(each);
    const { architecture, config: start } = await read(config);
    expect(architecture).toBe(each.platform?.architecture);
    expect(start).toMatchObject({ User: '65532:65532', WorkingDir: '/app' });
    expect(start['Entrypoint']).toEqual(['node', expect.any(String), expect.any(String), 'dist/main.js']);
    const [base, app] = layers;
    if (base === undefined || app === undefined || layers.length > 2) throw new Error('there are two layers');
    const content = join(folder, architecture);
    await mkdir(content);
    for (const layer of layers) await run('tar', ['-xzf', blob(layer), '-C', content]);
    expect(await machineOf(join(content, 'usr', 'local', 'bin', 'node'))).toBe(machines[architecture]);
    expect(await readFile(join(content, 'app', 'sbom.cdx.json'), 'utf8')).toBe(first.bom);
  }
});
