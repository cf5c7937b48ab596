// Describes one endpoint as an OpenAPI operation in the words of a dialect. PURE.
import { STATUS_CODES } from 'node:http';
import type { Dialect } from '../../../wire/dialect.ts';
import { type CauseKey, causesIn, commonCauses, type RefusalCause } from '../../model/causes.ts';
import { type MayBeUnset, mayBeUnset, mayBeUnsetAnywhere } from '../../resources/bodies/null-fields.ts';
import type { Body, Parameter, Success } from '../../resources/endpoints/about.ts';
import type { Endpoint } from '../../resources/endpoints/endpoint.ts';
import { type ShownKey, shown } from '../../resources/views/answers.ts';
import { bodySchema, type JsonSchema } from './json-schema.ts';

/** The settings of a service that affect its document. */
export interface Started {
  readonly dialect: Dialect;
  readonly logIn: 'none' | 'tokens' | 'keystone';
}

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** `node_group` becomes `NodeGroup`. */
export const componentName = (key: ShownKey): string =>
  (shown[key].component ?? shown[key].single).replaceAll(/(?:^|_)(\w)/g, (_text, letter: string) =>
    letter.toUpperCase(),
  );

const tenant: Parameter = {
  name: 'tenant_id',
  description: 'The tenant or project. Without authentication, any text',
};

/** A variable part of a path under its documented name. */
const partOf = ({ about }: Endpoint, name: string): Parameter =>
  name === 'tenant' ? tenant : (about.names?.[name] ?? { name, description: name });

/** The mounted path of the endpoint in the form of OpenAPI. */
export const outerPath = (endpoint: Endpoint, url: string): string =>
  url.replaceAll(/:(\w+)/g, (_text, name: string) => `{${partOf(endpoint, name).name}}`);

const textParameter = ({ name, description, choice, repeated }: Parameter, place: 'path' | 'query') => {
  const one = { type: 'string', ...(choice && { enum: choice }) };
  const schema = repeated === true ? { type: 'array', items: one } : one;
  return { name, in: place, description, ...(place === 'path' && { required: true }), schema };
};

interface Mounted {
  readonly endpoint: Endpoint;
  readonly url: string;
}

function parametersOf({ endpoint, url }: Mounted, dialect: Dialect) {
  const parts = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => partOf(endpoint, name));
  const query = endpoint.about.query?.(dialect) ?? [];
  return [...parts.map((each) => textParameter(each, 'path')), ...query.map((each) => textParameter(each, 'query'))];
}

const nullableIn = (dialect: Dialect, nullFields: Body['nullFields']): MayBeUnset =>
  nullFields === 'unset' ? mayBeUnset(dialect) : mayBeUnsetAnywhere(dialect);

/** The schema of a JSON body in this dialect. */
const requestSchema = (dialect: Dialect, { schema, nullFields, filled }: Body): JsonSchema =>
  bodySchema(dialect, schema(dialect), { nullable: nullableIn(dialect, nullFields), filled });

function requestBodyOf({ reads, about }: Endpoint, dialect: Dialect) {
  if (reads === 'bytes') return { required: true, content: { 'application/octet-stream': {} } };
  if (about.body === undefined) return undefined;
  return { required: true, content: { 'application/json': { schema: requestSchema(dialect, about.body) } } };
}

const wrapped = (key: string, inner: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { [key]: inner },
  required: [key],
});

function contentOf(success: Success, dialect: Dialect) {
  if (success.status === 204) return undefined;
  if ('file' in success && success.text === true) return { 'text/plain': { schema: { type: 'string' } } };
  if ('file' in success)
    return { [dialect === 'neutral' ? 'application/octet-stream' : 'text/html; charset=utf-8']: {} };
  if ('one' in success) {
    const schema = wrapped(shown[success.one].single, reference(componentName(success.one)));
    return { 'application/json': { schema } };
  }
  const items = { type: 'array', items: reference(componentName(success.list)) };
  return { 'application/json': { schema: wrapped(shown[success.list].plural ?? '', items) } };
}

