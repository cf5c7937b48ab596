// Where pods get the files of their run, and the permit to start it. Nothing else is served at this port.
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type HttpLimits, limitConnections, timeoutOptions, warnAboutDrops } from '../../../../lib/http/http-limits.ts';
import type { Clock, Log } from '../../../../lib/ports.ts';
import { runnerHeader } from '../../runs/start-permit.ts';
import { isIdentifier, type PodRuns } from './pod-runs.ts';

interface RunParams {
  readonly run: string;
  readonly index?: string;
}

/** The paths below the address of a run. */
export const runPath = (run: string): string => `/runs/${encodeURIComponent(run)}`;

const decided = { message: 'the run was started before, or was killed: it is never started again' } as const;

/** Empty if the runner has drawn nothing. */
function runnerOf({ headers }: FastifyRequest): string {
  const { [runnerHeader]: drawn } = headers;
  return typeof drawn === 'string' && isIdentifier(drawn) ? drawn : '';
}

interface RunnerServerOptions {
  readonly runs: PodRuns;
  /** Those of the other port: whoever runs a job reaches this one. */
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly log: Log;
}

/** A query would be parsed before the token is checked. No path has one. */
const rewriteUrl = ({ url = '/' }: IncomingMessage): string => url.replace(/[?#].*$/s, '');

/** Not yet listening. */
export function createRunnerServer({ runs, limits, clock, log }: RunnerServerOptions): FastifyInstance {
  const app = fastify({ ...timeoutOptions(limits), forceCloseConnections: true, bodyLimit: 1024, rewriteUrl });
  limitConnections(app, limits);
  warnAboutDrops(app, limits, log, clock);
  const admit = (request: FastifyRequest, reply: FastifyReply): string | undefined => {
    const { run } = request.params as RunParams;
    const [, token = ''] = /^Bearer (\S{1,256})$/.exec(request.headers.authorization ?? '') ?? [];
    if (runs.admits(run, token)) return run;
    void reply.code(401).send({ message: 'this is not the token of such a run' });
    return undefined;
  };
  app.get('/healthz', (_request, reply) => reply.type('text/plain; charset=utf-8').send('ok\n'));
  app.get('/runs/:run/files', (request, reply) => {
    const run = admit(request, reply);
    if (run === undefined) return reply;
    // Its files are gone by then.
    if (runs.decision(run) !== undefined) return reply.code(409).send(decided);
    const files = runs.files(run);
    return files === undefined
      ? reply.code(404).send({ message: 'the files are not complete' })
      : reply.send({ files });
  });
  app.get('/runs/:run/files/:index', (request, reply) => {
    const run = admit(request, reply);
    if (run === undefined) return reply;
    const file = runs.files(run)?.[Number((request.params as RunParams).index)];
    if (file === undefined) return reply.code(404).send({ message: 'there is no such file' });
    const { work } = runs.paths(run);
    return reply
      .type('application/octet-stream')
      .header('content-length', file.bytes)
      .send(createReadStream(join(work, file.path)));
  });
  app.post('/runs/:run/start', (request, reply) => {
    const run = admit(request, reply);
    if (run === undefined) return reply;
    return runs.start(run, runnerOf(request)) ? reply.code(204).send() : reply.code(409).send(decided);
  });
  return app;
}
