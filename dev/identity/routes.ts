// The part of Keystone v3 that authentication needs, as routes below /v3: issues, shows and revokes tokens.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, toRefusal } from '../../src/service/model/refusal.ts';
import type { Accounts } from './accounts.ts';
import { logIn } from './login.ts';
import { IdentityRefusal, renderIdentityRefusal, unauthorized } from './refusal.ts';
import type { Throttle } from './throttle.ts';
import type { Token, Tokens } from './tokens.ts';
import { type IdentityPlace, showToken, showVersion } from './view.ts';

interface IdentityPart {
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly throttle: Throttle;
}

/** Whether the Keystone answers the request. */
export const isIdentityPath = (url: string): boolean => /^\/v3(?:[/?]|$)/.test(url);

const placeOf = ({ protocol, host }: FastifyRequest): IdentityPlace => ({ base: `${protocol}://${host}` });

function headerOf({ headers }: FastifyRequest, name: 'x-auth-token' | 'x-subject-token'): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The token that the request is about. Only its owner can ask. */
function subjectOf({ tokens }: IdentityPart, request: FastifyRequest): Token {
  const caller = tokens.find(headerOf(request, 'x-auth-token'));
  if (caller === undefined) throw unauthorized();
  const subject = tokens.find(headerOf(request, 'x-subject-token'));
  if (subject === undefined) throw new IdentityRefusal(404, 'Could not find token.');
  if (subject.user.id !== caller.user.id) {
    throw new IdentityRefusal(403, 'You are not authorized to perform the requested action: identity:validate_token.');
  }
  return subject;
}

function refuse(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = error instanceof IdentityRefusal ? error : toRefusal(error);
  if (error instanceof IdentityRefusal && error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
  if (status === 401) reply.header('www-authenticate', `Keystone uri="${placeOf(request).base}/v3"`);
  return reply.code(status).header('content-type', 'application/json').send(renderIdentityRefusal(status, message));
}

function sendToken(
  { accounts }: IdentityPart,
  token: Token,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const withoutCatalogue = Object.hasOwn(request.query as object, 'nocatalog');
  const body = showToken(token, { accounts, place: placeOf(request), withoutCatalogue });
  return reply.header('x-subject-token', token.id).header('vary', 'X-Auth-Token').send(body);
}

/** Bodies and refusals have the form of Keystone in every dialect. */
export function mountIdentity(app: FastifyInstance, identity: IdentityPart): void {
  const version = (request: FastifyRequest) => ({ version: showVersion(placeOf(request)) });
  const mount = async (part: FastifyInstance): Promise<void> => {
    part.setErrorHandler(refuse);
    part.setNotFoundHandler(() => {
      throw new Refusal([404, 'NOT_FOUND'], 'The resource could not be found.');
    });
    // Answers with and without the trailing slash.
    part.get('/', version);
    part.post('/auth/tokens', (request, reply) => {
      const attempt = identity.throttle.attemptFrom(request.ip);
      const token = identity.tokens.issue(logIn(identity.accounts, request.body, attempt));
      return sendToken(identity, token, request, reply.code(201));
    });
    part.get('/auth/tokens', (request, reply) => sendToken(identity, subjectOf(identity, request), request, reply));
    part.delete('/auth/tokens', (request, reply) => {
      identity.tokens.revoke(subjectOf(identity, request));
      return reply.code(204).send();
    });
  };
  void app.register(mount, { prefix: '/v3' });
}
