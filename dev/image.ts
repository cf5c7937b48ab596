// Writes the image of the operator and the bundled service, without a daemon or a registry.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import { reasonOf } from '../src/lib/errors.ts';
import { flagsHelp, helpFlag } from '../src/lib/flags.ts';
import type { Architecture } from './image/debian.ts';
import { buildProduct } from './image/product.ts';
import { path, readOptionsOf } from './options.ts';

const known: readonly Architecture[] = ['amd64', 'arm64'];

const architectures = z.string().transform((text, context): Architecture[] => {
  const words = text.split(',');
  const chosen = known.filter((each) => words.includes(each));
  if (chosen.length < words.length)
    context.addIssue({ code: 'custom', message: `must be of ${known.join(',')}, not "${text}"` });
  return chosen;
});

const { version } = manifest;
const table = {
  name: {
    schema: z.string().min(1),
    value: '<reference>',
    default: `localhost/dataprocessing-operator:${version}`,
    help: 'the name in the archive',
  },
  arch: {
    schema: architectures,
    value: '<list>',
    default: known.join(','),
    help: 'architectures, separated by commas',
  },
  out: {
    schema: path,
    value: '<file>',
    default: join('dist', 'image', `dataprocessing-operator-${version}.tar`),
    help: 'the archive',
  },
  ...helpFlag,
} as const;

const HELP = `Usage: npm run image [-- OPTIONS]

Writes an OCI archive of the operator and the bundled service for amd64 and arm64, and beside it the list of what is in it
(CycloneDX). The same sources give the same digest. It needs apt (Debian or Ubuntu) and npm, and no container engine. To use
the image:

  docker load --input FILE          podman load --input FILE        kind load image-archive FILE
  ctr --namespace k8s.io images import FILE
  skopeo copy oci-archive:FILE docker://REGISTRY/NAME:TAG

Options:
${flagsHelp(table)}`;

async function main(): Promise<void> {
  const { name, arch, out, help } = readOptionsOf(table, process.argv.slice(2));
  if (help) return void process.stdout.write(HELP);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const root = dirname(import.meta.dirname);
  const { file, digest, bom } = await buildProduct({ root, name, architectures: arch, file: out, print });
  const list = file.replace(/\.tar$/, '.cdx.json');
  await writeFile(list, bom);
  print(`${name}: ${file}\n${digest}\n${list}`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`cannot write the image: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
