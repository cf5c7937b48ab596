// The paths of the identity service in the OpenAPI document. PURE.
import { STATUS_CODES } from 'node:http';
import { causesIn, commonCauses } from './causes.ts';
import { logInBody, tokenAnswer, versionAnswer } from './identity-schemas.ts';
import type { JsonSchema } from './json-schema.ts';
import { errorResponses, type Started } from './operation.ts';

export const identityTag = 'identity';

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });
const refusals: Readonly<Record<number, string>> = {
  400: 'the body is not JSON, or is incomplete; the message names the problem',
  401: 'the credentials are wrong, or `X-Auth-Token` is missing, invalid or expired',
  403: 'the token belongs to another user, or a page of another site sends the request',
  404: 'there is no such token',
  413: 'the body is larger than 1 MiB',
  415: 'the body is not labelled as `application/json`',
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
      responses: { 201: withToken('A new token'), ...errorsOf(started, [400, 401, 403, 413, 415, 429]) },
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
