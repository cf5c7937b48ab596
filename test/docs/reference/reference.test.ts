// The generated reference leaves nothing out, and what it says of examples, metrics and annotations is true.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { annotations } from '../../../dev/generate/annotations.ts';
import { toCustomResourceDefinition } from '../../../dev/generate/crd.ts';
import { type Field, fieldsBelow, type Schema } from '../../../dev/generate/fields.ts';
import { pageOf } from '../../../dev/generate/markdown.ts';
import { toStructural } from '../../../dev/generate/structural-schema.ts';
import { ruled, text } from '../../../src/operator/api/keywords.ts';
import { conditionMeanings } from '../../../src/operator/api/meanings.ts';
import * as common from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { walk } from '../../operator/api/schema-walk.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'docs', 'reference');
const pages = readdirSync(folder);
const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
const fieldsOf = (schema: z.ZodType): readonly Field[] => fieldsBelow(toStructural(schema), 'spec');

describe.each(definitions.map((one) => [one.kind, one] as const))('%s', (kind, definition) => {
  const content = textOf(pageOf(kind));
  const crd = toCustomResourceDefinition(definition) as unknown as {
    readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
  };
  const parts = crd.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};

  test.each(['spec', 'status'])('the page has every field of %s', (part) => {
    const fields = walk(parts[part] ?? {}, part).filter(({ isField }) => isField);
    const missing = fields.filter(({ path }) => path !== part && !content.includes(`\`${path}\``));
    expect([fields.length > 5, missing.map(({ path }) => path)]).toEqual([true, []]);
  });

  test('every value of the spec that a user types has an example, or a choice', () => {
    const leaves = fieldsOf(definition.spec).filter(({ type }) => !/object/.test(type));
    const without = leaves.filter(({ example, path }) => example === undefined && !path.endsWith('Ref.name'));
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  test('the examples are what the operator takes', () => {
    const examples = examplesIn(definition.spec);
    expect(examples.length).toBeGreaterThan(3);
    expect(examples.filter(({ schema, example }) => !schema.safeParse(example).success)).toEqual([]);
  });
});

interface Example {
  readonly schema: z.ZodType;
  readonly example: unknown;
}

function examplesIn(schema: z.ZodType): readonly Example[] {
  const { example } = (schema.meta() ?? {}) as { readonly example?: unknown };
  const own = example === undefined ? [] : [{ schema, example }];
  if (schema instanceof z.ZodOptional) return [...own, ...examplesIn(schema.unwrap() as z.ZodType)];
  if (schema instanceof z.ZodArray) return [...own, ...examplesIn(schema.element as z.ZodType)];
  if (schema instanceof z.ZodObject)
    return [...own, ...Object.values(schema.shape).flatMap((child) => examplesIn(child as z.ZodType))];
  return own;
}

describe('a field', () => {
  const spec = ruled(
    z.object({
      one: text(3).optional().describe('The one. Defaults to x. Immutable.').meta({ example: 'a' }),
      two: text(3).optional().describe('The two. When unset, the service chooses.'),
      list: z
        .array(z.object({ name: text(5).describe('The name.') }))
        .max(4)
        .describe('The list.'),
    }),
    [
      {
        rule: '!has(oldSelf.two) || self.two == oldSelf.two',
        message: 'two cannot change like this',
        fieldPath: '.two',
      },
    ],
  );

  test('is described by what its schema, its rules and its sentences say', () => {
    const [one, two, list, name] = fieldsOf(spec);
    expect(one).toMatchObject({ description: 'The one.', unset: 'X.', mutable: 'no', example: '"a"', required: false });
    expect(two).toMatchObject({ unset: 'The service chooses.', mutable: 'limited' });
    expect(two?.validation).toEqual(['1 to 3 characters.', '"two cannot change like this"']);
    expect(list).toMatchObject({ type: 'list of object', required: true, validation: ['At most 4 entries.'] });
    expect(name).toMatchObject({ path: 'spec.list[].name', mutable: 'yes' });
  });
});

test('the metrics are those of the sources', () => {
  const sources = readdirSync(join(root, 'src/operator/metrics')).map((name) =>
    readFileSync(join(root, 'src/operator/metrics', name), 'utf8'),
  );
  const code = sources.join('\n');
  const named = [
    ...[...code.matchAll(/\$\{prefix\}(\w+)`/g)].map(([, name = '']) => name),
    ...[...code.matchAll(/^ {2,6}\[?\s*'(\w+_\w+)',/gm)].map(([, name = '']) => name),
    ...[...code.matchAll(/\['(\w+_\w+)', '/g)].map(([, name = '']) => name),
    ...[...code.matchAll(/ name: '(\w+)',/g)].map(([, name = '']) => name),
  ];
  const shown = [...textOf('metrics-and-alerts.md').matchAll(/^\| `dataprocessing_operator_(\w+)`/gm)].map(
    ([, name = '']) => name,
  );
  expect([...new Set(named)].sort()).toEqual([...shown].sort());
});

test('the alerts are those of the rules', () => {
  const rules = readFileSync(join(root, 'deploy/monitoring/prometheus-rule.yaml'), 'utf8');
  const named = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const shown = [...textOf('metrics-and-alerts.md').matchAll(/^#### (\w+)$/gm)].map(([, name]) => name);
  expect([shown.length > 10, shown]).toEqual([true, named]);
});

test('the annotations are those of the code', () => {
  const known = Object.entries(common).flatMap(([name, value]) => (/Annotations?$/.test(name) ? [value].flat() : []));
  expect(annotations.map(({ name }) => name).sort()).toEqual((known as string[]).sort());
});

test('every type of condition has a meaning', () => {
  expect(Object.keys(conditionMeanings)).toEqual(Object.keys(common.conditionReasons));
});

test('the index names every page', () => {
  const links = [...textOf('README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, link = '']) => link);
  expect([...links, 'README.md'].sort()).toEqual([...pages].sort());
});

test.each(pages)('the links of %s lead somewhere', (name) => {
  const links = [...textOf(name).matchAll(/\]\((?!http)([^)#]*)(?:#([\w-]+))?\)/g)];
  const broken = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? join(folder, name) : join(folder, path);
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

const anchorsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-');
