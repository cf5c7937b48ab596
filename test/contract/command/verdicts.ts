// What the command tells of the bundled service in a dialect, and of one that is wrong.
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { flagsFor, leftBehind, makeStranger, runContract, startBundled } from '../command.ts';

type Judged = 'neutral' | 'sahara';

/** In front of the service: changes the text of every answer. */
export async function startDistorting(endpoint: string, distort: (text: string) => string): Promise<string> {
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

const inapplicable: Readonly<Record<Judged, object>> = {
  neutral: { 'it needs a catalog of its own: images, flavors, plugins or a quota': 1 },
  sahara: { 'it is written for neutral': 3 },
};

/** Of a service that is as it should be. */
export function good(dialect: Judged): void {
  test('tells what passed and what is not applicable, and leaves what it found', async () => {
    const endpoint = await startBundled(dialect);
    await makeStranger(endpoint, dialect);
    const result = await runContract(...flagsFor(endpoint, dialect), '--section', '4.3', '--section', '5');
    expect(result.failed).toEqual([]);
    expect(result.passed.length).toBeGreaterThan(40);
    expect(result.inapplicable).toMatchObject({ ...inapplicable[dialect], 'it needs tokens of other tenants': 2 });
    const left = Object.values(result.inapplicable).reduce((sum, each) => sum + each, 0);
    expect(result.last).toBe(`${result.passed.length} passed, 0 failed, ${left} not applicable`);
    expect(result.code).toBe(0);
    expect(await leftBehind(endpoint)).toEqual({ 'node-group-templates': 1 });
  });
}

const wrong: Readonly<Record<Judged, readonly [what: string, from: string, to: string]>> = {
  neutral: ['a default', '"volumes_per_node":0', '"volumes_per_node":1'],
  sahara: ['the name of an error', '"NOT_FOUND"', '"GONE"'],
};

/** Of one that is not. */
export function bad(dialect: Judged): void {
  const [what, from, to] = wrong[dialect];
  test(`a service that has ${what} wrong fails`, async () => {
    const endpoint = await startDistorting(await startBundled(dialect), (text) => text.replaceAll(from, to));
    const { code, failed, last } = await runContract(...flagsFor(endpoint, dialect), '--section', '4.3');
    expect(code).toBe(1);
    expect(failed.length).toBeGreaterThan(0);
    for (const line of failed) expect(line).toMatch(/^FAILED +section 4\.3: /);
    expect(last).toMatch(new RegExp(`^\\d+ passed, ${failed.length} failed, \\d+ not applicable$`));
  });
}
