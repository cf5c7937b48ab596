// The JSON Schemas of requests to and answers of the identity service. PURE.
import type { JsonSchema } from './json-schema.ts';

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
export const logInBody = object(
  'The request',
  {
    auth: object(
      'The log-in',
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
export const tokenAnswer = object(
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

export const versionAnswer = object(
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
