// What services were seen to answer when something is wrong, byte by byte.
import type { Fault } from '../../../support/service/service-proxy.ts';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };

/** The service's own shape (section 7), with the error id that upstream appends. */
export function own(status: number, name: string, message: string): Fault {
  const id = '5f3c2a10-98ab-4a5f-9d3e-0123456789ab';
  const body = JSON.stringify({ error_code: status, error_name: name, error_message: `${message}\nError ID: ${id}` });
  return { act: 'answer', reply: { status, headers: json, body } };
}

const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = json): Fault => ({
  act: 'answer',
  reply: { status, headers, body },
});

/** The JSON text that stands where an object should: the row went while the service read it. */
export const brokenRead = '"<Response 183 bytes [404 NOT FOUND]>"';

export interface NamedFault {
  readonly name: string;
  readonly fault: Fault;
  /** What a person must find in the condition, whatever the step was. */
  readonly says: RegExp;
  /** Reason of the Ready condition where the fault meets a create, a scale or a look. */
  readonly reason: string;
  /** Where it meets a DELETE: one whose effect is open is waited for. */
  readonly onDelete?: { readonly reason: string; readonly says: RegExp };
  /** Where it meets a request about one object. */
  readonly onObject?: { readonly reason: string; readonly says: RegExp };
  /** A look at one object takes it for the proof that the object is gone. */
  readonly provesAbsence?: true;
  /** Tried in every run of the tests: it stands for others with the same way out. */
  readonly isUsual?: true;
}

/** Said of a DELETE whose 2xx is no answer of the service. */
const notHeard = /the answer to the request was lost: .*(?:not follow the API|must be read again)/;

/** One of each kind of trouble, for every call. */
export const troubles: readonly NamedFault[] = [
  {
    name: '401 of the token check',
    isUsual: true,
    fault: answer(
      401,
      '{"error":{"code":401,"title":"Unauthorized","message":"The request you have made requires authentication."}}',
      {
        ...json,
        'www-authenticate': 'Keystone uri="http://identity"',
      },
    ),
    says: /does not accept the token: .*\w\. Set spec\.auth of Connection default/,
    reason: 'Unauthorized',
  },
  {
    name: '401 of the tenant check',
    fault: answer(401, '<html><body><h1>401 Unauthorized</h1>wrong project</body></html>', html),
    says: /does not belong to this tenant.*\. Set spec\.auth of Connection default/,
    reason: 'Unauthorized',
  },
  {
    name: '404 of the service itself',
    isUsual: true,
    fault: own(404, 'NOT_FOUND', 'Object not found'),
    says: /does not know this path|has no such object/,
    provesAbsence: true,
    reason: 'UpstreamError',
    onObject: { reason: 'ExternalRejected', says: /has no such object/ },
    onDelete: { reason: 'Deleting', says: /waiting for the service to delete it/ },
  },
  {
    name: '404 of its framework',
    fault: answer(404, '{"error":404,"error_message":"The requested URL was not found on the server."}'),
    says: /check endpoint, tenant and dialect/,
    reason: 'UpstreamError',
  },
  {
    name: '409',
    isUsual: true,
    fault: own(409, 'CONFLICT', 'Try later'),
    says: /Try later/,
    reason: 'ExternalRejected',
    onDelete: { reason: 'ExternalDeleteFailing', says: /Try later/ },
  },
  {
    name: '429 with a time',
    fault: answer(429, 'slow down', { 'content-type': 'text/plain', 'retry-after': '7' }),
    says: /fewer requests/,
    reason: 'Throttled',
  },
  {
    name: '500 of the service itself',
    fault: own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'),
    says: /the service failed: Internal Server Error/,
    reason: 'UpstreamError',
    onDelete: { reason: 'Deleting', says: /the answer to the request was lost: the service failed/ },
  },
  {
    name: 'no answer in time',
    isUsual: true,
    fault: { act: 'hang' },
    says: /did not answer in time/,
    reason: 'UpstreamError',
    onDelete: { reason: 'Deleting', says: /the answer to the request was lost: the service did not answer in time/ },
  },
  {
    name: 'a broken connection',
    fault: { act: 'lose', after: 'nothing' },
    says: /connection to the service broke/,
    reason: 'UpstreamError',
    onDelete: { reason: 'Deleting', says: /the answer to the request was lost: the connection to the service broke/ },
  },
  {
    name: 'garbage',
    fault: answer(200, '{"cluster": {"id": '),
    says: /not follow the API/,
    reason: 'UpstreamError',
    onDelete: { reason: 'Deleting', says: notHeard },
  },
  {
    name: 'a page of HTML',
    fault: answer(200, '<!DOCTYPE html><html><body>Welcome to the portal</body></html>', html),
    says: /not follow the API/,
    reason: 'UpstreamError',
    onDelete: { reason: 'Deleting', says: notHeard },
  },
  {
    name: 'a 200 that is not one',
    fault: answer(200, brokenRead),
    says: /must be read again/,
    reason: 'UpstreamError',
    onDelete: { reason: 'Deleting', says: notHeard },
  },
];
