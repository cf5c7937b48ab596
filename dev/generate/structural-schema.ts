// Converts a zod schema into a structural schema of a CRD. Throws for everything that the API server would reject or ignore.
import { z } from 'zod';
import { type Keywords, keywords, type Rule } from '../../src/operator/api/keywords.ts';

/** A structural schema for `openAPIV3Schema`. */
export type Structural = { readonly [keyword: string]: unknown };

type Node = Readonly<Record<string, unknown>>;

/** Keywords that are copied. `format` is not, because the API server ignores nearly all formats. */
const plain = [
  'type',
  'description',
  'example',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'nullable',
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
];
const validations = 'x-kubernetes-validations';
const nested = ['properties', 'items', 'additionalProperties'];
const known = new Set([...plain, ...nested, 'x-kubernetes-preserve-unknown-fields', 'anyOf']);

/**
 * Converts the input type, in which a field with a default is optional. Throws an Error that names the path of anything that a CRD
 * cannot express.
 */
export const toStructural = (schema: z.ZodType): Structural => {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'throw',
    cycles: 'throw',
    override: ({ zodSchema, jsonSchema, path }) => {
      const extra = keywords.get(zodSchema as unknown as z.ZodType);
      refuseLost(zodSchema, extra, path);
      Object.assign(jsonSchema, extra);
    },
  });
  return structural(json, []);
};

const fail = (path: readonly (string | number)[], why: string): never => {
  throw new Error(`cannot make a CRD schema of ${path.length === 0 ? 'the root' : path.join('.')}: ${why}`);
};

/** Rejects what zod silently drops from a JSON schema. A refinement is accepted if keywords express it for the API server. */
const refuseLost = (schema: z.core.$ZodType, extra: Keywords | undefined, path: readonly (string | number)[]): void => {
  const def = schema._zod.def;
  const checks = def.checks ?? [];
  if (checks.some(({ _zod }) => _zod.def.check === 'overwrite')) fail(path, 'the API server changes no values');
  if (checks.some(({ _zod }) => _zod.def.check === 'custom') && extra === undefined) {
    fail(path, 'a refinement needs keywords that express it for the API server');
  }
  // A pipe with keywords only checks the input.
  const changes = def.type === 'transform' || (def.type === 'pipe' && extra === undefined);
  if (changes) fail(path, 'the API server changes no values');
  if (def.type === 'record' && constrained((def as z.core.$ZodRecordDef).keyType)) {
    fail(path, 'the API server does not check the keys of a map');
  }
};

const constrained = (key: z.core.$ZodType): boolean =>
  key._zod.def.type !== 'string' || (key._zod.def.checks ?? []).length > 0;

const structural = (node: Node, path: readonly string[]): Structural => {
  if (node['x-kubernetes-preserve-unknown-fields'] === true) return opaque(node);
  const stranger = Object.keys(node).find((keyword) => node[keyword] !== undefined && !known.has(keyword));
  if (stranger !== undefined) fail(path, `the keyword ${stranger} has no equal`);
  if (node['anyOf'] !== undefined) fail(path, 'a union has no type; use one object and CEL rules');
  if (typeof node['type'] !== 'string') fail(path, 'it may be anything');
  if (Array.isArray(node['enum']) && node['enum'].includes(null)) fail(path, 'null is no value of a choice');
  checkPattern(node, path);
  const rules = (node[validations] ?? []) as readonly Rule[];
  const own = rules.filter(({ field }) => field === undefined);
  return {
    ...kept({ ...node, [validations]: own.length > 0 ? own : undefined }),
    ...integer(node),
    ...children(node, path),
  };
};

/** Adds the rules that the object has for this field. */
const withRules = (node: Node, rules: readonly Rule[]): Node => {
  if (rules.length === 0) return node;
  const own = (node[validations] ?? []) as readonly Rule[];
  return { ...node, [validations]: [...own, ...rules.map(({ field: _here, ...rule }) => rule)] };
};

/** Any scalar. Empty objects and lists are not rejected, and CEL cannot access the value. */
const opaque = (node: Node): Structural => ({
  ...(node['description'] === undefined ? {} : { description: node['description'] }),
  'x-kubernetes-preserve-unknown-fields': true,
  maxProperties: 0,
  maxItems: 0,
});

const kept = (node: Node): Node =>
  Object.fromEntries(
    plain
      .map((keyword) => [keyword, node[keyword]] as const)
      .filter(([, value]) => value !== undefined && !isNoise(value)),
  );

const checkPattern = (node: Node, path: readonly string[]): void => {
  if (typeof node['pattern'] === 'string' && /\(\?[=!<]/.test(node['pattern'])) {
    fail(path, 'the API server (RE2) does not support lookaround');
  }
};

const integer = (node: Node): Node => {
  if (node['type'] !== 'integer') return {};
  const [minimum, maximum] = [Number(node['minimum']), Number(node['maximum'])];
  return { format: minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64' };
};

/** zod sets these bounds on every integer. */
const isNoise = (value: unknown): boolean => value === Number.MIN_SAFE_INTEGER || value === Number.MAX_SAFE_INTEGER;

const children = (node: Node, path: readonly string[]): Node => {
  const { properties, items, additionalProperties } = node as Record<string, Node | boolean | undefined>;
  if (typeof additionalProperties === 'boolean') {
    fail(path, 'unknown fields are dropped by the API server, neither kept nor refused: use z.object');
  }
  if (properties !== undefined && additionalProperties !== undefined) fail(path, 'it is both an object and a map');
  const rules = (node[validations] ?? []) as readonly Rule[];
  const below = (child: unknown, name: string): Structural => {
    const ruled = withRules(
      child as Node,
      rules.filter(({ field }) => field === name),
    );
    return structural(ruled, [...path, name]);
  };
  return {
    ...(properties === undefined ? {} : { properties: mapValues(properties as Node, below) }),
    ...(items === undefined ? {} : { items: below(items, 'items') }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: below(additionalProperties, 'values') }),
  };
};

const mapValues = (object: Node, change: (value: unknown, key: string) => unknown): Node =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
