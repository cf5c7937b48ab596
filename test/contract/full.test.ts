// The whole suite through the command against the bundled service of each dialect: nothing fails, and what could not be tried is known.
import { expect, test } from 'vitest';
import { flagsFor, leftBehind, runContract, startBundled } from './command.ts';

/** What a service of its own has to be made to have, in any dialect. */
const always = {
  'it needs a catalog of its own: images, flavors, plugins or a quota': 5,
  'it needs a Keystone of its own': 3,
  'it needs tokens of other tenants': 2,
  'it needs a tenant called a b': 1,
  'it needs a service that asks for no token': 1,
};

test.each([
  ['neutral', 650, { 'it moves the clock of the service': 39, 'it is about the dialect sahara': expect.any(Number) }],
  ['sahara', 600, { 'it moves the clock of the service': 40, 'it is written for neutral': 50 }],
  ['savanna', 480, { 'it moves the clock of the service': 41, 'it is written for neutral': 50 }],
])('%s: at least %d pass, none fails', { timeout: 600_000 }, async (dialect, least, untried) => {
  const endpoint = await startBundled(dialect);
  const result = await runContract(...flagsFor(endpoint, dialect));
  expect(result.failed).toEqual([]);
  expect(result.code).toBe(0);
  expect(result.passed.length).toBeGreaterThan(least);
  expect(result.untried).toMatchObject({ ...always, ...untried });
  expect(Object.keys(result.untried)).not.toContainEqual(expect.not.stringMatching(/^it (needs|is|moves|sets|would) /));
  expect(await leftBehind(endpoint)).toEqual({});
});
