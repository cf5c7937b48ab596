// The addresses that the schema of a Connection takes are those that can be connected to, or the message says what to do.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEndpoint } from '../../../../src/operator/client/http/address.ts';
import { connection } from '../../../../src/operator/kinds/connection/schema.ts';
import { fit, unfit } from '../../kinds/schema/addresses.ts';

const taken = (endpoint: string): boolean => connection.spec.safeParse({ endpoint, tenantID: 'demo' }).success;
const former = (endpoint: string): boolean =>
  connection.spec.safeParse({ endpoint: 'http://host', tenantID: 'demo', formerEndpoints: [endpoint] }).success;

describe('an endpoint', () => {
  test.each(fit)('%j is taken', (endpoint) => {
    expect([taken(endpoint), former(endpoint)]).toEqual([true, true]);
    expect(parseEndpoint(endpoint).origin).toMatch(/^https?:/);
  });

  test.each(unfit)('%j is not', (endpoint) => {
    expect([taken(endpoint), former(endpoint)]).toEqual([false, false]);
  });

  test('that is taken is a URL, but for addresses of IPv6', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '-',
      '_',
      '.',
      ':',
      '/',
      '%',
      '<',
      '^',
      '|',
      '\\',
      '1',
      '256',
      '65536',
      ' ',
      'x0',
    );
    const host = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(host, (text) => {
        const endpoint = `http://${text}`;
        if (taken(endpoint)) expect(() => parseEndpoint(endpoint)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});
