// Queries are parsed before a token is checked, and before it is the turn of the request. So long ones are not parsed.
import { describe, expect, test } from 'vitest';
import { routedUrl } from '../../../../src/service/api/http/http.ts';
import { serve } from '../../../contract/support.ts';

const long = (mark: string) => `${mark}${'a=b&'.repeat(1_024)}c`;

describe('of the URL of a request', () => {
  test.each([
    ['/v1.1/t/clusters?name=a', '/v1.1/t/clusters?name=a'],
    ['/v1.1/t/clusters.json?name=a', '/v1.1/t/clusters?name=a'],
    [`/v1.1/t/images?tags=${'%F0%9F%98%80'.repeat(255)}`, `/v1.1/t/images?tags=${'%F0%9F%98%80'.repeat(255)}`],
    [`/v1.1/t/clusters${long('?')}`, '/v1.1/t/clusters'],
    [`/v1.1/t/clusters.json${long('?')}`, '/v1.1/t/clusters'],
    // The router takes what follows this sign for a query, too.
    [`/v1.1/t/clusters${long('#')}`, '/v1.1/t/clusters'],
    [`/nowhere${long('?a#')}`, '/nowhere'],
  ])('%s, as much is routed as is not too long', (url, routed) => expect(routedUrl(url)).toBe(routed));
});

describe('a query that is too long is refused, and nothing is answered as if there were none', () => {
  test.each(['/v1.1/t/images', '/v1.1/t/nowhere', '/healthz', '/'])('at %s', async (path) => {
    const peer = await serve();
    const answer = await fetch(`${peer.url}${path}${long('?')}`);
    expect([answer.status, await answer.json()]).toEqual([
      414,
      {
        error_code: 414,
        error_name: 'URI_TOO_LONG',
        error_message: 'cannot read request: its query is longer than 4096 characters',
      },
    ]);
    expect((await fetch(`${peer.url}${path}${long('?').slice(0, 4_097)}`)).status).not.toBe(414);
  });
});
