// The page in a real browser follows what changes. It asks every five seconds.
import { describe, expect, test } from 'vitest';
import { chromium } from '../../../support/browser.ts';
import { testLimitMs } from '../../../support/patience.ts';
import { objectOf } from '../support.ts';
import { logIn, objects, ready, untilShown, useBrowser } from './browsing.ts';

describe.skipIf(chromium === undefined)('in a browser, the page (else: set CHROMIUM)', { timeout: testLimitMs }, () => {
  const browsing = useBrowser();
  const { openPage } = browsing;

  test('follows changes without a reload', async () => {
    const page = await openPage('#/connections');
    await logIn(page);
    await untilShown(page, /Connection\s+team-a\s+default/);
    objects.push(objectOf('Connection', 'team-c/late', { status: ready }));
    await untilShown(page, /Connection\s+team-c\s+late/);
    objects.pop();
    await page.close();
    expect(browsing.complaints).toEqual([]);
  });
});
