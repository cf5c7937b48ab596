// Which wrong endpoint explains a failure, and what to set instead.
import { describe, expect, test } from 'vitest';
import { endpointRemedy } from '../../../../src/operator/connections/pass/endpoint-remedy.ts';
import { classify } from '../../../../src/wire/errors/table.ts';

const request = { method: 'GET', path: '/v1.0/demo/plugins', collection: true } as const;
const unknownPath = (status = 404) => classify(request, { phase: 'answered', status, body: 'Not Found' });

describe('a service that does not know the path', () => {
  const versioned = (rest: string, base: string) =>
    `spec.endpoint must be without ${rest}, because the operator adds version and tenant: set it to ${base}`;
  test.each([
    ['http://host:8386/v1.1/demo', versioned('/v1.1/demo', 'http://host:8386')],
    ['http://host:8386/v2', versioned('/v2', 'http://host:8386')],
    ['https://host/data/v1.0/demo', versioned('/v1.0/demo', 'https://host/data')],
    [
      'http://host/data',
      'spec.endpoint has the path /data: if the service is not below it, set spec.endpoint to http://host',
    ],
    [
      'http://host/v1beta',
      'spec.endpoint has the path /v1beta: if the service is not below it, set spec.endpoint to http://host',
    ],
    ['http://host', undefined],
  ])('%s', (endpoint, remedy) => {
    for (const accepted of [true, false]) {
      expect(endpointRemedy(unknownPath(), { endpoint, accepted })).toBe(remedy);
      expect(endpointRemedy(unknownPath(405), { endpoint, accepted })).toBe(remedy);
    }
  });

  test('and one that knows it are told apart', () => {
    const fault = classify(request, { phase: 'answered', status: 500, body: '' });
    const odd = classify(request, { phase: 'answered', status: 200, body: '' });
    for (const error of [fault, odd])
      expect(endpointRemedy(error, { endpoint: 'http://host/v1.1', accepted: false })).toBeUndefined();
  });
});

describe('a connection that broke', () => {
  const broken = classify(request, { phase: 'unanswered', code: 'UND_ERR_SOCKET' });

  test('before the service ever answered may need TLS', () => {
    expect(endpointRemedy(broken, { endpoint: 'http://host', accepted: false })).toBe(
      'If the service uses TLS, use https:// in spec.endpoint',
    );
  });

  test('after it answered, or with https, does not', () => {
    expect(endpointRemedy(broken, { endpoint: 'http://host', accepted: true })).toBeUndefined();
    expect(endpointRemedy(broken, { endpoint: 'https://host', accepted: false })).toBeUndefined();
    const refused = classify(request, { phase: 'unsent', code: 'ECONNREFUSED' });
    expect(endpointRemedy(refused, { endpoint: 'http://host', accepted: false })).toBeUndefined();
  });
});
