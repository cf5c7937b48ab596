// Bounds the memory that the bodies of all requests under way take together.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

const mebibyte = 1024 ** 2;
/** Of all bodies together. What is made of them takes about as much again. The memory limit of the deployment has room for both. */
export const allBytes = 48 * mebibyte;
/** What only small bodies may take of it, so that they pass while large ones fill the rest. */
const reservedBytes = 8 * mebibyte;
const smallBytes = 64 * 1024;
const retrySeconds = 1;

/** One tenant gets at most half, so that its slow uploads leave room for those of others. */
const mostOf = (size: number, isOfTenant: boolean): number =>
  (allBytes - (size <= smallBytes ? 0 : reservedBytes)) / (isOfTenant ? 2 : 1);

/** As many bytes as the body can have: its length, or what the route admits. 0: there is none. */
function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (length !== undefined) return Math.min(Number(length), routeOptions.bodyLimit);
  return encoding === undefined ? 0 : routeOptions.bodyLimit;
}

/**
 * Refuses a body with 503 and `Retry-After` while others take the memory that there is for all of them. A body counts until its request is answered. Must be
 * mounted after the check of tokens.
 */
export function limitBodies(app: FastifyInstance, tenantOf: (request: FastifyRequest) => string | undefined): void {
  const byTenant = new Map<string, number>();
  let all = 0;
  const add = (tenant: string, size: number): void => {
    all += size;
    const left = (byTenant.get(tenant) ?? 0) + size;
    if (left === 0) byTenant.delete(tenant);
    else byTenant.set(tenant, left);
  };
  app.addHook('preParsing', (request, reply, payload, done) => {
    const [size, tenant] = [sizeOf(request), tenantOf(request) ?? ''];
    if (size === 0) return done(null, payload);
    if (all + size > mostOf(size, false) || (byTenant.get(tenant) ?? 0) + size > mostOf(size, true)) {
      void reply.header('retry-after', retrySeconds);
      const why = 'the bodies of other requests take the memory that there is for them';
      return done(
        new Refusal([503, 'SERVICE_UNAVAILABLE'], `cannot read body now: ${why}; send the request again later`),
      );
    }
    add(tenant, size);
    reply.raw.once('close', () => add(tenant, -size));
    return done(null, payload);
  });
}
