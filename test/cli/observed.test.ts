// What leads an object to its service, in whatever field its kind has that.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allKinds } from '../../src/cli/kind-names.ts';
import { connectionField, connectionOf } from '../../src/cli/observed.ts';
import { readDocuments } from '../../src/kube/yaml/documents.ts';

/** All paths in a schema to a property with this name. */
function pathsTo(name: string, schema: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const isProperty = path.at(-1) === 'properties';
    const here = isProperty && key === name ? [[...path, key].filter((part) => part !== 'properties').join('.')] : [];
    return [...here, ...pathsTo(name, value, [...path, key])];
  });
}

test.each(allKinds)('each reference of a $kind to what leads to its service is known', ({ kind, plural }) => {
  const [crd] = readDocuments(readFileSync(`crds/${plural}.dataprocessing.dev.yaml`, 'utf8')) as readonly {
    readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: object } }[] };
  }[];
  const paths = pathsTo('connectionRef', crd?.spec.versions[0]?.schema.openAPIV3Schema);
  expect(paths).toEqual(connectionOf({ kind }) === undefined ? [] : [connectionField(kind)]);
});

test.each([
  ['Cluster', (connectionRef: object) => ({ connectionRef })],
  ['JobSchedule', (connectionRef: object) => ({ template: { spec: { connectionRef } } })],
])('a %s names it, or uses the default', (kind, specWith) => {
  const shared = { kind: 'SharedConnection', name: 'platform' } as const;
  expect(connectionOf({ kind, spec: specWith(shared) })).toEqual(shared);
  expect(connectionOf({ kind, spec: specWith({ name: 'far' }) })).toEqual({ kind: 'Connection', name: 'far' });
  expect(connectionOf({ kind, spec: {} })).toEqual({ kind: 'Connection', name: 'default' });
  expect(connectionOf({ kind })).toEqual({ kind: 'Connection', name: 'default' });
});
