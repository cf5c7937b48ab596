// Services that do wrong: from the first request on, or from the moment in which something is made.
import type { Fault } from '../kinds/support/fault-proxy.ts';
import { brokenRead } from '../kinds/support/replies.ts';
import { narrowTenant, planted } from './bench.ts';
import { cluster, secret, tokenFrom, worker } from './parts.ts';
import type { TroubleRow } from './row.ts';

const html = { 'content-type': 'text/html' };
const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Fault => ({
  act: 'answer',
  reply: { status, body, headers },
});
const deep = 200_000;

interface Misbehaviour {
  readonly name: string;
  readonly does: Fault;
  readonly reason: string;
  readonly says: RegExp;
  /** Where it surely has no effect, a POST that met it leaves nothing open. */
  readonly harmless?: true;
}

const misbehaviours: readonly Misbehaviour[] = [
  {
    name: 'half open: it takes the request and never answers',
    does: { act: 'hang' },
    reason: 'UpstreamError',
    says: /did not answer in time/,
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
    says: /redirects to https:\/\/portal\.example\.com\/login; redirects are not followed: set the endpoint to where the service is/,
  },
  {
    name: 'a page of HTML',
    does: answer(200, '<!DOCTYPE html><html><body>Welcome</body></html>', html),
    reason: 'UpstreamError',
    says: /not what the interface says: its body is not JSON/,
  },
  {
    name: 'a 404 in HTML',
    does: answer(404, '<html><body><h1>Not Found</h1>nginx</body></html>', html),
    reason: 'UpstreamError',
    says: /no such path.*check endpoint, tenant and dialect/,
  },
  {
    name: 'truncated JSON',
    does: answer(200, '{"plugins": [{"name": "vani'),
    reason: 'UpstreamError',
    says: /not what the interface says: its body is not JSON/,
  },
  {
    name: 'a 200 of another shape',
    does: answer(200, '{"items": [], "kind": "List"}'),
    reason: 'UpstreamError',
    says: /not what the interface says: it has no "(plugins|node_group_template)"/,
  },
  {
    name: 'a 200 whose fields have other types',
    does: answer(200, '{"plugins": [{"name": 5}], "node_group_template": {"id": ["x"], "name": 7}}'),
    reason: 'UpstreamError',
    says: /not what the interface says: (plugins|node_group_template)\.\S+: Invalid input/,
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
    says: /not what the interface says/,
  },
  {
    name: 'an answer without end',
    does: { act: 'pour', status: 200, drop: '{"plugins":[],"pad":"' },
    reason: 'UpstreamError',
    says: /the answer is too large to be read/,
  },
  {
    name: 'a refusal without end',
    does: { act: 'pour', status: 500, drop: 'x' },
    reason: 'UpstreamError',
    says: /the service (failed|is not available)/,
  },
  {
    name: 'too many requests',
    does: answer(429, 'slow down', { 'retry-after': '1' }),
    reason: 'Throttled',
    says: /the service asks for fewer requests/,
    harmless: true,
  },
  {
    name: '503 of a gateway',
    does: answer(503, '<html>no backend</html>', html),
    reason: 'UpstreamError',
    says: /the service is not available/,
  },
];

/** Who waits for an answer that never comes need not wait long. */
const impatient = ({ act }: Fault) => (act === 'hang' ? { connection: { timeoutSeconds: 1 } } : {});

/** From the first request on: the Connection says it, its dependents wait for it, and everything can go. */
const fromTheStart: readonly TroubleRow[] = misbehaviours.map(({ name, does, reason, says }) => ({
  name,
  ...impatient(does),
  fault: { does, from: 'start' },
  parts: [worker(), cluster()],
  told: [
    { kind: 'Connection', name: '@', reason, says },
    { kind: 'NodeGroupTemplate', name: '@-worker', reason: 'DependencyNotReady', says },
    { kind: 'Cluster', name: '@-etl', reason: 'DependencyNotReady', says },
  ],
  deletable: 'during',
  made: 0,
}));

/** The service is fine until something is to be made. */
const whenMaking: readonly TroubleRow[] = misbehaviours.map(({ name, does, reason, says, harmless }) => ({
  name: `${name}, to a create`,
  ...impatient(does),
  fault: { does, from: 'ready', method: 'POST' },
  parts: [worker()],
  told: [{ kind: 'NodeGroupTemplate', name: '@-worker', reason, says }],
  deletable: harmless ? 'during' : 'after',
  made: 0,
}));

const wrongToken = 'Check the token in Secret @, and spec.tenantID';

export const endpointRows: readonly TroubleRow[] = [
  ...fromTheStart,
  ...whenMaking,
  {
    name: 'nobody listens',
    connection: { endpoint: 'http://127.0.0.1:9' },
    parts: [worker()],
    told: [
      { kind: 'Connection', name: '@', reason: 'UpstreamError', says: /http:\/\/127\.0\.0\.1:9: .*connection refused/ },
      {
        kind: 'NodeGroupTemplate',
        name: '@-worker',
        reason: 'DependencyNotReady',
        says: /Connection @ is not ready: .*connection refused/,
      },
    ],
    deletable: 'during',
    made: 0,
  },
  {
    name: 'a host name that does not exist',
    connection: { endpoint: 'http://nowhere.invalid' },
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'UpstreamError',
        says: /its host name cannot be resolved\. Check spec.endpoint, and whether the service runs/,
      },
    ],
    deletable: 'during',
    made: 0,
  },
  {
    name: 'https to a service without it',
    connection: { endpoint: 'https://@service' },
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'UpstreamError',
        says: /no trusted TLS connection.*check the endpoint and the CA bundle/,
      },
    ],
    deletable: 'during',
    made: 0,
  },
  {
    name: 'a wrong token',
    secrets: [secret('@', { token: planted.wrong })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'Unauthorized',
        says: new RegExp(`cannot reach the service at http://.*does not accept the token.*${wrongToken}`),
      },
      { kind: 'NodeGroupTemplate', name: '@-worker', reason: 'DependencyNotReady', says: new RegExp(wrongToken) },
    ],
    deletable: 'during',
    made: 0,
  },
  {
    name: 'no token where one is needed',
    connection: { auth: { type: 'None' } },
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'Unauthorized',
        says: /X-Auth-Token is missing.*Give it credentials in spec.auth/,
      },
    ],
    deletable: 'during',
    made: 0,
  },
  {
    name: `a token of the tenant ${narrowTenant} only`,
    secrets: [secret('@', { token: planted.narrow })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'Unauthorized',
        says: new RegExp(`the token is for another tenant.*${wrongToken}`),
      },
    ],
    deletable: 'during',
    made: 0,
  },
  {
    name: 'a token that no header can carry',
    secrets: [secret('@', { token: `two\nlines ${planted.wrong}` })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'Unauthorized',
        says: /the token has characters that no header can carry/,
      },
    ],
    deletable: 'during',
    made: 0,
  },
];
