// Where the configuration of the cluster comes from, in which order, and what it never gives away.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inClusterConfig, loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { secretToken } from '../../operator/kube/support/scripted-server.ts';
import { ManualClock } from '../../support/clock.ts';

let folder = '';
let clock = new ManualClock();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-config-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  clock = new ManualClock();
});

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

interface Sketch {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly name?: string;
}

function kubeconfig({ cluster = {}, user = {}, context = {}, name = 'main' }: Sketch = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: `https://${name}.example:6443/`, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...context } }],
  });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a kubeconfig', () => {
  it('gives server, namespace, trust and client certificate', async () => {
    const cluster = { 'certificate-authority-data': base64('the ca'), 'tls-server-name': 'kubernetes' };
    const user = { 'client-certificate-data': base64('the cert'), 'client-key-data': base64('the key') };
    const path = await write('full', kubeconfig({ cluster, user, context: { namespace: 'team-a' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect(config.server).toBe('https://main.example:6443');
    expect(config.namespace).toBe('team-a');
    expect(config.trust).toEqual({ ca: Buffer.from('the ca'), servername: 'kubernetes', rejectUnauthorized: true });
    expect(await config.credentials()).toEqual({
      headers: {},
      cert: Buffer.from('the cert'),
      key: Buffer.from('the key'),
    });
  });

  it('may name files relative to itself', async () => {
    await write('ca.pem', 'ca of file');
    const path = await write('relative', kubeconfig({ cluster: { 'certificate-authority': 'ca.pem' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect(config.trust.ca).toEqual(Buffer.from('ca of file'));
    expect(config.namespace).toBe('default');
  });

  it('may have an empty namespace, which is none and not all of them', async () => {
    const path = await write('unplaced', kubeconfig({ context: { namespace: '' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect(config.namespace).toBe('default');
  });

  it('may switch off verification', async () => {
    const path = await write('insecure', kubeconfig({ cluster: { 'insecure-skip-tls-verify': true } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect(config.trust.rejectUnauthorized).toBe(false);
  });

  it('may name a server without TLS, such as kubectl proxy', async () => {
    const path = await write('plain HTTP', kubeconfig({ cluster: { server: 'http://127.0.0.1:8001' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect(config.server).toBe('http://127.0.0.1:8001');
    expect(await config.credentials()).toEqual({ headers: {} });
  });

  it('may hold a token, or a name and password', async () => {
    const token = await write('token', kubeconfig({ user: { token: secretToken } }));
    const basic = await write('basic', kubeconfig({ user: { username: 'ann', password: 'pass' } }));
    const load = (path: string) => loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect(await (await load(token)).credentials()).toEqual({ headers: { authorization: `Bearer ${secretToken}` } });
    expect(await (await load(basic)).credentials()).toEqual({
      headers: { authorization: `Basic ${base64('ann:pass')}` },
    });
  });

  it('may name a file of the token, which is read again', async () => {
    await write('rotating', 'first\n');
    const path = await write('token-file', kubeconfig({ user: { tokenFile: 'rotating' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer first' });
    await write('rotating', 'second\n');
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer first' });
    await clock.advance(60_000);
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer second' });
  });

  it('is YAML as kubectl reads it, with merge keys', async () => {
    const text = `
      x-tls: &tls {insecure-skip-tls-verify: true}
      current-context: a
      clusters: [{name: a, cluster: {server: "https://one.example", <<: *tls}}]
      users: [{name: a, user: {token: t}}]
      contexts: [{name: a, context: {cluster: a, user: a}}]`;
    const config = await loadClusterConfig({ kubeconfig: await write('merge', text), environment: {}, clock });
    expect(config.trust).toMatchObject({ rejectUnauthorized: false });
  });

  it('prefers a file of the token to a token', async () => {
    await write('token.txt', 'of the file\n');
    const path = await write('two tokens', kubeconfig({ user: { token: 'a token', tokenFile: 'token.txt' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer of the file' });
  });

  it('may act as somebody else', async () => {
    const path = await write('as', kubeconfig({ user: { token: 't', as: 'bob' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer t', 'impersonate-user': 'bob' });
  });

  it('is read again after the server refused its credentials', async () => {
    const path = await write('renewed', kubeconfig({ user: { token: 'old' } }));
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    await config.credentials();
    await write('renewed', kubeconfig({ user: { token: 'new' } }));
    expect((await config.credentials()).headers['authorization']).toBe('Bearer old');
    config.renew();
    expect((await config.credentials()).headers['authorization']).toBe('Bearer new');
  });

  it('may have other contexts than the current one', async () => {
    const first = await write('first', kubeconfig({ name: 'first' }));
    const second = await write('second', kubeconfig({ name: 'second' }));
    const environment = { KUBECONFIG: [first, '', second].join(delimiter) };
    const current = await loadClusterConfig({ environment, clock });
    expect(current.server).toBe('https://first.example:6443');
    const other = await loadClusterConfig({ environment, context: 'second', clock });
    expect(other.server).toBe('https://second.example:6443');
  });
});

describe('a credential plugin', () => {
  async function plugin(script: string): Promise<string> {
    const path = await write('plugin.sh', `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: path, args: [] };
    return write('exec', kubeconfig({ user: { exec } }));
  }

  const answer = (token: string): string => JSON.stringify({ kind: 'ExecCredential', status: { token } });

  it('is run once for all requests and again after a refusal', async () => {
    const runs = join(folder, 'runs');
    const path = await plugin(
      `echo run >> ${runs}\nn=$(wc -l < ${runs} | tr -d ' ')\necho '${answer('exec-N')}' | sed "s/N/$n/"`,
    );
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    const tokens = await Promise.all([config.credentials(), config.credentials()]);
    expect(tokens.map(({ headers }) => headers['authorization'])).toEqual(['Bearer exec-1', 'Bearer exec-1']);
    config.renew();
    expect((await config.credentials()).headers['authorization']).toBe('Bearer exec-2');
  });

  it('may answer with a client certificate', async () => {
    const status = { clientCertificateData: 'CERT', clientKeyData: 'KEY' };
    const path = await plugin(`echo '${JSON.stringify({ kind: 'ExecCredential', status })}'`);
    const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    expect(await config.credentials()).toEqual({ headers: {}, cert: 'CERT', key: 'KEY' });
  });

  it.each([
    ['fails and talks', `echo ${secretToken} >&2; exit 1`],
    ['answers garbage', `echo '{"token": "${secretToken}'`],
  ])('that %s is an error without what it said', async (_name, script) => {
    const path = await plugin(script);
    const outcome = loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    const error: Error = await outcome.then(
      () => new Error('no error'),
      (reason: Error) => reason,
    );
    expect(error.message).toMatch(
      /^cannot obtain credentials of context main: the plugin \S+plugin\.sh failed \(\w+\); run it by hand to see why$/,
    );
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(secretToken);
  });

  it('that does not exist is named by its code', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: join(folder, 'nowhere') };
    const path = await write('no-exec', kubeconfig({ user: { exec } }));
    await expect(loadClusterConfig({ kubeconfig: path, environment: {}, clock })).rejects.toThrow('ENOENT');
  });
});

describe('a kubeconfig that cannot be used', () => {
  it.each([
    ['is missing', undefined, 'ENOENT'],
    ['is no YAML', `users: [{ token: ${secretToken}`, 'SyntaxError'],
    ['has a user without a name', JSON.stringify({ users: [{ user: { token: secretToken } }] }), 'Error'],
  ])('because it %s is an error without its content', async (name, text, code) => {
    const path = join(folder, `bad ${name}`);
    if (text !== undefined) await writeFile(path, text);
    const outcome = loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    const error: Error = await outcome.then(
      () => new Error('no error'),
      (reason: Error) => reason,
    );
    expect(error.message).toBe(`cannot load cluster configuration: ${path}: ${code}`);
    expect(JSON.stringify([error.stack, error.cause])).not.toContain(secretToken);
  });

  it('because its context is missing says so', async () => {
    const path = await write('contexts', kubeconfig());
    const outcome = loadClusterConfig({ kubeconfig: path, context: 'other', environment: {}, clock });
    await expect(outcome).rejects.toThrow('cannot load cluster configuration: there is no context other');
  });

  it('because it has a proxy-url, and says so', async () => {
    const path = await write('proxy', kubeconfig({ cluster: { 'proxy-url': 'http://proxy:1' } }));
    const outcome = loadClusterConfig({ kubeconfig: path, environment: {}, clock });
    await expect(outcome).rejects.toThrow('has a proxy-url, which is not supported');
  });
});

describe('a pod', () => {
  const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
  let account = '';

  beforeAll(async () => {
    account = join(folder, 'account');
    await mkdir(account);
    for (const [name, text] of [
      ['ca.crt', 'pod ca'],
      ['namespace', 'operators\n'],
      ['token', 'one\n'],
    ] as const) {
      await writeFile(join(account, name), text);
    }
  });

  it('finds everything in its service account', async () => {
    const config = await inClusterConfig({ environment, clock, folder: account });
    expect(config).toMatchObject({
      server: 'https://10.0.0.1:6443',
      namespace: 'operators',
      trust: { ca: 'pod ca', rejectUnauthorized: true },
    });
    expect(await config.credentials()).toEqual({ headers: { authorization: 'Bearer one' } });
  });

  it('reads its token again at most once a minute, and at once after a refusal', async () => {
    await writeFile(join(account, 'token'), 'one\n');
    const config = await inClusterConfig({ environment, clock, folder: account });
    const token = async (): Promise<unknown> => (await config.credentials()).headers['authorization'];
    expect(await token()).toBe('Bearer one');
    await writeFile(join(account, 'token'), 'two\n');
    await clock.advance(59_999);
    expect(await token()).toBe('Bearer one');
    await clock.advance(1);
    expect(await token()).toBe('Bearer two');
    await writeFile(join(account, 'token'), 'three\n');
    config.renew();
    expect(await token()).toBe('Bearer three');
  });

  it('may have an IPv6 address and no port', async () => {
    const config = await inClusterConfig({
      environment: { KUBERNETES_SERVICE_HOST: 'fd00::1' },
      clock,
      folder: account,
    });
    expect(config.server).toBe('https://[fd00::1]:443');
  });

  it('without its files says which is missing', async () => {
    const outcome = inClusterConfig({ environment, clock, folder: join(folder, 'none') });
    await expect(outcome).rejects.toThrow(/^cannot load cluster configuration: .*ca.crt is not readable$/);
  });
});

describe('the order of sources', () => {
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

  it('puts a given kubeconfig and KUBECONFIG before the pod', async () => {
    const path = await write('before', kubeconfig({ name: 'given' }));
    const given = await loadClusterConfig({ kubeconfig: path, environment: { ...pod, KUBECONFIG: '/nowhere' }, clock });
    expect(given.server).toBe('https://given.example:6443');
    const named = await loadClusterConfig({ environment: { ...pod, KUBECONFIG: path }, clock });
    expect(named.server).toBe('https://given.example:6443');
  });

  it('puts the pod before the home directory', async () => {
    await expect(loadClusterConfig({ environment: { ...pod, HOME: folder }, clock })).rejects.toThrow('serviceaccount');
  });

  it('ends with the home directory', async () => {
    await mkdir(join(folder, '.kube'));
    await write('.kube/config', kubeconfig({ name: 'home' }));
    const config = await loadClusterConfig({ environment: { HOME: folder }, clock });
    expect(config.server).toBe('https://home.example:6443');
  });
});

describe('the client library', () => {
  it('is imported by one file only, and that one only when it is needed', async () => {
    const sources = new URL('../../../src/kube/config/', import.meta.url);
    for (const name of await readdir(sources)) {
      const text = await readFile(new URL(name, sources), 'utf8');
      expect([name, text.includes("'@kubernetes/client-node'")]).toEqual([name, name === 'kubeconfig.ts']);
      expect([name, /^import (?!type).*'.\/kubeconfig.ts'/m.test(text)]).toEqual([name, false]);
    }
  });
});
