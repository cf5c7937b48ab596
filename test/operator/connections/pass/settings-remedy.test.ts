// Which wrong setting explains a failure, and what to set instead.
import { describe, expect, test } from 'vitest';
import { settingsRemedy } from '../../../../src/operator/connections/pass/settings-remedy.ts';
import { classify } from '../../../../src/wire/errors/table.ts';

const request = { method: 'GET', path: '/v1.0/demo/plugins', collection: true } as const;
const timeoutMs = 3_000;
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
      expect(settingsRemedy(unknownPath(), { endpoint, accepted, timeoutMs })).toBe(remedy);
      expect(settingsRemedy(unknownPath(405), { endpoint, accepted, timeoutMs })).toBe(remedy);
    }
  });

  test('and one that knows it are told apart', () => {
    const fault = classify(request, { phase: 'answered', status: 500, body: '' });
    const odd = classify(request, { phase: 'answered', status: 200, body: '' });
    for (const error of [fault, odd])
      expect(settingsRemedy(error, { endpoint: 'http://host/v1.1', accepted: false, timeoutMs })).toBeUndefined();
  });
});

describe('a connection that broke', () => {
  const broken = classify(request, { phase: 'unanswered', code: 'UND_ERR_SOCKET' });

  test('before the service ever answered may need TLS', () => {
    expect(settingsRemedy(broken, { endpoint: 'http://host', accepted: false, timeoutMs })).toBe(
      'If the service uses TLS, use https:// in spec.endpoint',
    );
  });

  test('after it answered, or with https, does not', () => {
    expect(settingsRemedy(broken, { endpoint: 'http://host', accepted: true, timeoutMs })).toBeUndefined();
    expect(settingsRemedy(broken, { endpoint: 'https://host', accepted: false, timeoutMs })).toBeUndefined();
    const refused = classify(request, { phase: 'unsent', code: 'ECONNREFUSED' });
    expect(settingsRemedy(refused, { endpoint: 'http://host', accepted: false, timeoutMs })).toBeUndefined();
  });
});

test('a service that does not answer in time may only be slow', () => {
  const slow = classify(request, { phase: 'unanswered', code: 'DEADLINE' });
  expect(settingsRemedy(slow, { endpoint: 'http://host', accepted: true, timeoutMs })).toBe(
    'Check spec.endpoint, and whether the service runs. If it needs more than 3 s for an answer, raise spec.timeoutSeconds',
  );
  const refusing = classify(request, { phase: 'answered', status: 408, body: '' });
  expect(settingsRemedy(refusing, { endpoint: 'http://host', accepted: true, timeoutMs })).toBeUndefined();
});
