// The page in a real browser: what it shows, where the token goes, and that nothing in it runs as a script.

import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { definitions } from '../../../../src/operator/kinds/index.ts';
import { Reviews } from '../../../../src/operator/web/access/permissions.ts';
import files from '../../../../src/operator/web/page.json' with { type: 'json' };
import { createApi } from '../../../../src/operator/web/server/api.ts';
import { WebServer } from '../../../../src/operator/web/server/web-server.ts';
import { chromium, openBrowser } from '../../../support/browser.ts';
import { limitMs, testLimitMs } from '../../../support/patience.ts';
import { blocker, conditionOf, objectOf } from '../support.ts';

const token = 'a-token-of-kubernetes';
const hostile = `<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>`;
const ready = { conditions: [conditionOf('Ready', 'True', 'Available', 'all is well')] };

const objects: RawResource[] = [
  objectOf('SharedConnection', '/platform', {
    status: {
      conditions: [conditionOf('Ready', 'False', 'Deleting', 'in use')],
      blockedOn: [blocker('Cluster', 'team-a/etl')],
    },
  }),
  objectOf('Connection', 'team-a/default', { status: ready }),
  objectOf('Cluster', 'team-a/etl', {
    status: {
      ...ready,
      nodes: '3/3',
      pluginName: hostile,
      endpoints: [{ target: 'Spark', name: hostile, url: 'https://example.com/ui' }],
    },
  }),
  objectOf('NodeGroup', 'team-a/workers', {
    spec: { clusterRef: { name: 'etl' }, nodeGroup: 'worker' },
    status: ready,
  }),
  objectOf('JobExecution', 'team-a/wordcount', {
    status: {
      conditions: [conditionOf('Ready', 'False', 'DependencyNotReady', 'waiting')],
      blockedOn: [blocker('Cluster', 'etl'), { ...blocker(hostile, hostile), message: hostile }],
    },
  }),
  objectOf('JobSchedule', 'team-b/nightly', {
    status: { conditions: [conditionOf('Stalled', 'True', hostile.slice(0, 64), hostile)] },
  }),
];

