// The paths of the identity service in the OpenAPI document. PURE.
import { STATUS_CODES } from 'node:http';
import { causesIn, commonCauses } from './causes.ts';
import { logInBody, tokenAnswer, versionAnswer } from './identity-schemas.ts';
import type { JsonSchema } from './json-schema.ts';
import { errorResponses, type Started } from './operation.ts';

export const identityTag = 'identity';

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });
const refusals: Readonly<Record<number, string>> = {
  400: 'the body is not JSON, or lacks something; the message says what',
  401: 'the log-in is wrong, or `X-Auth-Token` is missing, or is no good token or not any more',
  403: 'the token is of somebody else, or a page of another site sends the request',
  404: 'there is no such token',
  413: 'the body is larger than 1 MiB',
  415: 'the body is not labelled as `application/json`',
  429: 'too many log-ins have failed, from this address or for this account; `Retry-After` says how long to wait',
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
  description: 'The token that is asked about: of whoever asks',
  schema: { type: 'string' },
};
const withoutCatalogue = {
  name: 'nocatalog',
  in: 'query',
  description: 'When it is there, the answer has no `catalog`',
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
    get: operation('showToken', 'Show token', { ...asked, responses: { 200: withToken('It is good'), ...refused } }),
    head: operation('checkToken', 'Check token', {
      ...asked,
      responses: { 200: { description: 'It is good', headers: subjectHeaders }, ...refused },
    }),
    delete: operation('revokeToken', 'Revoke token', {
      ...guarded,
      responses: { 204: { description: 'It is good no more' }, ...errorsOf(started, [401, 403, 404, 413, 415]) },
    }),
  };
}

const version = (started: Started, operationId: string) => ({
  get: operation(operationId, 'Show version of identity', {
    description: 'Answered without a token, and with or without the slash.',
    security: [],
    responses: { 200: { description: 'What is served', content: json(versionAnswer) }, ...errorsOf(started, [403]) },
  }),
});

/** The paths below /v3, in the form of Keystone in every dialect. */
export const identityPaths = (started: Started): Readonly<Record<string, Record<string, object>>> => ({
  '/v3': version(started, 'showIdentityVersion'),
  '/v3/': version(started, 'showIdentityVersionWithSlash'),
  '/v3/auth/tokens': tokenOperations(started),
});
