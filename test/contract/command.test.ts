// The command that points the suite at another service: what it tells of a good one, of a broken one and of none.
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { flagsFor, leftBehind, makeStranger, runContract, startBundled } from './command.ts';
import { readOrder } from './foreign/command/flags.ts';

/** In front of the service: changes the text of every answer. */
async function startDistorting(endpoint: string, distort: (text: string) => string): Promise<string> {
  const app = fastify();
  onTestFinished(() => app.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.all('/*', async ({ method, url, headers, body }, reply) => {
    const own = Object.entries(headers).filter(([name]) => name.startsWith('x-') || name === 'content-type');
    const sent = { method, headers: Object.fromEntries(own) as Record<string, string>, body: body as Buffer | null };
    const answer = await fetch(endpoint + url, method === 'GET' ? { ...sent, body: null } : sent);
    const text = distort(await answer.text());
    return reply
      .code(answer.status)
      .type(answer.headers.get('content-type') ?? '')
      .send(text);
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
}

const section = ['--section', '4.3', '--section', '5'];

const aDefault = (text: string) => text.replaceAll('"volumes_per_node":0', '"volumes_per_node":1');
const aName = (text: string) => text.replaceAll('"NOT_FOUND"', '"GONE"');

describe.each([
  ['neutral', { 'it needs a catalog of its own: images, flavors, plugins or a quota': 1 }, 'a default', aDefault],
  ['sahara', { 'it is written for neutral': 3 }, 'the name of an error', aName],
] as const)('npm run contract, %s', (dialect, inapplicable, what, distort) => {
  test('tells what passed and what is not applicable, and leaves what it found', async () => {
    const endpoint = await startBundled(dialect);
    await makeStranger(endpoint, dialect);
    const result = await runContract(...flagsFor(endpoint, dialect), ...section);
    expect(result.failed).toEqual([]);
    expect(result.passed.length).toBeGreaterThan(40);
    expect(result.inapplicable).toMatchObject({ ...inapplicable, 'it needs tokens of other tenants': 2 });
    const left = Object.values(result.inapplicable).reduce((sum, each) => sum + each, 0);
    expect(result.last).toBe(`${result.passed.length} passed, 0 failed, ${left} not applicable`);
    expect(result.code).toBe(0);
    expect(await leftBehind(endpoint)).toEqual({ 'node-group-templates': 1 });
  });

  test(`a service that has ${what} wrong fails`, async () => {
    const endpoint = await startDistorting(await startBundled(dialect), distort);
    const { code, failed, last } = await runContract(...flagsFor(endpoint, dialect), '--section', '4.3');
    expect(code).toBe(1);
    expect(failed.length).toBeGreaterThan(0);
    for (const line of failed) expect(line).toMatch(/^FAILED +section 4\.3: /);
    expect(last).toMatch(new RegExp(`^\\d+ passed, ${failed.length} failed, \\d+ not applicable$`));
  });
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

describe('flags', () => {
  test.each([
    [['--endpoint', 'ftp://host'], '--endpoint must be an http or https address without query and fragment'],
    [['--endpoint', 'http://h?x'], '--endpoint must be an http or https address without query and fragment'],
    [['--endpoint', 'http://h', '--dialect', 'klingon'], '--dialect must be one of neutral, sahara, savanna'],
    [['--endpoint', 'http://h', '--timeout-s', 'x'], '--timeout-s must be a positive number'],
    [['--endpoint', 'http://h', '--ours', 'perhaps'], '--ours must be yes or no'],
    [['--endpoint', 'http://h', '--max-clusters', 'many'], '--max-clusters must be a whole number'],
    [['--endpoint', 'http://h', '--worker-processes', 'a,,b'], '--worker-processes has an empty name'],
    [['--endpoint', 'http://h', '--clean-up', '../x'], '--clean-up must be the mark of a run'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ])('%j: told what is wrong', (flags, problem) => {
    expect(() => readOrder(flags)).toThrow(problem);
  });

  test('help needs nothing else', () => {
    expect(readOrder(['--help'])).toBeUndefined();
  });
});