const ofBodies = ({ method, reads, about }: Endpoint): readonly CauseKey[] => {
  const busy: readonly CauseKey[] = ['tooManyBodies', 'tooManyAnswers'];
  if (method === 'GET') return ['tooManyAnswers'];
  if (reads === 'bytes') return ['noType', 'badBinary', 'tooBig', ...busy];
  if (reads === 'text') return ['noType', 'form', 'tooLarge', ...busy];
  return about.body === undefined
    ? ['noType', 'tooLarge', ...busy]
    : ['notJson', 'noType', 'otherType', 'invalid', 'tooLarge', ...busy];
};

/** All causes for which the endpoint refuses a request. */
export function causesOf(endpoint: Endpoint, { dialect, logIn }: Started): readonly RefusalCause[] {
  const { path, about } = endpoint;
  const own = typeof about.causes === 'function' ? about.causes(dialect) : (about.causes ?? []);
  const ofPath: readonly CauseKey[] = path.includes(':id') ? ['missing'] : [];
  const ofVolume: readonly CauseKey[] = ['GET', 'DELETE'].includes(endpoint.method) ? [] : ['noRoom'];
  return causesIn(dialect, [...ofPath, ...ofBodies(endpoint), ...ofVolume, ...own, ...commonCauses(logIn)]);
}

const namedOneOf = (names: RefusalCause['name'][]) => ({ description: 'The kind of error', enum: names });

/** The schemas of error bodies. Those of the tenant filter are not JSON. */
function errorSchemas(dialect: Dialect, causes: readonly RefusalCause[]): readonly JsonSchema[] {
  const of = (origin: RefusalCause['origin']) => causes.filter((cause) => cause.origin === origin);
  const own = dialect === 'neutral' ? causes : of('service');
  const names = [...new Set(own.map(({ name }) => name))];
  const named = { allOf: [reference('Error'), { type: 'object', properties: { error_name: namedOneOf(names) } }] };
  if (dialect === 'neutral') return [named];
  return [
    ...(names.length > 0 ? [named] : []),
    ...(of('framework').length > 0 ? [reference('FrameworkError')] : []),
    ...(of('identity').length > 0 ? [reference('IdentityError')] : []),
  ];
}

function errorResponse(dialect: Dialect, status: number, causes: readonly RefusalCause[]) {
  const schemas = errorSchemas(dialect, causes);
  const plain = dialect !== 'neutral' && causes.some(({ origin }) => origin === 'tenant');
  const lines = causes.map(({ name, when }) => `- \`${name}\`: ${when}`);
  return {
    description: [STATUS_CODES[status] ?? '', ...lines].join('\n'),
    content: {
      ...(schemas.length > 0 && {
        'application/json': { schema: schemas.length > 1 ? { anyOf: schemas } : schemas[0] },
      }),
      ...(plain && { 'text/plain': { schema: { type: 'string' } }, 'text/html': { schema: { type: 'string' } } }),
    },
  };
}

export function errorResponses(dialect: Dialect, causes: readonly RefusalCause[]): Readonly<Record<string, object>> {
  const byStatus = Map.groupBy(causes, ({ status }) => status);
  return Object.fromEntries([...byStatus].map(([status, of]) => [String(status), errorResponse(dialect, status, of)]));
}

function responsesOf(endpoint: Endpoint, started: Started) {
  const { success } = endpoint.about;
  const content = contentOf(success, started.dialect);
  return {
    [success.status]: { description: STATUS_CODES[success.status] ?? '', ...(content && { content }) },
    ...errorResponses(started.dialect, causesOf(endpoint, started)),
  };
}

/** `List clusters` becomes `listClusters`. */
const operationIdOf = ({ about }: Endpoint): string =>
  about.summary
    .replaceAll(/[ -](\w)/g, (_text, letter: string) => letter.toUpperCase())
    .replace(/^\w/, (first) => first.toLowerCase());

/** `suffix` distinguishes the operation id from that of the same operation under another prefix. */
export function describeOperation(mounted: Mounted, started: Started, suffix: string): object {
  const { endpoint } = mounted;
  const { about, path } = endpoint;
  const requestBody = requestBodyOf(endpoint, started.dialect);
  return {
    operationId: operationIdOf(endpoint) + suffix,
    tags: [path.split('/')[0]],
    summary: about.summary,
    ...(about.description !== undefined && { description: about.description }),
    ...(about.extension === true && { 'x-extension': true }),
    parameters: parametersOf(mounted, started.dialect),
    ...(requestBody && { requestBody }),
    responses: responsesOf(endpoint, started),
  };
}
