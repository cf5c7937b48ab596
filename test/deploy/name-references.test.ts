// With kustomize/name-references.yaml, every reference of our kinds follows the names that kustomize makes.
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Manifest } from '../../dev/demo/manifests.ts';
import { toCustomResourceDefinition } from '../../dev/generate/crd.ts';
import type { Schema } from '../../dev/generate/fields.ts';
import type { NameReference } from '../../dev/generate/name-references.ts';
import { apiVersion } from '../../src/operator/api/shared-api.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { repository } from '../e2e/support/installation.ts';
import { renderedByKubectl } from './kubectl.ts';

const file = join(repository, 'kustomize/name-references.yaml');

interface Sample {
  /** With a name in every reference: `target` and the path of the field. */
  readonly value: unknown;
  /** Paths of the references. */
  readonly paths: readonly string[];
}

/** A value that has every reference below a schema. By the names of fields alone, unlike the generator. */
function sampleOf(schema: Schema, path: string): Sample {
  if (schema.items !== undefined) {
    const { value, paths } = sampleOf(schema.items, path);
    return { value: [value], paths };
  }
  const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
    const at = path === '' ? name : `${path}/${name}`;
    const isReference = name.endsWith('Ref') && inner.properties?.['name'] !== undefined;
    return [name, isReference ? { value: { name: 'target' }, paths: [`${at}/name`] } : sampleOf(inner, at)] as const;
  });
  const used = fields.filter(([, { paths }]) => paths.length > 0);
  return {
    value: Object.fromEntries(used.map(([name, { value }]) => [name, value])),
    paths: used.flatMap(([, { paths }]) => paths),
  };
}

const specSchemas = definitions.map((definition) => {
  const { versions } = toCustomResourceDefinition(definition)['spec'] as {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
  return [definition.kind, versions[0]?.schema.openAPIV3Schema.properties?.['spec'] ?? {}] as const;
});

test('the file has every reference of every kind, and nothing else', async () => {
  const { nameReference } = parse(await readFile(file, 'utf8')) as { readonly nameReference: readonly NameReference[] };
  const listed = nameReference.flatMap(({ fieldSpecs }) => fieldSpecs.map(({ kind, path }) => `${kind} ${path}`));
  const wanted = specSchemas.flatMap(([kind, schema]) =>
    sampleOf(schema, 'spec').paths.map((path) => `${kind} ${path}`),
  );
  // What leads to a service is one of two kinds.
  expect([...new Set(listed)].toSorted()).toEqual(wanted.toSorted());
  expect(wanted).toContain('JobSchedule spec/template/spec/job/mains/jobBinaryRef/name');
});

/** Every kind once, and what the generators make. All have the same name, so only the kind tells which one is meant. */
async function writeKustomization(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'names-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const objects = specSchemas.map(([kind, schema]) =>
    stringify({ apiVersion, kind, metadata: { name: 'target' }, spec: sampleOf(schema, 'spec').value }),
  );
  await writeFile(join(folder, 'objects.yaml'), objects.join('---\n'));
  await copyFile(file, join(folder, 'name-references.yaml'));
  const generated = [{ name: 'target', literals: ['a=b'] }];
  const kustomization = {
    resources: ['objects.yaml'],
    configMapGenerator: generated,
    secretGenerator: generated.map((each) => ({ ...each, type: 'dataprocessing.dev/credentials' })),
    namePrefix: 'team-',
    configurations: ['name-references.yaml'],
  };
  await writeFile(join(folder, 'kustomization.yaml'), stringify(kustomization));
  return folder;
}

/** The names that an object refers to. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name.endsWith('Ref') ? [(inner as { readonly name: string }).name] : namesIn(inner),
  );
}

test('kustomize writes the names that it makes into every reference', async ({ skip }) => {
  const rendered = await renderedByKubectl(await writeKustomization(), skip);
  const nameOf = (kind: string) => rendered.find((one) => one.kind === kind)?.metadata.name;
  expect(nameOf('Job')).toBe('team-target');
  expect(nameOf('ConfigMap')).toMatch(/^team-target-\w+$/);
  expect(nameOf('Secret')).toMatch(/^team-target-\w+$/);
  const [configMap, secret] = [nameOf('ConfigMap') ?? '', nameOf('Secret') ?? ''];
  const ours = rendered.filter((one: Manifest) => one.apiVersion === apiVersion);
  expect(ours).toHaveLength(definitions.length);
  const counts = (kind: string) => {
    const names = namesIn(ours.find((one) => one.kind === kind)?.['spec']);
    return [configMap, secret, 'team-target'].map((name) => names.filter((one) => one === name).length);
  };
  expect(counts('JobBinary')).toEqual([1, 2, 1]);
  expect(counts('Connection')).toEqual([0, 2, 0]);
  expect(counts('DataSource')).toEqual([0, 1, 1]);
  for (const { kind } of definitions)
    expect(namesIn(ours.find((one) => one.kind === kind)), kind).not.toContain('target');
});
