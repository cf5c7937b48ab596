// Holds exchanges with a service against the OpenAPI document that it serves.
import { z } from 'zod';

interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly description: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

export interface Document {
  readonly openapi: string;
  readonly info: { readonly summary: string };
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly securitySchemes: object };
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly sent?: unknown;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface Place {
  readonly template: string;
  readonly operation: Operation;
}

interface Template {
  readonly template: string;
  readonly pattern: RegExp;
}
const templatesOf = new WeakMap<Document, readonly Template[]>();

/** What stands there literally is meant before what can be anything. */
function templatesIn(document: Document): readonly Template[] {
  const known = templatesOf.get(document);
  if (known !== undefined) return known;
  const templates = Object.keys(document.paths)
    .toSorted((one, other) => one.split('{').length - other.split('{').length)
    .map((template) => {
      const pattern = template.replace(/\.json$/, '').replaceAll(/\{\w+\}/g, '[^/]+');
      return { template, pattern: new RegExp(`^${pattern}$`) };
    });
  templatesOf.set(document, templates);
  return templates;
}

/** The operation that a request is for; undefined where the document has none. */
export function findOperation(document: Document, method: string, url: string): Place | undefined {
  const path = (url.split(/[?#]/)[0] ?? '').replace(/\.json$/, '');
  for (const { template, pattern } of templatesIn(document)) {
    const operation = document.paths[template]?.[method.toLowerCase()];
    if (operation !== undefined && pattern.test(path)) return { template, operation };
  }
  return undefined;
}

/** The schema with what it refers to put in. Throws when there is no such thing. */
export function resolve(document: Document, schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    const target = document.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (target === undefined) throw new Error(`there is no ${schema.$ref}`);
    return resolve(document, target);
  }
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return typeof value === 'object' && value !== null ? resolve(document, value as Schema) : value;
  };
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, inside(value)]));
}

/** Where the value has a field that the resolved schema does not name. */
function undocumented(schema: Schema, value: unknown, at = 'body'): readonly string[] {
  const { properties, items, anyOf, allOf } = schema;
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((item, i) => undocumented(items, item, `${at}[${i}]`));
  if (typeof value !== 'object' || value === null) return [];
  if (allOf !== undefined) return undocumented(allOf[0] ?? {}, value, at);
  if (anyOf !== undefined)
    return anyOf.map((each) => undocumented(each, value, at)).toSorted((a, b) => a.length - b.length)[0] ?? [];
  if (properties === undefined || schema.additionalProperties !== undefined) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return field === undefined ? [`${at}.${name} is not in the document`] : undocumented(field, inner, `${at}.${name}`);
  });
}

interface Checked {
  readonly schema: Schema;
  readonly zod: z.ZodType;
}
const converted = new WeakMap<Schema, Checked>();

function checkerOf(document: Document, schema: Schema): Checked {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const resolved = resolve(document, schema);
  const checked = { schema: resolved, zod: z.fromJSONSchema(resolved as Parameters<typeof z.fromJSONSchema>[0]) };
  converted.set(schema, checked);
  return checked;
}

/** What is wrong with the value by the schema. */
export function violations(document: Document, schema: Schema, value: unknown): readonly string[] {
  const result = checkerOf(document, schema).zod.safeParse(value);
  return result.success ? [] : result.error.issues.map(({ path, message }) => `body.${path.join('.')}: ${message}`);
}

/** Makes all at once what is otherwise made when it is first needed: then it is not taken for something that is left behind. */
export function prepare(document: Document): void {
  for (const item of Object.values(document.paths))
    for (const { requestBody, responses } of Object.values(item))
      for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)])
        for (const { schema } of Object.values(content)) if (schema !== undefined) checkerOf(document, schema);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function judgeAnswer(document: Document, operation: Operation, { status, type, text }: Exchange): readonly string[] {
  const response = operation.responses[String(status)];
  if (response === undefined) return [`status ${status} is not in the document`];
  const media = type.split(';')[0] ?? '';
  const found = Object.entries(response.content ?? {}).find(([name]) => name.split(';')[0] === media);
  if (found === undefined)
    return response.content === undefined && text === '' ? [] : [`type ${type} is not in the document`];
  const schema = found[1].schema;
  if (schema === undefined || media !== 'application/json') return [];
  const value = parse(text);
  return [...violations(document, schema, value), ...undocumented(checkerOf(document, schema).schema, value)];
}

/** Bodies that are taken have to fit, and those that do not fit must not be taken. */
function judgeBody(document: Document, { requestBody }: Operation, { sent, status }: Exchange): readonly string[] {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined || sent === undefined || status >= 400) return [];
  return violations(document, schema, sent).map((line) => `taken, although ${line}`);
}

/** What is wrong with an exchange by the document. Of paths and methods that are not in it only the refusal is judged. */
export function judge(document: Document, exchange: Exchange): readonly string[] {
  const { method, path, status } = exchange;
  const place = findOperation(document, method, path);
  // A body that there is no memory for is refused before anybody looks at its path.
  const isRefused = (status >= 400 && status < 500) || status === 503;
  if (place === undefined) return isRefused ? [] : [`${method} ${path} is not in the document`];
  const lines = [
    ...judgeAnswer(document, place.operation, exchange),
    ...judgeBody(document, place.operation, exchange),
  ];
  return lines.map((line) => `${method} ${path} ${status}: ${line}`);
}
