// Writes the image of the operator and the bundled service, without a daemon or a registry.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { reasonOf } from '../src/lib/errors.ts';
import type { Architecture } from './image/debian.ts';
import { buildProduct } from './image/product.ts';

const HELP = `Usage: npm run image [-- OPTIONS]

Writes an OCI archive of the operator and the bundled service for amd64 and arm64, and beside it the list of what is in it
(CycloneDX). The same sources give the same digest. It needs apt (Debian or Ubuntu) and npm, and no container engine. To use
the image:

  docker load --input FILE          podman load --input FILE        kind load image-archive FILE
  ctr --namespace k8s.io images import FILE
  skopeo copy oci-archive:FILE docker://REGISTRY/NAME:TAG

Options:
  --name <reference>  the name in the archive (localhost/dataprocessing-operator:VERSION)
  --arch <list>       architectures, separated by commas: amd64, arm64 (both)
  --out <file>        the archive (dist/image/dataprocessing-operator-VERSION.tar)
  --help              show this text
`;

const known: readonly string[] = ['amd64', 'arm64'];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string', default: `localhost/dataprocessing-operator:${manifest.version}` },
      arch: { type: 'string', default: known.join(',') },
      out: { type: 'string', default: join('dist', 'image', `dataprocessing-operator-${manifest.version}.tar`) },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const architectures = values.arch.split(',');
  const unknown = architectures.find((each) => !known.includes(each));
  if (unknown !== undefined) throw new Error(`--arch has ${unknown}: there are ${known.join(' and ')}`);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const root = dirname(import.meta.dirname);
  const { file, digest, bom } = await buildProduct({
    root,
    name: values.name,
    architectures: architectures as readonly Architecture[],
    file: values.out,
    print,
  });
  const list = file.replace(/\.tar$/, '.cdx.json');
  await writeFile(list, bom);
  print(`${values.name}: ${file}\n${digest}\n${list}`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`cannot write the image: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
