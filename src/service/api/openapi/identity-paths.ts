// The paths of the identity service in the OpenAPI document, with the JSON Schemas of its requests and answers. PURE.
import { STATUS_CODES } from 'node:http';
import { causesIn, commonCauses } from '../../model/causes.ts';
import type { JsonSchema } from './json-schema.ts';
import { errorResponses, type Started } from './operation.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

function object(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  ...required: readonly string[]
): JsonSchema {
  return { type: 'object', description, properties, ...(required.length > 0 && { required }) };
}
const list = (description: string, items: JsonSchema): JsonSchema => ({ type: 'array', description, items });

const named = (what: string, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  object(what, {
    id: text('Identifier'),
    name: text('Name, which needs the domain'),
    domain: object('Where the name is from', { id: text('Identifier'), name: text('Name') }),
    ...more,
  });

/** The body of a login request. */
const logInBody = object(
  'The request',
  {
    auth: object(
      'How to authenticate',
      {
        identity: object(
          'Who, and how that is proved',
          {
            methods: {
              ...list('One method', { type: 'string', enum: ['password', 'application_credential'] }),
              minItems: 1,
              maxItems: 1,
            },
            password: object('For `password`', { user: named('Who', { password: text('Password') }) }, 'user'),
            application_credential: object(
              'For `application_credential`',
              {
                id: text('Identifier'),
                name: text('Name, which needs the user'),
                user: named('Whose it is'),
                secret: text('Secret'),
              },
              'secret',
            ),
          },
          'methods',
        ),
        scope: {
          description: 'What the token is for. Without it, for nothing; an application credential has its own',
          anyOf: [
            { type: 'string', enum: ['unscoped'] },
            object('A project', { project: named('Which one') }, 'project'),
          ],
        },
      },
      'identity',
    ),
  },
  'auth',
);

const endpoint = object('Where it is', {
  id: text('Identifier'),
  interface: { type: 'string', description: 'For whom', enum: ['public', 'internal', 'admin'] },
  region: text('Region'),
  region_id: text('Region'),
  url: text('Address'),
});

const service = object('A service', {
  id: text('Identifier'),
  type: text('What it does'),
  name: text('Name'),
  endpoints: list('Its addresses', endpoint),
});

/** The answer about a token. The token itself is in a header. */
const tokenAnswer = object(
  'The answer',
  {
    token: object(
      'The token',
      {
        methods: list('How it was got', { type: 'string' }),
        user: named('Whose it is', { password_expires_at: { type: 'null', description: 'Passwords do not expire' } }),
        audit_ids: list('What it is called in logs', { type: 'string' }),
        issued_at: text('When it was got'),
        expires_at: text('Until when it is good'),
        project: named('What it is for'),
        is_domain: { type: 'boolean', description: 'Whether the project is a domain: no' },
        roles: list('What its holder is', object('A role', { id: text('Identifier'), name: text('Name') })),
        catalog: list('What there is, unless `nocatalog` is asked for', service),
        application_credential: object('What it was got with', {
          id: text('Identifier'),
          name: text('Name'),
          restricted: { type: 'boolean', description: 'Whether it can make no others: yes' },
        }),
      },
      'methods',
      'user',
      'audit_ids',
      'issued_at',
      'expires_at',
    ),
  },
  'token',
);

const versionAnswer = object(
  'The answer',
  {
    version: object('The version', {
      id: text('Which one'),
      status: text('Whether it is to be used'),
      updated: text('When it was changed'),
      links: list('Where it is', object('A link', { rel: text('What it is'), href: text('Address') })),
      'media-types': list('What it speaks', object('A type', { base: text('Form'), type: text('Name') })),
    }),
  },
  'version',
);

export const identityTag = 'identity';

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });
const refusals: Readonly<Record<number, string>> = {
  400: 'the body is not JSON, or is incomplete; the message names the problem',
  401: 'the credentials are wrong, or `X-Auth-Token` is missing, invalid or expired',
  403: 'the token belongs to another user, or a page of another site sends the request',
  404: 'there is no such token, or no such application credential',
  413: 'the body is larger than 1 MiB',
  415: 'the body is not labeled as `application/json`',
  429: 'too many logins from this address or for this account have failed; `Retry-After` is the time to wait',
};

/** The errors of Keystone and those of every route, which have one form for all refusals. */
function errorsOf({ dialect }: Started, statuses: readonly number[]): Readonly<Record<string, object>> {
  const common = errorResponses(dialect, causesIn(dialect, commonCauses('none')));
  const framework = { $ref: `#/components/schemas/${dialect === 'neutral' ? 'Error' : 'FrameworkError'}` };
  const identity = { $ref: '#/components/schemas/IdentityError' };
  const own = statuses.map((status) => {
    const schema = Object.hasOwn(common, status) ? { anyOf: [identity, framework] } : identity;
    return [status, { description: `${STATUS_CODES[status]}: ${refusals[status]}`, content: json(schema) }] as const;
  });
  return { ...common, ...Object.fromEntries(own) };
}

const subjectHeaders = {
  'X-Subject-Token': { description: 'The token', schema: { type: 'string' } },
};
const subject = {
  name: 'X-Subject-Token',
  in: 'header',
  required: true,
  description: 'The token in question, which must belong to the caller',
  schema: { type: 'string' },
};
const withoutCatalogue = {
  name: 'nocatalog',
  in: 'query',
  description: 'If it is present, the answer has no `catalog`',
  schema: { type: 'string' },
};

const operation = (operationId: string, summary: string, rest: object) => ({
  operationId,
  tags: [identityTag],
  summary,
  ...rest,
});

function tokenOperations(started: Started) {
  const withToken = (description: string) => ({ description, headers: subjectHeaders, content: json(tokenAnswer) });
  const refused = errorsOf(started, [401, 403, 404]);
  const guarded = { security: [{ token: [] }], parameters: [subject] };
  const asked = { ...guarded, parameters: [subject, withoutCatalogue] };
  return {
    post: operation('createToken', 'Log in', {
      description: 'The token is in the header `X-Subject-Token` of the answer.',
      security: [],
      parameters: [withoutCatalogue],
      requestBody: { required: true, content: json(logInBody) },
      responses: { 201: withToken('A new token'), ...errorsOf(started, [400, 401, 403, 404, 413, 415, 429]) },
    }),
    get: operation('showToken', 'Show token', {
      ...asked,
      responses: { 200: withToken('The token is valid'), ...refused },
    }),
    head: operation('checkToken', 'Check token', {
      ...asked,
      responses: { 200: { description: 'The token is valid', headers: subjectHeaders }, ...refused },
    }),
    delete: operation('revokeToken', 'Revoke token', {
      ...guarded,
      responses: { 204: { description: 'The token is revoked' }, ...errorsOf(started, [401, 403, 404, 413, 415]) },
    }),
  };
}

const version = (started: Started, operationId: string) => ({
  get: operation(operationId, 'Show version of identity', {
    description: 'Needs no token. The trailing slash is optional.',
    security: [],
    responses: { 200: { description: 'The version', content: json(versionAnswer) }, ...errorsOf(started, [403]) },
  }),
});

/** The paths below /v3, in the form of Keystone in every dialect. */
export const identityPaths = (started: Started): Readonly<Record<string, Record<string, object>>> => ({
  '/v3': version(started, 'showIdentityVersion'),
  '/v3/': version(started, 'showIdentityVersionWithSlash'),
  '/v3/auth/tokens': tokenOperations(started),
});
