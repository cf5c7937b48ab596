// Serves the OpenAPI document, which is created on the first request.
import type { FastifyInstance } from 'fastify';
import { createDocument } from './document.ts';
import type { Started } from './operation.ts';

/** The path as routed, without the optional extension. */
const path = '/openapi';

export const isDocumentPath = (asked: string): boolean => asked === path;

export function mountDocument(app: FastifyInstance, started: Started): void {
  let text: string | undefined;
  app.get(path, (_request, reply) => {
    text ??= JSON.stringify(createDocument(started));
    return reply.header('content-type', 'application/json; charset=utf-8').send(text);
  });
}
