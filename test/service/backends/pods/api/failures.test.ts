// What a failed request to the API server means for an operation, by what is known of earlier ones.
import { expect, test } from 'vitest';
import { ApiError, refusalError } from '../../../../../src/kube/api-error.ts';
import { explain, type RequestHistory } from '../../../../../src/service/backends/pods/api/failures.ts';
import { Requests } from '../../../../../src/service/backends/pods/api/requests.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { ManualClock } from '../../../../support/clock.ts';

const refused = (status: number, message: string, reason?: string): ApiError =>
  refusalError('create jobs data/run-1', {
    status,
    contentType: 'application/json',
    retryAfter: undefined,
    text: JSON.stringify({ kind: 'Status', apiVersion: 'v1', message, reason }),
  });

const said = (status: number, text: string, contentType = 'text/plain'): ApiError =>
  refusalError('create jobs data/run-1', { status, contentType, retryAfter: undefined, text });
const absentKind = said(404, '404 page not found\n');
const notReady = refused(403, 'jobs.batch "run-1" is forbidden: not yet ready to handle request', 'Forbidden');
const forbidden = refused(
  403,
  'jobs.batch is forbidden: User "service" cannot create resource "jobs" in API group "batch"',
);
const noNamespace = refused(404, 'namespaces "data" not found');
const execForbidden = new ApiError(
  'forbidden',
  'cannot run cat in container master in pod data/x: 403 the API server does not allow it',
  { status: 403 },
);

const minute = 60_000;
const never = (refusedMs: number): RequestHistory => ({ hasWorked: false, refusedMs });
const before = (refusedMs: number): RequestHistory => ({ hasWorked: true, refusedMs });

test.each([
  [500, 'etcdserver: request timed out'],
  [502, 'bad gateway'],
  [503, 'the server is currently unable to handle the request'],
  [504, 'timeout'],
  [429, 'too many requests'],
  [409, 'Operation cannot be fulfilled on resourcequotas "q": the object has been modified'],
])('%i passes: %s', (status, message) => {
  for (const history of [never(0), before(60 * minute)]) {
    const error = explain(refused(status, message), history);
    expect(error).toBeInstanceOf(Transient);
    expect((error as Error).message).toBe(`cannot create jobs data/run-1: ${status} ${message}`);
  }
});

test.each([
  ['an object that is there', refused(409, 'jobs.batch "run-1" already exists', 'AlreadyExists')],
  ['an object that is not there', refused(404, 'jobs.batch "run-1" not found', 'NotFound')],
  ['an object that is wrong', refused(422, 'Job.batch "run-1" is invalid: spec.template')],
  ['an object that is too large', refused(413, 'Request entity too large: limit is 3145728')],
  ['an object that nobody can read', refused(400, 'Job in version "v1" cannot be handled as a Job')],
  [
    'an object with unknown fields',
    refused(500, 'failed to create typed patch object (data/run-1; batch/v1, Kind=Job)'),
  ],
  ['a quota', refused(403, 'jobs.batch "run-1" is forbidden: exceeded quota: q, requested: count/jobs.batch=1')],
  ['PodSecurity', refused(403, 'pods "run-1" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot')],
  ['an admission webhook', refused(403, 'admission webhook "x" denied the request: no')],
  [
    'an admission webhook with the words of RBAC',
    refused(403, 'admission webhook "x" denied the request: pods cannot request resource nvidia.com/gpu'),
  ],
  [
    'an admission policy',
    refused(403, `jobs.batch "run-1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`),
  ],
  ['anything else', new Error('a bug')],
])('%s is as it is, whatever has worked', (_what, error) => {
  for (const history of [never(0), never(minute), before(0), before(60 * minute)])
    expect(explain(error, history)).toBe(error);
});

