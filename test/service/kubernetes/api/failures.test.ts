// What a failed request to the API server means for an operation.
import { expect, test } from 'vitest';
import { type ApiError, refusalError } from '../../../../src/kube/api-error.ts';
import { explain } from '../../../../src/service/kubernetes/api/failures.ts';
import { Transient } from '../../../../src/service/stages/transient.ts';

const refused = (status: number, message: string, reason?: string): ApiError =>
  refusalError('create jobs data/run-1', {
    status,
    contentType: 'application/json',
    retryAfter: undefined,
    text: JSON.stringify({ kind: 'Status', message, reason }),
  });

test.each([
  [500, 'etcdserver: request timed out'],
  [502, 'bad gateway'],
  [503, 'the server is currently unable to handle the request'],
  [504, 'timeout'],
  [429, 'too many requests'],
  [401, 'the token has expired'],
  [409, 'Operation cannot be fulfilled on resourcequotas "q": the object has been modified'],
])('%i passes: %s', (status, message) => {
  const error = explain(refused(status, message));
  expect(error).toBeInstanceOf(Transient);
  expect((error as Error).message).toBe(`cannot create jobs data/run-1: ${status} ${message}`);
});

test('an object that is there does not pass', () => {
  expect(explain(refused(409, 'jobs.batch "run-1" already exists', 'AlreadyExists'))).not.toBeInstanceOf(Transient);
});

test.each([
  [422, 'Job.batch "run-1" is invalid: spec.template', undefined],
  [403, 'jobs.batch "run-1" is forbidden: exceeded quota: q', undefined],
  [
    403,
    'jobs.batch is forbidden: User "service" cannot create resource "jobs" in API group "batch"',
    'grant it what deploy/provisioner/role.yaml has, in this namespace',
  ],
  [404, 'namespaces "data" not found', 'make the namespace, or check --namespace and --tenant-namespaces'],
])('%i does not pass: %s', (status, message, remedy) => {
  const error = explain(refused(status, message));
  expect(error).not.toBeInstanceOf(Transient);
  const told = `cannot create jobs data/run-1: ${status} ${message}`;
  expect((error as Error).message).toBe(remedy === undefined ? told : `${told}: ${remedy}`);
});

test('a page of 404 that does not come from the API server does not pass', () => {
  const page = { status: 404, contentType: 'text/html', retryAfter: undefined, text: 'nothing is here' };
  expect(explain(refusalError('create jobs data/run-1', page))).not.toBeInstanceOf(Transient);
});
