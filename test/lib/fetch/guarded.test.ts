// What users name is fetched only from where it may be fetched, however the address is written, resolved or redirected to.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reasonOf } from '../../../src/lib/errors.ts';
import { createGuardedDownload, FetchRefusal, type FetchRules, type Resolver } from '../../../src/lib/fetch/guarded.ts';
import { isSpecial } from '../../../src/lib/fetch/refused-addresses.ts';

const remedy = 'upload the file, or start the service with --allow-fetch-from and its network';
const closed: FetchRules = { allowed: [], denied: [] };

/** The addresses of this computer that are neither loopback nor link-local. */
const ownHosts = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !isSpecial(address))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

/** A server on a loopback address, and how often something connected to it. */
async function serve(host = '127.0.0.1', redirect?: string) {
  let connections = 0;
  const server: Server = createServer(({ headers }, response) => {
    if (redirect !== undefined) response.writeHead(302, { location: redirect }).end();
    else response.end(`served ${headers.host?.split(':')[0]} ${headers.authorization ?? 'nobody'}`);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections };
}

/** Each name has one address after the other, and each address has names. */
const resolverOf = (
  addresses: Readonly<Record<string, readonly string[]>>,
  names: (address: string) => Promise<readonly string[]> = async () => [],
): Resolver & { readonly asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    async addressesOf(name) {
      const nth = asked.filter((each) => each === name).length;
      asked.push(name);
      const all = addresses[name] ?? [];
      return [all[Math.min(nth, all.length - 1)] ?? '192.0.2.1'];
    },
    namesOf: names,
  };
};

