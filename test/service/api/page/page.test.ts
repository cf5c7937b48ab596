// The page of the service: who may see it, what it shows, and that it shows all of it as text.
import type { Page } from 'puppeteer-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Sessions } from '../../../../src/service/api/page/sessions.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { ClusterRecord, JobExecutionRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { chromium, openBrowser } from '../../../support/browser.ts';
import { ManualClock } from '../../../support/clock.ts';
import { limitMs, testLimitMs } from '../../../support/patience.ts';

const hostile = `"><img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;

const clusterOf = (name: string, more: Partial<ClusterRecord> = {}): ClusterRecord =>
  ({
    id: `id-of-${name}`,
    name,
    plugin_name: 'spark',
    bigdata_version: '4.1.2',
    status: 'Active',
    info: { Spark: { 'Web UI': 'http://10.0.0.1:8080', Token: 'secret-of-cluster', Shell: 'javascript:alert(1)' } },
    node_groups: [{ name: 'worker', count: 3, instances: [{}, {}] }],
    created_at: '2026-01-01T00:00:00',
    ...more,
  }) as unknown as ClusterRecord;

const runOf = (id: string): JobExecutionRecord =>
  ({
    id,
    name: id,
    job_id: 'job-of-run',
    info: { status: 'FAILED', message: hostile },
    urls: { Spark: 'http://10.0.0.1:4040', Logs: `/v1.1/demo/job-executions/${id}/logs` },
    created_at: '2026-01-01T00:00:00',
  }) as unknown as JobExecutionRecord;

const grants = [{ token: 'of-demo', tenant: 'demo' }, { token: 'of-all' }];

async function serve(options: Partial<ServerOptions> = {}) {
  const clock = new ManualClock();
  const store = createMemoryStore();
  store.put('clusters', 'demo', clusterOf('etl'));
  store.put('clusters', 'demo', clusterOf(hostile));
  store.put('jobExecutions', 'demo', runOf('run-1'));
  store.put('clusters', 'other', clusterOf('of-somebody-else'));
  const random = createSeededRandom(7);
  const server = createServer({ clock, random, store, grants, webPage: true, ...options });
  onTestFinished(async () => server.close());
  return { url: await server.start(), clock, store };
}

interface Form {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const post = async (path: string, { url, fields, headers = {} }: Form): Promise<Response> =>
  fetch(`${url}/page/${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers });

async function signIn(url: string, fields: Form['fields'] = { tenant: 'demo', token: 'of-demo' }) {
  const answer = await post('login', { url, fields });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { answer, cookie };
}

const ask = async (url: string, cookie: string, tenant = 'demo'): Promise<Response> =>
  fetch(`${url}/page?tenant=${tenant}`, { headers: { cookie } });

