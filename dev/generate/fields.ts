// The fields of a structural schema, as entries of the reference. PURE.
import type { Rule } from '../../src/operator/api/keywords.ts';
import { capitalised, code, sentences } from './markdown.ts';

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

export interface Field {
  /** As a user would write it: `spec.nodeGroups[].count`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** limited: only as the validation allows. */
  readonly mutable: 'yes' | 'no' | 'limited';
  readonly description: string;
  /** The default, if the description has one. */
  readonly unset: string | undefined;
  readonly validation: readonly string[];
  readonly example: string | undefined;
}

interface Place {
  readonly path: string;
  readonly required: boolean;
  /** Rules of the object that the field is in. */
  readonly around: readonly Rule[];
  /** The object that the field is in cannot change. */
  readonly fixed: boolean;
}

/** Every field below a schema, outermost first; `fixed`: nothing of it can change. */
export function fieldsBelow(schema: Schema, path: string, fixed = false): readonly Field[] {
  const around = schema['x-kubernetes-validations'] ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const required = schema.required?.includes(name) ?? false;
    const field = fieldOf(child, { path: `${path}.${name}`, required, around, fixed });
    const [within, at] = inside(child, field.path);
    return [field, ...fieldsBelow(within, at, field.mutable === 'no')];
  });
}

/** The object that the fields of a list or a map are in. */
function inside(schema: Schema, path: string): [Schema, string] {
  if (schema.items) return inside(schema.items, `${path}[]`);
  if (schema.additionalProperties) return inside(schema.additionalProperties, `${path}.*`);
  return [schema, path];
}

function fieldOf(schema: Schema, { path, required, around, fixed }: Place): Field {
  const name = path.split('.').at(-1) ?? '';
  const texts = sentences(schema.description ?? '');
  const isUnset = (text: string): boolean => /^(Defaults to|When unset|With Keystone, defaults)/.test(text);
  const isFlag = (text: string): boolean => /^Immutable\b/.test(text);
  return {
    path,
    type: typeOf(schema),
    required,
    mutable: fixed || texts.some(isFlag) ? 'no' : mutability(schema, name, around),
    description: texts.filter((text) => !isUnset(text) && !isFlag(text)).join(' '),
    unset: texts.filter(isUnset).map(inShort).join(' ') || undefined,
    validation: [...limitsOf(schema), ...rulesOf(schema, name, around).map(({ message }) => `"${message}"`)],
    example: schema.example === undefined ? undefined : JSON.stringify(schema.example),
  };
}

/** `Defaults to 30.` becomes `30.`, after `When unset:`. */
function inShort(text: string): string {
  return capitalised(text.replace(/^(Defaults to|When unset,) /, ''));
}

function typeOf(schema: Schema): string {
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema.type === undefined) return 'string, integer or boolean';
  return schema.type === 'integer' ? (schema.format ?? 'integer') : schema.type;
}

const compares = ({ rule }: Rule): boolean => rule.includes('oldSelf');
const wholeComparison = 'self == oldSelf';

/** A rule of the field rejects another value, or a rule of the object rejects setting or removing it. */
function mutability(schema: Schema, name: string, around: readonly Rule[]): Field['mutable'] {
  const own = schema['x-kubernetes-validations'] ?? [];
  const named = around.some((rule) => compares(rule) && rule.messageExpression?.includes(`'${name}'`));
  if (named || own.some(({ rule }) => rule.includes(wholeComparison))) return 'no';
  return around.some((rule) => compares(rule) && rule.fieldPath === `.${name}`) ? 'limited' : 'yes';
}

/** Those of the field, and those of the object around it that blame the field. */
function rulesOf(schema: Schema, name: string, around: readonly Rule[]): readonly Rule[] {
  const blaming = around.filter(({ fieldPath }) => fieldPath === `.${name}`);
  const below = schema.items?.['x-kubernetes-validations'] ?? [];
  const loose = [...(schema['x-kubernetes-validations'] ?? []), ...below].filter(
    ({ fieldPath, messageExpression }) => fieldPath === undefined && messageExpression === undefined,
  );
  return [...loose, ...blaming];
}

function limitsOf(schema: Schema): readonly string[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  const below = schema.items && schema.items.properties === undefined ? limitsOf(schema.items) : [];
  return [
    ...(schema.enum ? [`One of ${schema.enum.map(code).join(', ')}.`] : []),
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...(schema.type === 'integer' ? range(schema.minimum, schema.maximum, '') : []),
    ...range(schema.minItems, schema.maxItems, 'entries'),
    ...range(undefined, schema.maxProperties, 'entries'),
    ...(keys ? [`Each ${keys.map(code).join(', ')} is unique.`] : []),
    ...(schema['x-kubernetes-list-type'] === 'set' ? ['Without duplicates.'] : []),
    ...below.map((limit) => `Each entry: ${limit}`),
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  const shown = (value: number): string => value.toLocaleString('en-US');
  const of = unit === '' ? '' : ` ${unit}`;
  const bounded = most !== undefined && most < Number.MAX_SAFE_INTEGER && most !== 2 ** 31 - 1;
  if (least !== undefined && bounded) return [`${shown(least)} to ${shown(most)}${of}.`];
  if (bounded) return [`At most ${shown(most)}${of}.`];
  return least !== undefined && least > Number.MIN_SAFE_INTEGER ? [`At least ${shown(least)}${of}.`] : [];
}
