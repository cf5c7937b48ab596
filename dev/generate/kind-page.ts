// The page of one kind: its names, its columns and all its fields. PURE.

import type { AnyDefinition, Column } from '../../src/operator/api/definition.ts';
import { apiVersion } from '../../src/operator/api/shared-api.ts';
import { crdName, singularName } from './crd.ts';
import { type Field, fieldsBelow, type Schema } from './fields.ts';
import { code, generatedFrom, list, page, pageOf, table } from './markdown.ts';
import { toStructural } from './structural-schema.ts';

export function kindPage(definition: AnyDefinition): string {
  const { kind, description, spec, status } = definition;
  const wanted = toStructural(spec) as Schema;
  const reported = fieldsBelow(toStructural(status) as Schema, 'status');
  const asked = fieldsBelow(wanted, 'spec');
  return page(
    generatedFrom(`the schema in src/operator/kinds/${pageOf(kind).replace('.md', '')}`),
    `# ${kind}`,
    description,
    names(definition),
    '## spec',
    'This table lists every field. The sections below describe each of them.',
    table(['Field', 'Type', 'Required', 'Mutable'], asked.map(summary)),
    ...asked.map(section),
    '## status',
    'The operator writes the status. See [conditions and events](conditions-and-events.md) for the conditions.',
    table(
      ['Field', 'Type', 'Description'],
      reported.map((field) => [code(field.path), field.type, field.description]),
    ),
    '## Columns',
    `\`kubectl get ${definition.shortName}\` prints these columns.`,
    table(['Column', 'Content', 'Only with `-o wide`'], definition.columns.map(column)),
  );
}

function names(definition: AnyDefinition): string {
  const { kind, plural, shortName } = definition;
  return table(
    ['', ''],
    [
      ['API version', code(apiVersion)],
      ['Kind', code(kind)],
      ['Names for kubectl', [shortName, singularName(definition), plural].map(code).join(', ')],
      ['Unambiguous name', code(crdName(definition))],
      ...(definition.scope === undefined ? [['Category', code('dataprocessing')]] : []),
      ['Scope', definition.scope ?? 'Namespaced'],
    ],
  );
}

const summary = ({ path, type, required, mutable }: Field): readonly string[] => [
  `[${code(path)}](#${anchor(path)})`,
  type,
  required ? 'yes' : 'no',
  mutable,
];

/** As GitHub makes it from the heading. */
const anchor = (path: string): string => path.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '');

function section({ path, type, required, mutable, ...field }: Field): string {
  const facts = [
    `Type: ${type}${required ? ', required' : ''}`,
    ...(field.unset === undefined ? [] : [`When unset: ${field.unset}`]),
    ...(mutable === 'yes' ? [] : [mutable === 'no' ? 'Immutable' : 'Mutable only as the validation allows']),
    ...(field.validation.length === 0
      ? []
      : [`Validation:\n${field.validation.map((one) => `  - ${one}`).join('\n')}`]),
    ...(field.example === undefined ? [] : [`Example: ${code(field.example)}`]),
  ];
  return page(`### ${code(path)}`, field.description, list(facts)).trimEnd();
}

const column = ({ name, jsonPath, wide, description }: Column): readonly string[] => [
  name,
  description ?? code(jsonPath),
  wide === true ? 'yes' : '',
];