test.each([
  ['RBAC', forbidden, 'grant it what deploy/provisioner/role.yaml has, in this namespace'],
  ['RBAC for commands', execForbidden, 'grant it what deploy/provisioner/role.yaml has, in this namespace'],
  ['a missing namespace', noNamespace, 'make the namespace, or check --namespace and --tenant-namespaces'],
  ['a missing kind', absentKind, 'check that this is the address of an API server, and its version'],
  [
    'a missing kind of a group',
    refused(404, 'the server could not find the requested resource', 'NotFound'),
    'check that this is the address of an API server, and its version',
  ],
  [
    'a verb that is not served',
    refused(405, 'the server does not allow this method on the requested resource'),
    'check that this is the address of an API server, and its version',
  ],
  ['an admission that is not ready', notReady, 'check the quotas and the admission plugins of the API server'],
  [
    'a quota that is not counted yet',
    refused(403, 'jobs.batch "run-1" is forbidden: status unknown for quota: q, resources: count/jobs.batch'),
    'check the quotas and the admission plugins of the API server',
  ],
  [
    'a ServiceAccount that is not there yet',
    refused(403, 'pods "run-1" is forbidden: error looking up service account data/default: not found'),
    'check the quotas and the admission plugins of the API server',
  ],
  [
    'parameters of an admission policy that are not synchronized yet',
    refused(
      422,
      `jobs.batch "run-1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed to configure binding: paramKind kind \`v1, Kind=ConfigMap\` not yet synced to use for admission`,
      'Invalid',
    ),
    'check the admission policy, and that its parameters are there',
  ],
  [
    'an admission policy that is not known yet, and says 403',
    refused(
      403,
      `jobs.batch "run-1" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: no kind`,
      'Forbidden',
    ),
    'check the admission policy, and that its parameters are there',
  ],
  [
    'a namespace that ends',
    refused(
      403,
      'jobs.batch "run-1" is forbidden: unable to create new content in namespace data because it is being terminated',
    ),
    'check the quotas and the admission plugins of the API server',
  ],
])('a refusal because of %s', (_why, error, remedy) => {
  // Never worked: a minute for the caches of an API server that has just started, then final.
  for (const refusedMs of [0, minute - 1]) {
    expect(explain(error, never(refusedMs))).toBeInstanceOf(Transient);
    expect(explain(error, never(refusedMs))).toMatchObject({ message: `${error.message}: ${remedy}`, cause: error });
  }
  expect(explain(error, never(minute))).not.toBeInstanceOf(Transient);
  expect(explain(error, never(minute))).toMatchObject({ message: `${error.message}: ${remedy}`, cause: error });
  // Has worked: never final.
  expect(explain(error, before(10 * minute - 1))).toMatchObject({ name: 'Transient', message: error.message });
  const late = { name: 'Transient', message: `cannot look: ${error.message}: ${remedy}` };
  expect(explain(error, before(10 * minute))).toMatchObject(late);
  expect(explain(error, before(600 * minute))).toMatchObject(late);
});

test.each([
  ['a page of a load balancer', said(403, '<html><body>no</body></html>', 'text/html')],
  ['JSON of a gateway', said(404, '{"message":"no Route matched with those values"}', 'application/json')],
  ['a text', said(400, 'Bad Request')],
  ['a limit of a proxy', said(413, 'too large')],
  ['a login page', said(401, '<html>log in</html>', 'text/html')],
  ['a redirect', said(302, 'moved')],
  ['JSON with a reason', said(409, '{"reason":"AlreadyExists"}', 'application/json')],
])('what somebody else answers passes, however long it lasts: %s', (_what, error) => {
  for (const history of [never(0), never(60 * minute), before(0), before(60 * minute)])
    expect(explain(error, history)).toMatchObject({ name: 'Transient', message: error.message, cause: error });
});

test('credentials that are not accepted are never final, because they are renewed', () => {
  const error = refused(401, 'the token has expired');
  for (const history of [never(0), never(10 * minute), before(60 * minute)])
    expect(explain(error, history)).toBeInstanceOf(Transient);
  expect(explain(error, never(10 * minute))).toMatchObject({ message: expect.stringContaining('cannot look: ') });
});

test('what has worked is known by verb, kind and namespace, and refusals count while they are in a row', async () => {
  const clock = new ManualClock();
  const requests = new Requests(clock);
  const get = { method: 'GET', path: '/apis/batch/v1/namespaces/data/jobs/run-1' } as const;
  const create = { method: 'POST', path: '/apis/batch/v1/namespaces/data/jobs' } as const;
  const refuse = (call: Parameters<Requests['make']>[0]) => requests.make(call, () => Promise.reject(forbidden));
  const elsewhere = { ...get, path: '/apis/batch/v1/namespaces/other/jobs/run-1' } as const;
  await requests.make(get, async () => 'a job');
  for (const call of [get, create, elsewhere]) await expect(refuse(call)).rejects.toBeInstanceOf(Transient);
  await clock.advance(minute);
  await expect(refuse(get)).rejects.toBeInstanceOf(Transient);
  for (const call of [create, elsewhere]) await expect(refuse(call)).rejects.toBeInstanceOf(ApiError);
  // Nobody has asked for a long time, so the next refusal is the first one of another start of the API server.
  await clock.advance(10 * minute);
  await expect(refuse(create)).rejects.toBeInstanceOf(Transient);
  // Whoever is told that there is no such object was allowed to ask.
  const absent = refused(404, 'jobs.batch "run-1" not found', 'NotFound');
  await expect(requests.make(elsewhere, () => Promise.reject(absent))).rejects.toBe(absent);
  await expect(refuse(elsewhere)).rejects.toBeInstanceOf(Transient);
  await clock.advance(2 * minute);
  await expect(refuse(elsewhere)).rejects.toBeInstanceOf(Transient);
});

test('what was made before the service was restarted has worked, for its kinds in its namespace', async () => {
  const clock = new ManualClock();
  const requests = new Requests(clock);
  requests.recall('data', ['secrets']);
  const refuse = (path: string) => requests.make({ method: 'GET', path }, () => Promise.reject(forbidden));
  const [made, other, elsewhere] = ['data/secrets/a', 'data/jobs/a', 'other/secrets/a'].map(
    (place) => `/api/v1/namespaces/${place}`,
  ) as [string, string, string];
  for (const path of [made, other, elsewhere]) await expect(refuse(path)).rejects.toBeInstanceOf(Transient);
  await clock.advance(minute);
  await expect(refuse(made)).rejects.toBeInstanceOf(Transient);
  for (const path of [other, elsewhere]) await expect(refuse(path)).rejects.toBeInstanceOf(ApiError);
});
