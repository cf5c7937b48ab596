// The same attacks on the service of each dialect, with and without log-ins.
import { describe, onTestFinished, test } from 'vitest';
import type { Dialect } from '../../src/wire/dialect.ts';
import { attack, setUp } from './campaign.ts';

export const fuzzes = (dialect: Dialect, runs = 150): void => {
  describe(`requests at random, ${dialect}`, () => {
    test.each([undefined, 'good'])('token %s', async (token) => {
      const campaign = { dialect, ...(token !== undefined && { token }), runs };
      const stand = await setUp(campaign);
      onTestFinished(() => stand.server.close());
      await attack(stand, campaign);
    });
  });
};
