// Which proxy stands before a service: by the scheme of its endpoint, and by what is reached without one.
import { describe, expect, test } from 'vitest';
import { type Proxies, proxyFor } from '../../../../src/operator/client/http/proxy.ts';

const proxies: Proxies = { http: 'http://plain.test:3128', https: 'https://safe.test', none: [] };
const without = (origin: string, ...none: readonly string[]) => proxyFor(origin, { ...proxies, none }) === undefined;

describe('the proxy', () => {
  test('is that of the scheme', () => {
    expect(proxyFor('http://service.test', proxies)).toMatchObject({
      origin: 'http://plain.test:3128',
      host: 'plain.test:3128',
    });
    expect(proxyFor('https://service.test', proxies)).toMatchObject({ origin: 'https://safe.test', host: 'safe.test' });
    expect(proxyFor('https://service.test', { http: 'http://plain.test', none: [] })).toBeUndefined();
  });

  test('gets the credentials of its URL in a header, and hides them everywhere else', () => {
    const proxy = proxyFor('http://service.test', { http: 'http://us%40er:p%3Ass@plain.test', none: [] });
    const encoded = Buffer.from('us@er:p:ss').toString('base64');
    expect(proxy).toEqual({
      origin: 'http://plain.test',
      host: 'plain.test',
      authorization: `Basic ${encoded}`,
      secrets: ['p:ss', 'p%3Ass', encoded],
    });
  });

  test('hides the user, too, whose name may be the key, yet none that could stand in any text', () => {
    const secretsOf = (user: string) =>
      proxyFor('http://service.test', { http: `http://${user}@plain.test`, none: [] });
    expect(secretsOf('key%2Dof%2Dours')?.secrets).toEqual(expect.arrayContaining(['key-of-ours', 'key%2Dof%2Dours']));
    expect(secretsOf('squid')?.secrets).not.toContain('squid');
  });
});

describe('no proxy', () => {
  test.each<readonly [string, string]>([
    ['service.test', 'http://service.test'],
    ['service.test', 'http://deep.service.test'],
    ['.service.test', 'http://deep.service.test'],
    ['*.service.test', 'http://deep.service.test'],
    ['SERVICE.test', 'http://service.test'],
    ['service.test', 'http://service.test.'],
    ['service.test.', 'http://service.test'],
    ['service.test:8080', 'http://service.test:8080'],
    ['service.test:80', 'http://service.test'],
    ['service.test:443', 'https://service.test'],
    ['.test:80', 'http://service.test'],
    ['*', 'http://service.test'],
    ['10.1.2.3', 'http://10.1.2.3:99'],
    ['10.0.0.0/8', 'http://10.1.2.3'],
    ['fd00::/8', 'http://[fd00::1]'],
    ['fd00::1', 'http://[fd00::1]'],
    ['[fd00::1]:80', 'http://[fd00::1]'],
  ])('of %s: %s', (entry, origin) => {
    expect(without(origin, 'else.test', entry)).toBe(true);
  });

  test.each<readonly [string, string]>([
    ['service.test', 'http://other-service.test'],
    ['.service.test', 'http://service.test'],
    ['*.service.test', 'http://service.test'],
    ['service.test:8080', 'http://service.test'],
    ['service.test:80', 'https://service.test'],
    ['2.3', 'http://10.1.2.3'],
    ['10.0.0.0/8', 'http://11.1.2.3'],
    ['10.0.0.0/99', 'http://10.1.2.3'],
    ['service.test/8', 'http://service.test'],
    ['', 'http://service.test'],
    ['.', 'http://service.test'],
  ])('not of %j: %s', (entry, origin) => {
    expect(without(origin, entry)).toBe(false);
  });

  test.each(['http://localhost:1', 'http://api.localhost', 'http://127.0.0.1', 'https://127.9.9.9', 'http://[::1]:80'])(
    'before this machine: %s',
    (origin) => {
      expect(without(origin)).toBe(true);
    },
  );
});
