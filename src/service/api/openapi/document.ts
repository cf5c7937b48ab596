// The OpenAPI 3.1 document of a service in its dialect, which is created on the first request.
import type { FastifyInstance } from 'fastify';
import { apiPrefix, type Dialect, dialects } from '../../../wire/dialect.ts';
import { causesIn, commonCauses } from '../../model/causes.ts';
import { endpoints } from '../../resources/all-routes.ts';
import type { Endpoint } from '../../resources/endpoints/endpoint.ts';
import { type ShownKey, shown } from '../../resources/views/answers.ts';
import { urlsOf } from '../http/paths.ts';
import { answerSchema, type JsonSchema } from './json-schema.ts';
import { componentName, describeOperation, errorResponses, outerPath, type Started } from './operation.ts';

const description = `The interface of the data-processing service, as the bundled service implements it.

- \`.json\` can be appended to the last segment of every path.
- An unknown path is answered 404, and an unknown method 405.
- With faults, the service also gives the answers that they define.`;

const spoken: Readonly<Record<Dialect, string>> = {
  neutral: 'the interface as written',
  sahara: 'the vocabulary and behavior of late upstream releases',
  savanna: 'the vocabulary and behavior of early upstream releases',
};

const status = { type: 'integer', description: 'The status of the answer' };
const problem = { type: 'string', description: 'The problem' };
const kindOf = (type: string | readonly string[]) => ({ type, description: 'The kind of error' });

/** An object that has all of these fields. */
const whole = (description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
});

const errorComponents = (dialect: Dialect): Readonly<Record<string, JsonSchema>> => ({
  Error: whole('A refusal of the service itself', {
    error_code: status,
    error_name: kindOf(dialect === 'sahara' ? ['string', 'integer'] : 'string'),
    error_message: problem,
  }),
  FrameworkError: whole('A refusal of the HTTP framework', { error: status, error_message: problem }),
  IdentityError: whole('A refusal of the token middleware', {
    error: whole('What is wrong', { code: status, title: kindOf('string'), message: problem }),
  }),
});

const keys = Object.keys(shown) as ShownKey[];

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

/** The paths that need neither a token nor a tenant. */
const openPaths = (dialect: Dialect) => {
  const errors = errorResponses(dialect, causesIn(dialect, commonCauses('none')));
  return {
    '/': {
      get: {
        operationId: 'listVersions',
        tags: ['service'],
        summary: 'List versions',
        description: 'Needs no token, so it is suitable as a health check.',
        security: [],
        responses: {
          300: {
            description: 'The versions there are',
            content: json({ type: 'object', properties: { versions: { type: 'array' } }, required: ['versions'] }),
          },
          ...errors,
        },
      },
    },
    '/openapi.json': {
      get: {
        operationId: 'showDocument',
        tags: ['service'],
        summary: 'Show document',
        description: 'This document. Needs no token.',
        security: [],
        responses: { 200: { description: 'OpenAPI 3.1', content: json({ type: 'object' }) }, ...errors },
      },
    },
  };
};

type DocumentPaths = Record<string, Record<string, object>>;

/** The suffix of an operation id. It is empty under the main prefix of the dialect, and otherwise describes the difference. */
function suffixOf(dialect: Dialect, urls: readonly string[], url: string): string {
  const main = urls.find((each) => each.startsWith(`/${apiPrefix(dialect)}/`)) ?? urls[0] ?? '';
  const [version = '', mainVersion] = [url, main].map((each) => each.split('/')[1]);
  const under = version === mainVersion ? '' : `Under${version.toUpperCase().replace('.', '')}`;
  return under + (url.includes(':tenant/') ? '' : 'WithoutTenant');
}

function pathsOf(endpoints: readonly Endpoint[], started: Started): DocumentPaths {
  const paths: DocumentPaths = openPaths(started.dialect);
  for (const endpoint of endpoints) {
    const urls = urlsOf(started.dialect, endpoint);
    for (const url of urls) {
      const path = outerPath(endpoint, url);
      const operation = describeOperation({ endpoint, url }, started, suffixOf(started.dialect, urls, url));
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
    }
  }
  return paths;
}

const schemesOf = ({ logIn }: Started) => ({
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: {
      none: 'Ignored',
      tokens: 'A token that the service was started with',
      keystone: 'A token of Keystone',
    }[logIn],
  },
});

/** The components that the paths refer to. Components do not refer to each other. */
function usedIn(paths: DocumentPaths, dialect: Dialect): Readonly<Record<string, JsonSchema>> {
  const schemas = keys.map((key) => [componentName(key), answerSchema(dialect, shown[key].schema(dialect))] as const);
  const text = JSON.stringify(paths);
  const all = [...schemas, ...Object.entries(errorComponents(dialect))];
  return Object.fromEntries(all.filter(([name]) => text.includes(`"#/components/schemas/${name}"`)));
}

/** The document as an object for JSON. */
export function createDocument(started: Started): object {
  const { dialect, logIn } = started;
  const tags = [...new Set(['service', ...endpoints.map(({ path }) => path.split('/')[0] ?? '')])];
  const paths = pathsOf(endpoints, started);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Data-processing service',
      version: '1.1',
      summary: `Dialect ${dialect}, of ${dialects.join(', ')}: ${spoken[dialect]}`,
      description,
    },
    servers: [{ url: '/' }],
    security: logIn === 'none' ? [{}] : [{ token: [] }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: { schemas: usedIn(paths, dialect), securitySchemes: schemesOf(started) },
  };
}

/** The path as routed, without the optional extension. */
const path = '/openapi';

export const isDocumentPath = (asked: string): boolean => asked === path;

export function mountDocument(app: FastifyInstance, started: Started): void {
  let text: string | undefined;
  app.get(path, (_request, reply) => {
    text ??= JSON.stringify(createDocument(started));
    return reply.header('content-type', 'application/json; charset=utf-8').send(text);
  });
}
