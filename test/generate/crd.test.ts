// Rules that hold for every CRD we ship.
import { describe, expect, test } from 'vitest';
import { crdName, defaultStatus, toCustomResourceDefinition } from '../../dev/generate/crd.ts';
import type { Schema } from '../../dev/generate/fields.ts';
import type { AnyDefinition } from '../../src/operator/api/definition.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { javaSettings } from '../../src/service/engines/spark/jobs/java-options.ts';
import { packagesSetting } from '../../src/service/engines/spark/jobs/packages.ts';
import { requirementsOption } from '../../src/service/engines/spark/jobs/python.ts';
import { flavorConfig, queueConfig } from '../../src/service/model/references.ts';
import { type Place, walk } from '../operator/api/schema-walk.ts';

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly versions: readonly {
      readonly name: string;
      readonly subresources: object;
      readonly additionalPrinterColumns: readonly {
        readonly name: string;
        readonly jsonPath: string;
        readonly priority?: number;
      }[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const crdOf = (definition: AnyDefinition) => toCustomResourceDefinition(definition) as unknown as Crd;
const versionOf = (definition: AnyDefinition) => {
  const [version] = crdOf(definition).spec.versions;
  if (version === undefined) throw new Error('no version');
  return version;
};
const rootOf = (definition: AnyDefinition): Schema => versionOf(definition).schema.openAPIV3Schema;
const part = (definition: AnyDefinition, name: 'spec' | 'status'): readonly Place[] =>
  walk(rootOf(definition).properties?.[name] ?? {}, name);

const paths = (places: readonly Place[], wrong: (schema: Schema) => boolean): readonly string[] =>
  places.filter(({ schema }) => wrong(schema)).map(({ path }) => path);

describe.each(definitions.map((definition) => [definition.kind, definition] as const))('%s', (kind, definition) => {
  const all = [...part(definition, 'spec'), ...part(definition, 'status')];
  const spec = part(definition, 'spec');

  test('names', () => {
    const crd = crdOf(definition);
    expect(crd.metadata.name).toBe(`${definition.plural}.dataprocessing.dev`);
    expect(crd.metadata.name).toBe(crdName(definition));
    expect(crd.spec).toMatchObject({ group: 'dataprocessing.dev', scope: definition.scope ?? 'Namespaced' });
    expect(crd.spec.names).toEqual({
      kind,
      listKind: `${kind}List`,
      plural: kind.toLowerCase().concat('s').replace(/ys$/, 'ies'),
      singular: kind.toLowerCase(),
      shortNames: [definition.shortName],
      ...(definition.scope === undefined && { categories: ['dataprocessing'] }),
    });
    expect(versionOf(definition)).toMatchObject({ name: 'v1alpha1', served: true, storage: true });
  });

  test('every field is described, in a sentence', () => {
    const fields = all.filter(({ isField }) => isField).map(({ path, schema }) => [path, schema.description ?? '']);
    expect(fields.filter(([, description]) => !/^[A-Z].{8,}\.$/.test(description ?? ''))).toEqual([]);
  });

  test('every text, list and map has a maximum', () => {
    expect(paths(all, (s) => s.type === 'string' && s.maxLength === undefined && s.enum === undefined)).toEqual([]);
    expect(paths(all, (s) => s.type === 'array' && s.maxItems === undefined)).toEqual([]);
    expect(paths(all, (s) => s.additionalProperties !== undefined && s.maxProperties === undefined)).toEqual([]);
  });

  test('every text of the spec is there or not, never empty', () => {
    const loose = paths(spec, (s) => s.type === 'string' && s.enum === undefined && s.minLength !== 1);
    // An argument of a program may be an empty text.
    const args = ['configs.*', 'params.*', 'args[]', 'interface.*'];
    const given =
      {
        // A label may have no value.
        SharedConnection: ['namespaceSelector.matchLabels.*', 'namespaceSelector.matchExpressions[].values[]'],
        JobExecution: args,
        JobSchedule: ['metadata.labels.*', 'metadata.annotations.*', ...args.map((path) => `spec.${path}`)].map(
          (path) => `template.${path}`,
        ),
      }[definition.kind as string] ?? [];
    expect(loose).toEqual(given.map((path) => `spec.${path}`));
  });

  test('every integer of the spec is an int32 with a range', () => {
    const loose = (s: Schema) => s.format !== 'int32' || s.minimum === undefined || s.maximum === undefined;
    expect(paths(spec, (s) => s.type === 'integer' && loose(s))).toEqual([]);
    expect(paths(spec, (s) => s.type === 'number')).toEqual([]);
  });

  test('the spec has no defaults: the operator never makes a spec differ from what the user wrote', () => {
    expect(paths(spec, (s) => 'default' in s)).toEqual([]);
  });

  test('a newborn reads as in progress', () => {
    const status = rootOf(definition).properties?.['status'];
    expect(status?.default).toEqual(defaultStatus);
    expect(status?.properties?.['observedGeneration']).toMatchObject({ type: 'integer', format: 'int64' });
    expect(status?.required).toBeUndefined();
    const { scale } = definition as AnyDefinition;
    expect(versionOf(definition).subresources).toEqual({ status: {}, ...(scale && { scale }) });
    if (scale) for (const path of Object.values(scale)) expect(paths(all, () => true)).toContain(path.slice(1));
  });

  test('conditions are a map by type', () => {
    expect(rootOf(definition).properties?.['status']?.properties?.['conditions']).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    });
  });

  test('keys of list maps are required', () => {
    const loose = (s: Schema) =>
      (s['x-kubernetes-list-map-keys'] ?? []).some((key) => s.items?.required?.includes(key) !== true);
    expect(paths(all, loose)).toEqual([]);
  });

  test('every rule has a message for people and blames a field that exists', () => {
    const rules = all.flatMap(({ path, schema }) =>
      (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ path, schema, ...rule })),
    );
    expect(rules.length).toBeGreaterThan(1);
    for (const { path, schema, message, fieldPath } of rules) {
      expect(message.length, path).toBeGreaterThan(15);
      expect(message, path).not.toMatch(/\bself\b[.]|[(]/);
      if (fieldPath !== undefined)
        expect(schema.properties, path).toHaveProperty(fieldPath.slice(1).split('.').join('.properties.'));
    }
  });

  test('every column shows a field that exists', () => {
    const fields = new Set(walk(rootOf(definition)).map(({ path }) => path));
    const { additionalPrinterColumns: columns } = versionOf(definition);
    const shown = columns.map(({ jsonPath }) => jsonPath.replace(/\[\?\(.*\)\]/, '[]'));
    expect(shown.filter((path) => !fields.has(path))).toEqual(['.metadata.creationTimestamp']);
    // Of a run, its state is what people want to know.
    expect(columns.at(0)?.name).toBe(definition.kind === 'JobExecution' ? 'State' : 'Ready');
    expect(columns.at(-1)?.name).toBe('Age');
  });
});

