// The page of the service: its clusters and runs in a browser, for those who have a token.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { drawSecret } from '../../../lib/system.ts';
import { toRefusal } from '../../model/refusal.ts';
import type { Service } from '../../resources/service.ts';
import type { Gate } from '../authentication/gate.ts';
import type { TakeTurn } from '../http/turns.ts';
import { loginPage, overviewPage, style } from './render.ts';
import { clusterRows, runRows } from './rows.ts';
import { Sessions } from './sessions.ts';

interface PageOptions {
  readonly service: Service;
  readonly gate: Gate;
  /** Callers authenticate. */
  readonly needsToken: boolean;
  /** A form is parsed when it is its turn: nobody needs a token to send one. */
  readonly takeTurn: TakeTurn;
}

const root = '/page';
/** A token has some KiB at most, because it has to fit into the head of a request. */
const longestForm = 8 * 1_024;
const longestTenant = 255;

const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  // Without a referrer, a browser would not say from which page a form is sent.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** It has an authentication of its own. */
export const isPagePath = (path: string): boolean => path === root || path.startsWith(`${root}/`);

/** Must be mounted after the protection against pages of other sites, which also protects its forms. */
export function mountPage(app: FastifyInstance, options: PageOptions): void {
  const sessions = new Sessions({ clock: options.service.clock, draw: () => drawSecret(32) });
  void app.register((page, _options, done) => {
    const form = { parseAs: 'string', bodyLimit: longestForm } as const;
    page.addContentTypeParser<string>('application/x-www-form-urlencoded', form, (request, text, parsed) =>
      options.takeTurn(request, () => parsed(null, Object.fromEntries(new URLSearchParams(text)))),
    );
    page.addHook('onRequest', (_request, reply, next) => {
      void reply.headers(headers);
      next();
    });
    page.get(`${root}/style.css`, (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
    page.get(root, async (request, reply) => overview(options, sessions, { request, reply }));
    page.post(`${root}/login`, { bodyLimit: longestForm }, async (request, reply) =>
      login(options, sessions, { request, reply }),
    );
    page.post(`${root}/logout`, { bodyLimit: longestForm }, async (request, reply) =>
      reply.header('set-cookie', sessions.end(request.headers.cookie)).redirect(root, 303),
    );
    done();
  });
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const sendHtml = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(text);

function fieldOf(fields: unknown, name: string): string {
  const value = (fields as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof value === 'string' ? value.trim() : '';
}

async function overview(options: PageOptions, sessions: Sessions, { request, reply }: Exchange): Promise<FastifyReply> {
  const { service, needsToken } = options;
  const asked = fieldOf(request.query, 'tenant').slice(0, longestTenant);
  const token = sessions.tokenOf(request.headers.cookie);
  if (asked === '' || (needsToken && token === undefined))
    return sendHtml(reply, 200, loginPage({ tenant: asked, needsToken }));
  const passed = await tenantFor(options, token, asked);
  if ('problem' in passed)
    return sendHtml(reply, passed.status, loginPage({ tenant: asked, needsToken, problem: passed.problem }));
  const { tenant } = passed;
  const [clusters, runs] = [clusterRows(service.store, tenant), runRows(service.store, tenant)];
  return sendHtml(reply, 200, overviewPage({ tenant, clusters, runs, canSignOut: needsToken }));
}

async function login(options: PageOptions, sessions: Sessions, { request, reply }: Exchange): Promise<FastifyReply> {
  const { needsToken } = options;
  const [tenant, token] = [fieldOf(request.body, 'tenant').slice(0, longestTenant), fieldOf(request.body, 'token')];
  const passed = await tenantFor(options, needsToken ? token : undefined, tenant);
  if ('problem' in passed)
    return sendHtml(reply, passed.status, loginPage({ tenant, needsToken, problem: passed.problem }));
  // What a proxy with TLS sends. Whoever lies about it gets a cookie that the own browser does not send.
  const isSecure = request.headers['x-forwarded-proto'] === 'https';
  if (needsToken) void reply.header('set-cookie', sessions.begin(token, isSecure));
  return reply.redirect(`${root}?${new URLSearchParams({ tenant }).toString()}`, 303);
}

/** The tenant to show, or why not. */
async function tenantFor(
  { gate }: PageOptions,
  token: string | undefined,
  tenant: string,
): Promise<{ readonly tenant: string } | { readonly problem: string; readonly status: number }> {
  try {
    return { tenant: (await gate(token, tenant)) ?? tenant };
  } catch (error) {
    const { status, message } = toRefusal(error as Error);
    return { problem: message, status };
  }
}
