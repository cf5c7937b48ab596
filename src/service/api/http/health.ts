// The paths by which Kubernetes, load balancers and Prometheus check the service: no token is needed, and nothing is logged.
import type { FastifyInstance } from 'fastify';
import type { Volume } from '../../model/disk/volume.ts';
import { createMetrics, type MetricSources } from './metrics.ts';

const healthPath = '/healthz';
const metricsPath = '/metrics';

export const isHealthPath = (path: string): boolean => path === healthPath || path === metricsPath;

/** A service on a full volume is alive: it serves reads and deletions, and a restart would not help. */
function textOf(volume: Volume | undefined): string {
  if (volume?.isFull !== true) return 'ok\n';
  const why = volume.lacksFiles ? ' (no more files can be made)' : '';
  return `ok, but the volume of the data is full${why}: only reads, deletions and cancellations work until there is room\n`;
}

/** Mounted before the service listens, so it answers as soon as requests are taken. */
export function mountHealth(app: FastifyInstance, measured: MetricSources): void {
  const { volume } = measured;
  const metrics = createMetrics(measured);
  app.get(healthPath, (_request, reply) => reply.type('text/plain; charset=utf-8').send(textOf(volume)));
  app.get(metricsPath, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}