describe.skipIf(chromium === undefined)('in a browser, the page (else: set CHROMIUM)', { timeout: testLimitMs }, () => {
  let server: WebServer;
  let browser: Browser;
  let url = '';
  const requested: { readonly url: string; readonly headers: Readonly<Record<string, string>> }[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    const request = async ({ body }: { readonly body?: unknown }) => {
      const { spec } = body as { readonly spec: { readonly token?: string } };
      return { status: { allowed: true, authenticated: spec.token === token, user: { username: 'jane' } } };
    };
    const sources = {
      definitions,
      list: (kind: string) => objects.filter((one) => one.kind === kind),
      replica: () => ({ name: 'operator-0', leading: true }),
      notes: () => [],
    };
    const reviews = new Reviews({ transport: { request }, clock: systemClock });
    const answer = createApi({ sources, reviews, clock: systemClock, unready: () => undefined });
    const quiet = () => undefined;
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    server = new WebServer({ host: '127.0.0.1', port: 0, files, answer, log });
    await server.start();
    url = `http://127.0.0.1:${server.port}`;
    browser = await openBrowser();
  }, testLimitMs);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function openPage(hash = ''): Promise<Page> {
    const page = await browser.newPage();
    page.on('request', (sent) => void requested.push({ url: sent.url(), headers: sent.headers() }));
    page.on('pageerror', (error) => void complaints.push(String(error)));
    await page.setViewport({ width: 1200, height: 800 });
    await page.goto(`${url}/${hash}`);
    return page;
  }

  async function logIn(page: Page, typed = token): Promise<void> {
    await page.waitForSelector('#token');
    await page.type('#token', typed);
    await page.click('button[type=submit]');
  }

  const textOf = async (page: Page): Promise<string> => page.evaluate('document.body.innerText') as Promise<string>;
  const untilShown = async (page: Page, wanted: string | RegExp): Promise<void> => {
    await expect.poll(async () => textOf(page), { timeout: limitMs }).toMatch(wanted);
  };

  test('asks for a token, says if it is wrong, and shows the objects that need attention first', async () => {
    const page = await openPage();
    await logIn(page, 'wrong');
    await untilShown(page, 'The API server does not accept the token: the token is not valid.');
    await logIn(page);
    await untilShown(page, 'Answered by operator-0, the leader.');
    const states = await page.$$eval('tbody td:first-child', (cells) => cells.map(({ textContent }) => textContent));
    expect(states).toEqual(['Stalled', 'Waiting', 'Waiting', 'Ready', 'Ready', 'Ready']);
    await page.close();
  });

  test('has an address for each object, and links to what the object waits for', async () => {
    const page = await openPage('#/jobexecutions/team-a/wordcount');
    await logIn(page);
    await untilShown(page, /JobExecution wordcount[^]*Waits for[^]*Cluster etl \(DependencyNotReady\)/);
    await page.click('article a::-p-text(Cluster etl)');
    await untilShown(page, /Cluster etl[^]*Nodes\s+3\/3[^]*Is waited for by\s+JobExecution wordcount/);
    expect(page.url()).toBe(`${url}/#/clusters/team-a/etl`);
    await page.goto(`${url}/#/`);
    await untilShown(page, /SharedConnection\s+platform/);
    await page.click('a::-p-text(platform)');
    await untilShown(page, /SharedConnection platform[^]*Waits for[^]*Cluster team-a\/etl/);
    expect(page.url()).toBe(`${url}/#/sharedconnections//platform`);
    await page.click('article a::-p-text(team-a/etl)');
    await untilShown(page, /Cluster etl[^]*Nodes\s+3\/3/);
    await page.close();
  });

  test('follows changes without a reload', async () => {
    const page = await openPage('#/connections');
    await logIn(page);
    await untilShown(page, /Connection\s+team-a\s+default/);
    objects.push(objectOf('Connection', 'team-c/late', { status: ready }));
    await untilShown(page, /Connection\s+team-c\s+late/);
    objects.pop();
    await page.close();
  });

  test('runs nothing of what objects say, and shows it as text', async () => {
    const page = await openPage();
    await logIn(page);
    await untilShown(page, hostile);
    for (const hash of ['#/clusters/team-a/etl', '#/jobexecutions/team-a/wordcount', '#/jobschedules/team-b/nightly']) {
      await page.goto(`${url}/${hash}`);
      await untilShown(page, hostile);
    }
    await page.goto(`${url}/#/${encodeURIComponent(hostile)}?namespace=${encodeURIComponent(hostile)}`);
    await untilShown(page, 'resource: must be one of');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.$$('img')).toEqual([]);
    expect(await page.$$('script')).toHaveLength(1);
    await page.close();
  });

  test('keeps the token in the tab only: in no address, cookie or other storage, until it is forgotten', async () => {
    const page = await openPage('?namespace=team-a');
    await logIn(page);
    await untilShown(page, 'Answered by operator-0');
    await page.reload();
    await untilShown(page, 'Answered by operator-0');
    const kept = 'JSON.stringify([location.href, document.cookie, { ...localStorage }, document.body.innerHTML])';
    expect(await page.evaluate(kept)).not.toContain(token);
    expect(await page.evaluate('sessionStorage.length')).toBe(1);
    await page.click('header button');
    await page.waitForSelector('#token');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.close();
  });

  test('has sent the token to /api/objects alone, in the header, and has asked nobody else for anything', () => {
    expect(complaints).toEqual([]);
    expect(requested.length).toBeGreaterThan(10);
    for (const { url: to, headers } of requested) {
      expect(to.startsWith(url)).toBe(true);
      expect(to).not.toContain(token);
      const withToken = Object.entries(headers).filter(([, value]) => value.includes(token));
      const isQuestion = new URL(to).pathname === '/api/objects';
      expect(withToken.map(([name]) => name).filter((name) => !isQuestion || name !== 'authorization')).toEqual([]);
    }
  });
});