describe('the page', () => {
  test('is there only if it was asked for', async () => {
    const { url } = await serve({ webPage: false });
    expect((await fetch(`${url}/page`)).status).toBe(401);
    expect((await post('login', { url, fields: { tenant: 'demo', token: 'of-demo' } })).status).toBe(401);
  });

  test('asks for a token, and shows nothing without', async () => {
    const { url } = await serve();
    for (const path of ['/page', '/page?tenant=demo']) {
      const answer = await fetch(`${url}${path}`, { headers: { 'x-auth-token': 'of-demo' } });
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /);
      const text = await answer.text();
      expect([answer.status, text]).toEqual([200, expect.stringContaining('name="token"')]);
      expect(text).not.toContain('etl');
    }
  });

  test('shows the clusters and runs of the tenant to who has signed in, with pages and without other details', async () => {
    const { url } = await serve();
    const { answer, cookie } = await signIn(url);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/page?tenant=demo']);
    const text = await (await ask(url, cookie)).text();
    expect(text).toContain('<td>etl</td><td>Active</td><td>2/3</td><td>spark 4.1.2</td>');
    expect(text).toContain('<a href="http://10.0.0.1:8080"');
    expect(text).toContain('<td>run-1</td><td>job-of-run</td>');
    expect(text).not.toMatch(/secret-of-cluster|javascript:|of-somebody-else|v1\.1/);
    expect(text).toContain('<meta http-equiv="refresh" content="5">');
  });

  test('shows all texts as text', async () => {
    const { url } = await serve();
    const { cookie } = await signIn(url);
    const text = await (await ask(url, cookie)).text();
    expect(text).not.toMatch(/<img|<script/);
    expect(text.match(/&quot;&gt;&lt;img src=x/g)).toHaveLength(2);
    const { url: open } = await serve({ grants: [] });
    const mirrored = await (await fetch(`${open}/page?tenant=${encodeURIComponent(hostile)}`)).text();
    expect(mirrored).not.toMatch(/<img|<script/);
  });

  test('is that of no other tenant, and refuses wrong tokens', async () => {
    const { url } = await serve();
    const { cookie } = await signIn(url);
    const other = await ask(url, cookie, 'other');
    expect([other.status, await other.text()]).toEqual([
      401,
      expect.stringContaining('the token is for another tenant'),
    ]);
    const { answer } = await signIn(url, { tenant: 'demo', token: 'wrong' });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await answer.text()).toContain('the token is not valid');
    const all = await signIn(url, { tenant: 'other', token: 'of-all' });
    expect(await (await ask(url, all.cookie, 'other')).text()).toContain('of-somebody-else');
  });

  test('of many clusters shows the newest', async () => {
    const { url, store } = await serve();
    for (let index = 0; index < 300; index += 1) store.put('clusters', 'demo', clusterOf(`cluster-${index}`));
    const { cookie } = await signIn(url);
    const text = await (await ask(url, cookie)).text();
    expect(text.match(/<td>cluster-/g)).toHaveLength(200);
    expect(text).toContain('cluster-299');
    expect(text).toContain('102 older ones are not shown.');
  });

  test('without authentication needs none, on loopback alone', async () => {
    const { url } = await serve({ grants: [] });
    expect(await (await fetch(`${url}/page`)).text()).not.toContain('name="token"');
    expect(await (await fetch(`${url}/page?tenant=demo`)).text()).toContain('etl');
    const server = createServer({ clock: new ManualClock(), random: createSeededRandom(7), webPage: true });
    onTestFinished(async () => server.close());
    await expect(server.start({ host: '0.0.0.0' })).rejects.toThrow('cannot listen on 0.0.0.0');
    expect((await fetch(`${url}/page?tenant=demo`, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
  });
});

describe('the cookie', () => {
  test('has not the token, is for no script and no other site, and is worth nothing elsewhere', async () => {
    const { url } = await serve();
    const { answer, cookie } = await signIn(url);
    const header = answer.headers.get('set-cookie') ?? '';
    expect(header).toMatch(/^dataprocessing-page=[\w-]{43}; Path=\/page; HttpOnly; SameSite=Strict$/);
    expect(header).not.toContain('of-demo');
    expect((await fetch(`${url}/v1.1/demo/clusters`, { headers: { cookie } })).status).toBe(401);
    const secret = cookie.split('=')[1] ?? '';
    expect((await fetch(`${url}/v1.1/demo/clusters`, { headers: { 'x-auth-token': secret } })).status).toBe(401);
    const proxied = { 'x-forwarded-proto': 'https' };
    const secure = await post('login', { url, fields: { tenant: 'demo', token: 'of-demo' }, headers: proxied });
    expect(secure.headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  test('ends with the session, which ends after eight hours, and when its user signs out', async () => {
    const { url, clock } = await serve();
    const isIn = async (cookie: string) => (await (await ask(url, cookie)).text()).includes('etl');
    const [first, second] = [await signIn(url), await signIn(url)];
    const { headers } = await post('logout', { url, fields: {}, headers: { cookie: first.cookie } });
    expect(headers.get('set-cookie')).toMatch(/^dataprocessing-page=; .*Max-Age=0$/);
    expect([await isIn(first.cookie), await isIn(second.cookie)]).toEqual([false, true]);
    clock.leap(8 * 3_600_000 + 1);
    expect(await isIn(second.cookie)).toBe(false);
    expect(await isIn('dataprocessing-page=')).toBe(false);
  });

  test('of the oldest of too many sessions is worth nothing any more', () => {
    let drawn = 0;
    const sessions = new Sessions({ clock: new ManualClock(), draw: () => `secret-${drawn++}` });
    const cookies = Array.from({ length: 1_001 }, (_, index) => sessions.begin(`token-${index}`, false));
    expect(cookies.map((cookie) => sessions.tokenOf(cookie.split(';')[0])).slice(0, 3)).toEqual([
      undefined,
      'token-1',
      'token-2',
    ]);
  });

  test('of another site and a form that is too long are refused', async () => {
    const { url } = await serve();
    const fields = { tenant: 'demo', token: 'of-demo' };
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await post('login', { url, fields, headers: foreign })).status).toBe(403);
    expect((await post('login', { url, fields: { ...fields, more: 'x'.repeat(20_000) } })).status).toBe(413);
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    expect((await fetch(`${url}/page/login`, json)).status).toBe(401);
  });
});

test.skipIf(chromium === undefined)(
  'a browser signs in, follows changes, and runs nothing (else: set CHROMIUM)',
  { timeout: testLimitMs },
  async () => {
    const { url, store } = await serve();
    const browser = await openBrowser();
    onTestFinished(async () => browser.close());
    const page: Page = await browser.newPage();
    await page.goto(`${url}/page?tenant=demo`);
    await page.type('input[name=token]', 'of-demo');
    await page.click('button');
    const text = async () => page.evaluate('document.body.innerText').catch(String);
    await expect.poll(text, { timeout: limitMs }).toContain('etl');
    expect(await text()).toContain(hostile);
    store.put('clusters', 'demo', clusterOf('made-later'));
    await expect.poll(text, { timeout: limitMs }).toContain('made-later');
    expect(await page.evaluate('document.title')).toBe('Data processing');

    await page.click('header button');
    await page.waitForSelector('input[name=token]');
  },
);
