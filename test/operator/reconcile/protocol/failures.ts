// Failures of requests as the adapter hands them out, one for each thing that can be certain about their effect.
import { type Category, type Method, ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { classify } from '../../../../src/wire/errors/table.ts';

function own(status: number, name: string, message: string): string {
  return JSON.stringify({ error_code: status, error_name: name, error_message: message });
}

function answered(method: Method, status: number, name: string, message: string): ServiceError {
  const failure = { phase: 'answered', status, body: own(status, name, message) } as const;
  return classify({ method, path: '/v1.0/demo/clusters' }, failure);
}

export const unsent = (method: Method): ServiceError =>
  classify({ method, path: '/v1.0/demo/clusters' }, { phase: 'unsent', code: 'ECONNREFUSED' });
export const unauthorized = (method: Method): ServiceError => answered(method, 401, 'UNAUTHORIZED', 'bad token');
export const throttled = (method: Method): ServiceError =>
  classify({ method, path: '/v1.0/demo/clusters' }, { phase: 'answered', status: 429, body: '', retryAfter: '7' });
export const reset = (method: Method): ServiceError =>
  classify({ method, path: '/v1.0/demo/clusters' }, { phase: 'unanswered', code: 'ECONNRESET' });
export const fault = (method: Method): ServiceError => answered(method, 500, 'INTERNAL_SERVER_ERROR', 'boom');
/** As of a gateway. */
export const unavailable = (method: Method): ServiceError =>
  classify({ method, path: '/v1.0/demo/clusters' }, { phase: 'answered', status: 503, body: '<html>down</html>' });
export const quota = (method: Method): ServiceError => answered(method, 400, 'QUOTA_ERROR', 'too many machines');
export const invalid = (method: Method): ServiceError => answered(method, 400, 'INVALID_DATA', 'no such argument');
export const nameTaken = (): ServiceError => answered('POST', 400, 'CLUSTER_NAME_ALREADY_EXISTS', 'name is taken');
export const inUse = (): ServiceError => answered('DELETE', 400, 'INVALID_REFERENCE', 'is in use by cluster x');
export const protectedRow = (): ServiceError => answered('DELETE', 400, 'DELETION_FAILED', 'it is protected');
export const notFound = (method: Method): ServiceError => answered(method, 404, 'NOT_FOUND', 'no such object');
export const foreignNotFound = (method: Method): ServiceError =>
  classify({ method, path: '/v1.0/demo/clusters/x' }, { phase: 'answered', status: 404, body: '<html>nope</html>' });

/** Of a read, in words of the test's own. */
export function failing(category: Category, why = 'it is so'): ServiceError {
  const verdict = {
    category,
    certainty: 'open',
    why,
    detail: '',
    nameTaken: false,
    inUse: false,
    ownShape: false,
  } as const;
  return new ServiceError({ method: 'GET', path: '/p' }, verdict);
}