test('columns, narrow and wide', () => {
  const table = definitions.map((definition) => {
    const names = versionOf(definition).additionalPrinterColumns.map(({ name, priority }) =>
      priority === 1 ? `(${name})` : name,
    );
    return `${definition.shortName}: ${names.join(' ')}`;
  });
  expect(table).toEqual([
    'dpconn: Ready Reason Endpoint Tenant (Message) Age',
    'dpshared: Ready Reason Endpoint Tenant (Message) Age',
    'dpimg: Ready Reason Image User Tags (ID) (Message) Age',
    'dpngt: Ready Reason Plugin Version Revision (ID) (Message) Age',
    'dpct: Ready Reason Plugin Version Revision (ID) (Message) Age',
    'dpc: Ready Reason Status Nodes Plugin Version (Outdated) (ID) (Message) Age',
    'dpds: Ready Reason Type (URL) Revision (ID) (Message) Age',
    'dpjb: Ready Reason (URL) Revision (ID) (Message) Age',
    'dpjob: Ready Reason Type Revision (ID) (Message) Age',
    'dpje: State Reason Job Cluster Duration (Exit) (ID) (Message) Age',
    'dpjs: Ready Reason Schedule Suspend Active Last Schedule (Message) Age',
    'dpng: Ready Reason Cluster Group Min Max Wanted Current (Scaling) (Message) Age',
  ]);
});

