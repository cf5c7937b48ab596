// JSON Schemas (2020-12, which OpenAPI 3.1 uses) from zod schemas, in the words of a dialect. PURE.
import { z } from 'zod';
import { lenientId, lenientInteger } from '../../wire/common.ts';
import { type Dialect, renameField } from '../../wire/dialect.ts';
import { patterned } from '../bodies/line-ends.ts';
import { type Narrowing, narrowingOf } from '../bodies/narrowing.ts';
import { describeField } from './field-texts.ts';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly JsonSchema[];
}

/** Clients read these leniently; this service writes them in one way. */
const written: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [lenientInteger, { type: 'integer' }],
  [lenientId, { type: 'string' }],
]);

/** As zod has it, without what says nothing. */
function convert(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const instead = written.get(zodSchema);
      if (instead !== undefined) {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, instead);
      }
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      delete jsonSchema.propertyNames;
      delete jsonSchema.default;
    },
  });
  return converted as JsonSchema;
}

type SchemaChange = (schema: JsonSchema) => JsonSchema;

/** The schema with what stands at `pattern` changed; unchanged where nothing stands there. */
function changeAt(schema: JsonSchema, pattern: readonly string[], change: SchemaChange): JsonSchema {
  const [step, ...rest] = pattern;
  if (step === undefined) return change(schema);
  if (step === '*')
    return schema.items === undefined ? schema : { ...schema, items: changeAt(schema.items, rest, change) };
  const inner = schema.properties?.[step];
  if (inner === undefined) return schema;
  return { ...schema, properties: { ...schema.properties, [step]: changeAt(inner, rest, change) } };
}

/** The same for the object that the last step of the pattern is a field of. */
function changeOwner(schema: JsonSchema, pattern: string, change: (field: string) => SchemaChange): JsonSchema {
  const steps = pattern.split('.');
  return changeAt(schema, steps.slice(0, -1), change(steps.at(-1) ?? ''));
}

const drop =
  (field: string) =>
  (schema: JsonSchema): JsonSchema => {
    const { [field]: _, ...properties } = schema.properties ?? {};
    return { ...schema, properties };
  };
const demand =
  (field: string) =>
  (schema: JsonSchema): JsonSchema => ({
    ...schema,
    required: [...new Set([...(schema.required ?? []), field])],
  });
const release =
  (field: string) =>
  (schema: JsonSchema): JsonSchema => ({
    ...schema,
    required: (schema.required ?? []).filter((name) => name !== field),
  });

const narrow = (schema: JsonSchema, { without = [], needs = [], choices = {}, forms = {} }: Narrowing): JsonSchema => {
  const dropped = without.reduce((rest, pattern) => changeOwner(rest, pattern, drop), schema);
  const demanded = needs.reduce((rest, pattern) => changeOwner(rest, pattern, demand), dropped);
  const chosen = Object.entries(choices).reduce(
    (rest, [place, choice]) => changeAt(rest, place.split('.'), (field) => ({ ...field, enum: choice })),
    demanded,
  );
  return Object.entries(forms).reduce(
    (rest, [place, { pattern }]) =>
      changeAt(rest, place.split('.'), (field) => ({ ...field, pattern: pattern.source })),
    chosen,
  );
};

const orNull = (schema: JsonSchema): JsonSchema => {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type === 'string' && schema['enum'] === undefined)
    return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
};

/** Upstream overlooks a line end behind some texts. */
function withLineEnd(schema: JsonSchema): JsonSchema {
  const { items, pattern } = schema;
  return {
    ...schema,
    ...(items && { items: withLineEnd(items) }),
    ...(typeof pattern === 'string' && { pattern: pattern.replace(/\$$/, '\\n?$') }),
  };
}

interface Walk {
  readonly dialect: Dialect;
  /** Whether texts in this field may have a line end behind them. */
  readonly ended?: (name: string) => boolean;
  /** Whether a field that is not required may be null, by the path to it. */
  readonly nullable: (path: readonly string[]) => boolean;
}

/** Every field in the words of the dialect, with its description, and null where that may stand for nothing. */
function dress(schema: JsonSchema, walk: Walk, path: readonly string[] = []): JsonSchema {
  const { properties, items, additionalProperties, required, anyOf } = schema;
  const rename = (name: string) => renameField(walk.dialect, name);
  const dressed = Object.entries(properties ?? {}).map(([name, field]) => {
    const at = [...path, name];
    const inner = dress(walk.ended?.(name) === true ? withLineEnd(field) : field, walk, at);
    const optional = required?.includes(name) !== true;
    const described = { description: describeField(name), ...(optional && walk.nullable(at) ? orNull(inner) : inner) };
    return [rename(name), described] as const;
  });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(dressed) }),
    ...(required && { required: required.map(rename) }),
    ...(items && { items: dress(items, walk, path) }),
    ...(anyOf && { anyOf: anyOf.map((each) => dress(each, walk, path)) }),
    ...(typeof additionalProperties === 'object' &&
      additionalProperties !== null && {
        additionalProperties: dress(additionalProperties as JsonSchema, walk, [...path, '']),
      }),
  };
}

/** A resource as it is answered. What was never set is left out, or null in the branded dialects. */
export const answerSchema = (dialect: Dialect, schema: z.ZodType): JsonSchema =>
  dress(convert(schema), { dialect, nullable: () => dialect !== 'neutral' });

/** `nullable`: whether null in this field stands for nothing. `filled`: fields that need not be in it. */
export function bodySchema(
  dialect: Dialect,
  schema: z.ZodType,
  { nullable, filled = [] }: { readonly nullable: Walk['nullable']; readonly filled?: readonly string[] | undefined },
): JsonSchema {
  const narrowed = narrow(convert(schema), narrowingOf(schema));
  const released = filled.reduce((rest, field) => release(field)(rest), narrowed);
  return dress(released, { dialect, nullable, ended: (name) => dialect !== 'neutral' && patterned.has(name) });
}
