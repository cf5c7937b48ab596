// Serves the OpenAPI document: made when it is first asked for, and kept.
import type { FastifyInstance } from 'fastify';
import { createDocument } from './document.ts';
import type { Started } from './operation.ts';

/** As routed: without the extension that every path may have. */
const path = '/openapi';

export const isDocumentPath = (asked: string): boolean => asked === path;

export function mountDocument(app: FastifyInstance, started: Started): void {
  let text: string | undefined;
  app.get(path, (_request, reply) => {
    text ??= JSON.stringify(createDocument(started));
    return reply.header('content-type', 'application/json; charset=utf-8').send(text);
  });
}
