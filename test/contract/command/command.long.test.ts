// The command that points the suite at another service: what it tells of a good one in another dialect, of a broken one and of none.
import { describe, expect, test } from 'vitest';
import { flagsFor, leftBehind, makeStranger, runContract, startBundled } from '../command.ts';
import { bad, good, startDistorting } from './verdicts.ts';

describe('npm run contract, neutral', () => {
  bad('neutral');
});

describe('npm run contract, sahara', () => {
  good('sahara');
  bad('sahara');
});

describe('npm run contract', () => {
  test.each([
    [['--endpoint', 'http://127.0.0.1:9'], 'cannot begin: nobody answers at http://127.0.0.1:9'],
    [['--endpoint', 'http://127.0.0.1:9', '--section', '12'], '--section has none of the sections with tests; there'],
    [[], 'cannot read flags: --endpoint is missing'],
  ])('%j: told what is wrong', async (flags, problem) => {
    const { code, errors } = await runContract(...flags);
    expect([code, errors]).toEqual([1, expect.stringContaining(problem)]);
  });

  test('rows whose answers were lost are deleted in the end, and told', async () => {
    const endpoint = await startBundled('neutral');
    await makeStranger(endpoint, 'neutral');
    const deaf = await startDistorting(endpoint, (text) => (text.startsWith('{"node_group_template":') ? '' : text));
    const { code, failed, left } = await runContract(...flagsFor(deaf, 'neutral'), '--section', '4.3');
    expect([code, failed.length > 0, left.length > 0]).toEqual([1, true, true]);
    for (const line of left) expect(line).toMatch(/^ {4}\/v1\.0\/acme\/node-group-templates\/[0-9a-f-]{36}$/);
    expect(await leftBehind(endpoint)).toEqual({ 'node-group-templates': 1 });
  });

  test.each([
    [['--token', 'wrong'], 'answers 401: check --token and --tenant'],
    [['--endpoint', 'ENDPOINT/elsewhere'], 'answers 404: check --endpoint and --dialect'],
  ])('%j: told before anything is tried', async (flags, problem) => {
    const endpoint = await startBundled('sahara');
    const wrong = flags.map((flag) => flag.replace('ENDPOINT', endpoint));
    const { code, errors } = await runContract(...flagsFor(endpoint, 'sahara'), ...wrong);
    expect([code, errors]).toEqual([1, expect.stringContaining(problem)]);
  });
});
