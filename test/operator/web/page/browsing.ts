// The page in a real browser, before a server that knows one token.
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { definitions } from '../../../../src/operator/kinds/index.ts';
import { Reviews } from '../../../../src/operator/web/access/permissions.ts';
import files from '../../../../src/operator/web/page.json' with { type: 'json' };
import { createApi } from '../../../../src/operator/web/server/api.ts';
import { WebServer } from '../../../../src/operator/web/server/web-server.ts';
import { openBrowser } from '../../../support/browser.ts';
import { limitMs, testLimitMs } from '../../../support/patience.ts';
import { blocker, conditionOf, objectOf } from '../support.ts';

export const token = 'a-token-of-kubernetes';
export const hostile = `<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>`;
export const ready = { conditions: [conditionOf('Ready', 'True', 'Available', 'all is well')] };

/** What the page shows: it follows changes of them. */
export const objects: RawResource[] = [
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

function createServer(): WebServer {
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
  return new WebServer({ host: '127.0.0.1', port: 0, files, answer, log });
}

export interface Browsing {
  /** Of the server. */
  readonly url: string;
  readonly requested: readonly { readonly url: string; readonly headers: Readonly<Record<string, string>> }[];
  /** Errors in the page. */
  readonly complaints: readonly string[];
  readonly openPage: (hash?: string) => Promise<Page>;
}

/** For the tests of a suite. */
export function useBrowser(): Browsing {
  const requested: Browsing['requested'][number][] = [];
  const complaints: string[] = [];
  let server: WebServer;
  let browser: Browser;
  let url = '';
  beforeAll(async () => {
    server = createServer();
    await server.start();
    url = `http://127.0.0.1:${server.port}`;
    browser = await openBrowser();
  }, testLimitMs);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  return {
    get url() {
      return url;
    },
    requested,
    complaints,
    async openPage(hash = '') {
      const page = await browser.newPage();
      page.on('request', (sent) => void requested.push({ url: sent.url(), headers: sent.headers() }));
      page.on('pageerror', (error) => void complaints.push(String(error)));
      await page.setViewport({ width: 1200, height: 800 });
      await page.goto(`${url}/${hash}`);
      return page;
    },
  };
}

export async function logIn(page: Page, typed = token): Promise<void> {
  await page.waitForSelector('#token');
  await page.type('#token', typed);
  await page.click('button[type=submit]');
}

const textOf = async (page: Page): Promise<string> => page.evaluate('document.body.innerText') as Promise<string>;

export async function untilShown(page: Page, wanted: string | RegExp): Promise<void> {
  await expect.poll(async () => textOf(page), { timeout: limitMs }).toMatch(wanted);
}
