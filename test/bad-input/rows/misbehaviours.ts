// Ways of a service to do wrong, one answer each.

import { brokenRead } from '../../operator/kinds/support/replies.ts';
import type { Fault } from '../../support/service/service-proxy.ts';

const html = { 'content-type': 'text/html' };
const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Fault => ({
  act: 'answer',
  reply: { status, body, headers },
});
/** Less than what is too large to be read. */
const deep = 3_500;

export interface Misbehaviour {
  readonly name: string;
  readonly does: Fault;
  readonly reason: string;
  readonly says: RegExp;
  /** Where it surely has no effect, a POST that met it leaves nothing open. */
  readonly harmless?: true;
  /** An object, which is as good as nothing where nothing should be said. */
  readonly object?: true;
  /** In every run, it stands for those that are as harmless and as much of an object, wherever the service was well before. */
  readonly stands?: true;
}

export const misbehaviours: readonly Misbehaviour[] = [
  {
    name: 'half open: it takes the request and never answers',
    does: { act: 'hang' },
    reason: 'UpstreamError',
    says: /did not answer in time/,
    stands: true,
  },
  {
    name: 'it breaks every connection',
    does: { act: 'lose', after: 'nothing' },
    reason: 'UpstreamError',
    says: /the connection to the service broke before its answer was complete/,
  },
  {
    name: 'a redirect',
    does: answer(302, '', { location: 'https://portal.example.com/login?next=x' }),
    reason: 'UpstreamError',
    harmless: true,
    says: /redirects to https:\/\/portal\.example\.com\/login; redirects are not followed: set the endpoint to where the service is/,
  },
  {
    name: 'a page of HTML',
    does: answer(200, '<!DOCTYPE html><html><body>Welcome</body></html>', html),
    reason: 'UpstreamError',
    says: /not follow the API: its body is not JSON/,
  },
  {
    name: 'a 404 in HTML',
    does: answer(404, '<html><body><h1>Not Found</h1>nginx</body></html>', html),
    reason: 'UpstreamError',
    says: /the path does not exist, or a proxy answers: check endpoint, tenant and dialect/,
  },
  {
    name: 'truncated JSON',
    does: answer(200, '{"plugins": [{"name": "vani'),
    reason: 'UpstreamError',
    says: /not follow the API: its body is not JSON/,
  },
  {
    name: 'a 200 of another shape',
    does: answer(200, '{"items": [], "kind": "List"}'),
    reason: 'UpstreamError',
    says: /not follow the API: it has no "(plugins|node_group_template|image|cluster)"/,
    object: true,
    stands: true,
  },
  {
    name: 'a 200 whose fields have other types',
    does: answer(
      200,
      '{"plugins": [{"name": 5}], "node_group_template": {"id": ["x"], "name": 7}, "image": {"id": 5}, "cluster": {"id": 5}}',
    ),
    reason: 'UpstreamError',
    says: /not follow the API: (plugins|node_group_template|image|cluster)\.\S+: Invalid input/,
    object: true,
  },
  {
    name: 'a 404 written out as a 200',
    does: answer(200, brokenRead),
    reason: 'UpstreamError',
    says: /must be read again/,
  },
  {
    name: 'JSON that is nested without end',
    does: answer(
      200,
      `{"plugins":${'['.repeat(deep)}${']'.repeat(deep)},"node_group_template":{"id":"1","node_configs":${'{"a":'.repeat(deep)}1${'}'.repeat(deep + 2)}`,
    ),
    reason: 'UpstreamError',
    says: /not follow the API/,
    object: true,
  },
  {
    name: 'an answer without end',
    does: { act: 'pour', status: 200, drop: '{"plugins":[],"pad":"' },
    reason: 'UpstreamError',
    says: /the answer is too large to be read: it has more than (1024|8192) KiB\. Shorten or delete/,
  },
  {
    name: 'a refusal without end',
    does: { act: 'pour', status: 500, drop: 'x' },
    reason: 'UpstreamError',
    says: /the service (failed|is unavailable)/,
  },
  {
    name: 'too many requests',
    does: answer(429, 'slow down', { 'retry-after': '1' }),
    reason: 'Throttled',
    says: /the service asks for fewer requests/,
    harmless: true,
    stands: true,
  },
  {
    name: '503 of a gateway',
    does: answer(503, '<html>no backend</html>', html),
    reason: 'UpstreamError',
    says: /the service is unavailable/,
  },
];
