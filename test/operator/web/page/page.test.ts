// The page in a real browser: what it shows, where the token goes, and that nothing in it runs as a script. What it follows: page.long.test.ts.
import { describe, expect, test } from 'vitest';
import { chromium } from '../../../support/browser.ts';
import { testLimitMs } from '../../../support/patience.ts';
import { hostile, logIn, token, untilShown, useBrowser } from './browsing.ts';

describe.skipIf(chromium === undefined)('in a browser, the page (else: set CHROMIUM)', { timeout: testLimitMs }, () => {
  const browsing = useBrowser();
  const { openPage } = browsing;

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
    expect(page.url()).toBe(`${browsing.url}/#/clusters/team-a/etl`);
    await page.goto(`${browsing.url}/#/`);
    await untilShown(page, /SharedConnection\s+platform/);
    await page.click('a::-p-text(platform)');
    await untilShown(page, /SharedConnection platform[^]*Waits for[^]*Cluster team-a\/etl/);
    expect(page.url()).toBe(`${browsing.url}/#/sharedconnections//platform`);
    await page.click('article a::-p-text(team-a/etl)');
    await untilShown(page, /Cluster etl[^]*Nodes\s+3\/3/);
    await page.close();
  });

  test('runs nothing of what objects say, and shows it as text', async () => {
    const page = await openPage();
    await logIn(page);
    await untilShown(page, hostile);
    for (const hash of ['#/clusters/team-a/etl', '#/jobexecutions/team-a/wordcount', '#/jobschedules/team-b/nightly']) {
      await page.goto(`${browsing.url}/${hash}`);
      await untilShown(page, hostile);
    }
    await page.goto(`${browsing.url}/#/${encodeURIComponent(hostile)}?namespace=${encodeURIComponent(hostile)}`);
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
    expect(browsing.complaints).toEqual([]);
    expect(browsing.requested.length).toBeGreaterThan(10);
    for (const { url: to, headers } of browsing.requested) {
      expect(to.startsWith(browsing.url)).toBe(true);
      expect(to).not.toContain(token);
      const withToken = Object.entries(headers).filter(([, value]) => value.includes(token));
      const isQuestion = new URL(to).pathname === '/api/objects';
      expect(withToken.map(([name]) => name).filter((name) => !isQuestion || name !== 'authorization')).toEqual([]);
    }
  });
});
