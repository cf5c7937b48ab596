// The path by which Kubernetes and load balancers check the service: no token is needed, and nothing is logged.
import type { FastifyInstance } from 'fastify';

export const healthPath = '/healthz';

/** Mounted before the service listens, so it answers as soon as requests are taken. */
export function mountHealth(app: FastifyInstance): void {
  app.get(healthPath, (_request, reply) => reply.type('text/plain; charset=utf-8').send('ok\n'));
}
