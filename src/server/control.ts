// The control port: which personality is in force and what it did, to be read and exchanged while the service runs.
import fastify, { type FastifyInstance } from 'fastify';
import type { Dialect } from '../wire/dialect.ts';
import type { Injector } from './injector.ts';
import { parsePersonality } from './personality-text.ts';
import { Refusal, renderRefusal, toRefusal } from './refusal.ts';

/** The application, not yet listening. Refusals have the shape of section 7. */
export function createControl(injector: Injector, dialect: Dialect): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
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
