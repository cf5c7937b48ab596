// Converts zod schemas to JSON Schemas (2020-12, as in OpenAPI 3.1) in the words of a dialect. PURE.
import { z } from 'zod';
import { lenientId, lenientInteger } from '../../../wire/common.ts';
import { type Dialect, renameField } from '../../../wire/dialect.ts';
import { type Narrowing, narrowingOf } from '../../resources/bodies/narrowing.ts';
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

/** Clients read these leniently, but this service writes them in one form. */
const written: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [lenientInteger, { type: 'integer' }],
  [lenientId, { type: 'string' }],
]);

/** The conversion of zod without meaningless keywords. */
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

/** The schema with the part at `pattern` changed, if there is one. */
function changeAt(schema: JsonSchema, pattern: readonly string[], change: SchemaChange): JsonSchema {
  const [step, ...rest] = pattern;
  if (step === undefined) return change(schema);
  if (step === '*')
    return schema.items === undefined ? schema : { ...schema, items: changeAt(schema.items, rest, change) };
  const inner = schema.properties?.[step];
  if (inner === undefined) return schema;
  return { ...schema, properties: { ...schema.properties, [step]: changeAt(inner, rest, change) } };
}

/** The same for the object whose field is the last step of the pattern. */
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
  if (typeof schema.type === 'string' && schema['enum'] === undefined && schema['const'] === undefined)
    return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
};

interface Walk {
  readonly dialect: Dialect;
  /** Whether an optional field can be null, by its path. */
  readonly nullable: (path: readonly string[]) => boolean;
}

/** Renames fields to the words of the dialect, and adds descriptions and null where it is possible. */
function dress(schema: JsonSchema, walk: Walk, path: readonly string[] = []): JsonSchema {
  const { properties, items, additionalProperties, required, anyOf } = schema;
  const rename = (name: string) => renameField(walk.dialect, name);
  const dressed = Object.entries(properties ?? {}).map(([name, field]) => {
    const at = [...path, name];
    const inner = dress(field, walk, at);
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

/** The schema of an answered resource. Fields that were never set are omitted, or null in the branded dialects. */
export const answerSchema = (dialect: Dialect, schema: z.ZodType): JsonSchema =>
  dress(convert(schema), { dialect, nullable: () => dialect !== 'neutral' });

/** The schema of a body. `nullable`: whether null means "not set" in a field. `filled`: fields that are optional here. */
export function bodySchema(
  dialect: Dialect,
  schema: z.ZodType,
  { nullable, filled = [] }: { readonly nullable: Walk['nullable']; readonly filled?: readonly string[] | undefined },
): JsonSchema {
  const narrowed = narrow(convert(schema), narrowingOf(schema));
  const released = filled.reduce((rest, field) => release(field)(rest), narrowed);
  return dress(released, { dialect, nullable });
}