async function fetchText(rules: FetchRules, url: string, resolver?: Resolver, headers = {}): Promise<string> {
  const signal = AbortSignal.timeout(5000);
  const { bytes } = await createGuardedDownload(rules, resolver)(url, { signal, headers, redirect: 'follow' });
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const hosts = `127.0.0.1 2130706433 0x7f000001 0177.0.0.1 127.1 0 0.0.0.0 localhost LOCALHOST 169.254.169.254 224.0.0.1
[::1] [::ffff:127.0.0.1] [::] [64:ff9b::7f00:1] [fe80::1]`;

describe('nothing is fetched', () => {
  test.each(hosts.split(/\s+/))('from %s', async (host) => {
    const { port, connections } = await serve();
    const refused = fetchText(closed, `http://${host}:${port}/`);
    await expect(refused).rejects.toThrow(FetchRefusal);
    await expect(refused).rejects.toThrow(remedy);
    expect(connections()).toBe(0);
  });

  test('over TLS either', async () => {
    const { port, connections } = await serve();
    await expect(fetchText(closed, `https://127.0.0.1:${port}/`)).rejects.toThrow(FetchRefusal);
    expect(connections()).toBe(0);
  });

  test('from a name that resolves to such an address, also among others', async () => {
    const resolver: Resolver = { addressesOf: async () => ['192.0.2.1', '127.0.0.1'], namesOf: async () => [] };
    await expect(fetchText(closed, 'http://files.example/', resolver)).rejects.toThrow(FetchRefusal);
  });

  test('from where a redirect leads', async () => {
    const inside = await serve('127.0.0.3');
    const outside = await serve('127.0.0.2', `http://127.0.0.3:${inside.port}/`);
    const rules = { allowed: ['127.0.0.2/32'], denied: [] };
    await expect(fetchText(rules, `http://127.0.0.2:${outside.port}/`)).rejects.toThrow(FetchRefusal);
    expect([outside.connections(), inside.connections()]).toEqual([1, 0]);
  });

  test('from a name that has another address the next time', async () => {
    const inside = await serve('127.0.0.3');
    const outside = await serve('127.0.0.2', `http://files.example:${inside.port}/`);
    const resolver = resolverOf({ 'files.example': ['127.0.0.2', '127.0.0.3'] });
    const rules = { allowed: ['127.0.0.2/32'], denied: [] };
    await expect(fetchText(rules, `http://files.example:${outside.port}/`, resolver)).rejects.toThrow(FetchRefusal);
    expect([resolver.asked.length, outside.connections(), inside.connections()]).toEqual([2, 1, 0]);
  });

  test.each([
    ['a network that is denied', { ...closed, denied: ['10.96.0.0/12'] }, async () => []],
    ['a Service', { ...closed, clusterDomain: 'cluster.local' }, async () => ['kubernetes.default.svc.cluster.local.']],
    ['a pod', { ...closed, clusterDomain: 'kube.example' }, async () => ['pod-0.words.data.svc.kube.example']],
    ...(['ETIMEOUT', 'ECONNREFUSED', 'ESERVFAIL', 'EREFUSED'] as const).map(
      (code) =>
        [
          `a private address of which nobody says what it is: ${code}`,
          { ...closed, clusterDomain: 'cluster.local' },
          async () => Promise.reject(Object.assign(new Error('no answer'), { code })),
        ] as const,
    ),
  ] as const)('from %s', async (_what, rules, names) => {
    for (const url of ['http://10.96.0.1/', 'http://files.example/']) {
      const refused = fetchText(rules, url, resolverOf({ 'files.example': ['10.96.0.1'] }, names));
      await expect(refused).rejects.toThrow(FetchRefusal);
      // It is the same answer for everything, and tells no address.
      await expect(refused).rejects.not.toThrow('10.96');
    }
  });
});

describe('what is known as part of the service or its cluster', () => {
  /** Nothing listens at the address, so a connection that is made is no refusal. */
  const outcome = async (host: string, rules: Partial<FetchRules>, addresses: Resolver['addressesOf'] = nowhere) => {
    const resolver = { addressesOf: addresses, namesOf: nowhere };
    const how = { signal: AbortSignal.timeout(300), headers: {}, redirect: 'manual' } as const;
    const get = createGuardedDownload({ ...closed, ...rules }, resolver);
    const error: unknown = await get(`http://${host}:8081/`, how).catch((cause: unknown) => cause);
    if (error instanceof FetchRefusal) return 'refused';
    return codeIn(error) === 'EAI_AGAIN' ? 'not tried now' : 'tried';
  };
  const codeIn = (error: unknown) => ((error as Error).cause as { readonly code?: string } | undefined)?.code;
  const nowhere = async () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));

  test.each(ownHosts())('is an address of this computer, in a Kubernetes cluster or not: %s', async (host) => {
    expect(await outcome(host, {})).toBe('refused');
    expect(await outcome(host, { clusterDomain: 'cluster.local' })).toBe('refused');
  });

  test.each([
    ['10.1.2.3', 'refused'],
    ['[::ffff:10.1.2.3]', 'refused'],
    ['[fd00:db8:0:0::7]', 'refused'],
    ['10.1.2.4', 'tried'],
  ])('is a pod without a name in DNS, as long as it is there: %s is %s', async (host, expected) => {
    const pods: string[] = [];
    const rules = { deniedHosts: () => pods, clusterDomain: 'cluster.local' };
    expect(await outcome(host, rules)).toBe('tried');
    pods.push('10.1.2.3', 'fd00:db8::7');
    expect(await outcome(host, rules)).toBe(expected);
  });

  describe('is a host with a name, such as an API server:', () => {
    const addressesOf = async (name: string) =>
      name === 'plane.example' ? ['10.1.2.3'] : ['10.1.2.3', '198.51.100.1'];
    const rules = { deniedHosts: () => ['Plane.example.'] };
    test.each(['plane.example', 'PLANE.example.', 'other.example', '10.1.2.3'])('%s', async (host) => {
      expect(await outcome(host, rules, addressesOf)).toBe('refused');
      expect(await outcome(host, { ...rules, allowed: ['10.1.2.3/32', '198.51.100.1/32'] }, addressesOf)).toBe('tried');
    });

    test('also by its name, whatever address it has for others', async () => {
      let last = 0;
      const next = async () => [`198.51.100.${(last += 1)}`];
      expect(await outcome('plane.example', rules, next)).toBe('refused');
      expect(await outcome('other.example', rules, next)).toBe('tried');
    });

    test.each([
      ['ENOTFOUND', 'tried'],
      ['EAI_AGAIN', 'not tried now'],
    ])('if its look-up fails with %s, another address is %s', async (code, expected) => {
      const fails = async () => Promise.reject(Object.assign(new Error('no answer'), { code }));
      expect(await outcome('10.1.2.4', rules, fails)).toBe(expected);
    });
  });
});

