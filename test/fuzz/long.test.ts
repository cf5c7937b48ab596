// The same for long: a hundred thousand requests in all, and no memory that stays behind.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dialects } from '../../src/wire/dialect.ts';
import { prepare } from '../support/service/openapi.ts';
import { attack, setUp } from './campaign.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const batches = 20;
const batch = 850;
/** What collectors and compilers may keep between two looks. */
const slackBytes = 8 * 1024 * 1024;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

describe.each(dialects)('%s', (dialect) => {
  test.each([undefined, 'good'])('17,000 requests, token %s', { timeout: 1_200_000 }, async (token) => {
    const campaign = { dialect, ...(token !== undefined && { token }), runs: batch };
    const stand = await setUp(campaign);
    onTestFinished(() => stand.server.close());
    prepare(stand.ground.document);
    const heaps: number[] = [];
    for (let done = 0; done < batches; done += 1) {
      await attack(stand, campaign);
      heaps.push(heapBytes());
    }
    const [early = 0, end = 0] = [heaps[batches / 5 - 1], heaps.at(-1)];
    expect(end - early, `bytes more at the end than at 20 %: ${heaps.join(', ')}`).toBeLessThan(slackBytes);
  });
});