describe('what may change after creation', () => {
  const guarded = (schema: Schema | undefined): readonly string[] =>
    (schema?.['x-kubernetes-validations'] ?? [])
      .filter(({ rule }) => rule.includes('oldSelf'))
      .flatMap(({ fieldPath, messageExpression = '' }) => [
        ...(fieldPath === undefined ? [] : [fieldPath.slice(1)]),
        ...[...messageExpression.matchAll(/'(\w+)'/g)].map(([, name = '']) => name),
      ]);
  const free = (schema: Schema | undefined): readonly string[] =>
    Object.keys(schema?.properties ?? {}).filter((field) => !guarded(schema).includes(field));
  const specOf = (kind: string): Schema => {
    const definition = definitions.find((candidate) => candidate.kind === kind);
    return (definition && rootOf(definition).properties?.['spec']) ?? {};
  };

  test.each(['NodeGroupTemplate', 'ClusterTemplate'])(
    '%s: all but its Connection and the base of its names',
    (kind) => {
      const fields = Object.keys(specOf(kind).properties ?? {});
      const fixed = ['connectionRef', 'adopt', 'name'];
      expect(free(specOf(kind))).toEqual(fields.filter((field) => !fixed.includes(field)));
    },
  );

  test.each([
    [
      'Cluster',
      ['deletionPolicy', 'progressDeadlineSeconds', 'policy', 'suspend', 'onExternalDelete', 'nodeGroups', 'lifecycle'],
    ],
    ['Connection', ['formerEndpoints', 'auth', 'tls', 'timeoutSeconds', 'limits', 'pollSeconds']],
  ])('%s', (kind, fields) => {
    expect(free(specOf(kind))).toEqual(fields);
  });

  test('a node group of a ClusterTemplate: everything', () => {
    const group = specOf('ClusterTemplate').properties?.['nodeGroups']?.items;
    expect(free(group)).toEqual(Object.keys(group?.properties ?? {}));
  });

  test('a node group of a Cluster: its count and its template', () => {
    expect(free(specOf('Cluster').properties?.['nodeGroups']?.items)).toEqual([
      'name',
      'count',
      'nodeGroupTemplateRef',
      'nodeGroupTemplateID',
    ]);
  });
});

describe('kubectl explain names what the bundled service reads', () => {
  const textsOf = (kind: string, path: string): readonly string[] =>
    definitions
      .filter((definition) => definition.kind === kind)
      .flatMap((definition) => part(definition, 'spec'))
      .filter((place) => place.path === path)
      .map(({ schema }) => schema.description ?? '');
  const ofARun = [
    flavorConfig,
    queueConfig,
    requirementsOption.name,
    packagesSetting,
    javaSettings.driver[1],
    javaSettings.executor[1],
    'log4j2',
  ];

  test.each([
    ['JobExecution', 'spec.configs', ofARun],
    ['JobSchedule', 'spec.template.spec.configs', ofARun],
    ['Job', 'spec.libs', ['Python packages', 'log4j2']],
    ['JobExecution', 'spec.job.libs', ['Python packages', 'log4j2']],
    ...['NodeGroupTemplate', 'ClusterTemplate', 'Cluster'].map(
      (kind) =>
        [
          kind,
          kind === 'NodeGroupTemplate' ? 'spec.flavorID' : 'spec.nodeGroups[].flavorID',
          ['bundled service', 'placement'],
        ] as const,
    ),
  ] as const)('%s %s', (kind, path, words) => {
    const texts = textsOf(kind, path);
    expect(texts).toHaveLength(1);
    for (const word of words) expect(texts[0]).toContain(word);
  });
});
