// Every exchange of the contract tests is held against the document that the service gives of itself.

import { createDocument } from '../../src/service/api/openapi/document.ts';
import type { ServerOptions } from '../../src/service/program/options.ts';
import { logInOf } from '../../src/service/program/server.ts';
import { type Document, judge } from '../support/service/openapi.ts';
import { type Peer, peerOf } from './peer.ts';

/** Services that are started alike have one document. */
const documents = new Map<string, Document>();

function documentOf(options: Partial<ServerOptions>): Document {
  const started = { dialect: options.dialect ?? 'neutral', logIn: logInOf(options) };
  const known = documents.get(Object.values(started).join());
  if (known !== undefined) return known;
  const document = createDocument(started) as Document;
  documents.set(Object.values(started).join(), document);
  return document;
}

/** Nobody documents what hooks answer, nor what is outside of the product. */
const isForeign = ({ hooks, identity }: Partial<ServerOptions>, path: string) =>
  hooks !== undefined || identity?.isPath(path) === true;

/** The same peer. Rejects when an answer, or a body that was taken, is not what the document says. */
export const documented = (options: Partial<ServerOptions>, peer: Peer): Peer => {
  const send: Peer['send'] = async (method, path, sent, headers) => {
    const reply = await peer.send(method, path, sent, headers);
    if (isForeign(options, path)) return reply;
    const { status, text } = reply;
    const type = reply.headers.get('content-type') ?? '';
    const body = typeof sent === 'string' ? undefined : sent;
    const problems = judge(documentOf(options), { method, path, sent: body, status, type, text });
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return reply;
  };
  return peerOf({ ...peer, send });
};