test.each(['[::ffff:10.96.0.1]', '[64:ff9b::a60:1]', '[::10.96.0.1]', '10.96.0.1'])(
  'a Service is a Service, also as %s',
  async (host) => {
    const names: Resolver['namesOf'] = async (address) =>
      address === '10.96.0.1' ? ['kubernetes.default.svc.cluster.local'] : [];
    const rules = { ...closed, clusterDomain: 'cluster.local' };
    await expect(fetchText(rules, `http://${host}/`, resolverOf({}, names))).rejects.toThrow(FetchRefusal);
  },
);

test('what is allowed is fetched, once it has been resolved, with the login of its user', async () => {
  const { port } = await serve('127.0.0.2');
  const resolver = resolverOf({ 'files.example': ['127.0.0.2', '127.0.0.9'] });
  const rules = { allowed: ['127.0.0.2/32'], denied: ['127.0.0.0/8'] };
  const headers = { authorization: 'Basic eDp5' };
  expect(await fetchText(rules, `http://files.example:${port}/`, resolver, headers)).toBe(
    'served files.example Basic eDp5',
  );
  expect(resolver.asked).toEqual(['files.example']);
});

test.each([
  ['ENOTFOUND', '[2001:db8::1]:8081', true],
  ['ENODATA', '[2001:db8::1]:8081', true],
  ['ENOTFOUND', '[fd00:db8::1]:8081', true],
  ['ESERVFAIL', '[2001:db8::1]:8081', true],
  ['EREFUSED', '[2001:db8::1]:8081', true],
  ['ESERVFAIL', '[fd00:db8::1]:8081', false],
  ['EREFUSED', '100.64.0.1:8081', false],
  ['ETIMEOUT', '[fd00:db8::1]:8081', false],
])('in a Kubernetes cluster, %s about %s lets it be fetched from: %s', async (code, host, isFetched) => {
  const { port } = await serve('127.0.0.2');
  const namesOf = async () => Promise.reject(Object.assign(new Error('none'), { code }));
  const rules = { allowed: ['127.0.0.2/32'], denied: [], clusterDomain: 'cluster.local' };
  const resolver = { addressesOf: async () => [], namesOf };
  expect(await fetchText(rules, `http://127.0.0.2:${port}/`, resolver)).toContain('served');
  // Nothing answers at such an address, and whatever becomes of the connection, it is no refusal.
  const signal = AbortSignal.timeout(500);
  const download = createGuardedDownload(rules, resolver)(`http://${host}/`, {
    signal,
    headers: {},
    redirect: 'manual',
  });
  const error: unknown = await download.catch((cause: unknown) => cause);
  expect(reasonOf(error)).not.toContain('bad port');
  expect([error instanceof Error, error instanceof FetchRefusal]).toEqual([true, !isFetched]);
});

test.each(['ETIMEOUT', 'ECONNREFUSED', 'EFORMERR'])(
  '%s about a public address is no refusal, and it is not fetched from now',
  async (code) => {
    const namesOf = async () => Promise.reject(Object.assign(new Error('no answer'), { code }));
    const rules = { allowed: [], denied: [], clusterDomain: 'cluster.local' };
    const how = { signal: AbortSignal.timeout(5000), headers: {}, redirect: 'manual' } as const;
    const download = createGuardedDownload(rules, { addressesOf: async () => [], namesOf });
    const error: unknown = await download('http://[2001:db8::1]:8081/', how).catch((cause: unknown) => cause);
    expect(error instanceof FetchRefusal).toBe(false);
    expect((error as Error).cause).toMatchObject({ code });
  },
);

test('a redirect to another host does not get the login', async () => {
  const other = await serve('127.0.0.3');
  const first = await serve('127.0.0.2', `http://127.0.0.3:${other.port}/`);
  const rules = { allowed: ['127.0.0.0/8'], denied: [] };
  const text = await fetchText(rules, `http://127.0.0.2:${first.port}/`, undefined, { authorization: 'Basic eDp5' });
  expect(text).toBe('served 127.0.0.3 nobody');
});
