// The control port: reads and replaces the personality while the service runs, and reports what it did.
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Dialect } from '../../wire/dialect.ts';
import { isSameSecret } from '../authentication/secrets.ts';
import { type Limits, limitConnections, timeoutOptions } from '../http/limits.ts';
import { answerMalformed } from '../http/malformed.ts';
import { Refusal, renderRefusal, toRefusal } from '../http/refusal.ts';
import { type HostNames, mountSites } from '../http/sites.ts';
import type { Injector } from './injector.ts';
import { parsePersonality } from './personality-text.ts';

interface ControlAccess {
  readonly token: string;
  readonly names: HostNames;
  readonly limits: Limits;
}

/** Web pages cannot send any of these without a preflight request. */
const types = ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/** The text of the body. Throws a 415 unless its media type is supported. */
function readText(type: string | undefined, text: string): string {
  const [mediaType = ''] = (type ?? '').split(';');
  if (text === '' || types.includes(mediaType.trim().toLowerCase())) return text;
  const remedy = 'send application/json or application/yaml';
  throw new Refusal(
    [415, 'UNSUPPORTED_MEDIA_TYPE'],
    `cannot read body: it is labelled as neither JSON nor YAML; ${remedy}`,
  );
}

function mountAccess(app: FastifyInstance, { token, names }: ControlAccess): void {
  mountSites(app, names);
  app.addHook('onRequest', (request, _reply, done) => {
    const sent = request.headers['x-auth-token'];
    if (isSameSecret(typeof sent === 'string' ? sent : '', token)) return done();
    const where = 'X-Auth-Token has to be what is in the file that the third line of the output names';
    done(new Refusal([401, 'UNAUTHORIZED'], `cannot authenticate: ${where}`, 'framework'));
  });
}

/** The application, not yet listening. Refusals have the form of section 7. */
export function createControl(injector: Injector, dialect: Dialect, access: ControlAccess): FastifyInstance {
  const app = fastify({
    ...timeoutOptions(access.limits),
    forceCloseConnections: true,
    clientErrorHandler: answerMalformed('neutral', () => ({})),
  });
  limitConnections(app, access.limits);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (request: FastifyRequest, text: string) =>
    readText(request.headers['content-type'], text),
  );
  app.setErrorHandler((error: Error, _request, reply) => {
    const { status, headers, body } = renderRefusal('neutral', toRefusal(error), () => '');
    return reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(({ url, method }) => {
    throw new Refusal(
      [404, 'NOT_FOUND'],
      `cannot ${method} ${url}: there are GET, PUT, DELETE /personality, GET /counts`,
    );
  });
  mountAccess(app, access);
  app.get('/personality', async () => injector.personality);
  app.put('/personality', async ({ body }) => {
    injector.replace(parsePersonality(dialect, typeof body === 'string' ? body : ''));
    return injector.personality;
  });
  app.delete('/personality', async (_request, reply) => {
    injector.replace({});
    return reply.code(204).send();
  });
  app.get('/counts', async () => injector.counts());
  return app;
}
