// The control port, which reads and replaces the personality while the service runs and reports what it did, and its token.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type HttpLimits, limitConnections, timeoutOptions } from '../../src/lib/http/http-limits.ts';
import { isSameSecret } from '../../src/lib/secrets.ts';
import { answerMalformed } from '../../src/service/api/http/malformed.ts';
import { type HostNames, mountSites } from '../../src/service/api/http/sites.ts';
import { Refusal, renderRefusal, toRefusal } from '../../src/service/model/refusal.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Injector } from './injector.ts';
import { parsePersonality } from './personality-text.ts';

interface ControlToken {
  readonly token: string;
  readonly file: string;
  /** Removes the file, unless the user named it. */
  readonly forget: () => void;
}

/** Creates a token that cannot be guessed. */
type Draw = () => string;

function createToken(file: string, draw: Draw): string {
  const token = draw();
  writeFileSync(file, `${token}\n`, { flag: 'wx', mode: 0o600 });
  return token;
}

/** Undefined if the file does not exist. */
function readToken(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (!/^[!-~]+$/.test(text)) throw new Error('it has to hold one line of letters, digits and signs, without spaces');
  return text;
}

function openNamed(file: string, draw: Draw): string {
  try {
    return readToken(file) ?? createToken(file, draw);
  } catch (cause) {
    throw new Error(`cannot use --control-token-file ${file}: ${(cause as Error).message}`, { cause });
  }
}

/** Creates the file if it is missing. Without a name, the file is created in a folder of its own. */
export function openControlToken(named: string | undefined, draw: Draw): ControlToken {
  if (named !== undefined) return { token: openNamed(named, draw), file: named, forget: () => {} };
  const file = join(mkdtempSync(join(tmpdir(), 'dataprocessing-service-')), 'control-token');
  return {
    token: createToken(file, draw),
    file,
    forget: () => rmSync(dirname(file), { recursive: true, force: true }),
  };
}

interface ControlAccess {
  readonly token: string;
  readonly names: HostNames;
  readonly limits: HttpLimits;
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
    `cannot read body: it is labeled as neither JSON nor YAML; ${remedy}`,
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
    clientErrorHandler: answerMalformed('neutral'),
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
