// What commands print for programs, also where it reaches a terminal.
import { expect, test } from 'vitest';
import type { Format } from '../../src/cli/arguments/cli-flags.ts';
import { printFound, printManifests } from '../../src/cli/output/formats.ts';
import { scene } from './scene.ts';

const found = { message: 'no\u009b2J\u202egpj', version: '3.10' };

async function printed(format: Format, isTerminal: boolean): Promise<string> {
  const { printer, printed: all } = scene({ statuses: [] });
  await printFound({ ...printer, isTerminal }, format, { found, page: () => 'page\n' });
  return all();
}

test.each<[Format, boolean, string]>([
  ['text', true, 'page\n'],
  ['json', false, `${JSON.stringify(found, null, 2)}\n`],
  ['json', true, '{\n  "message": "no?2J?gpj",\n  "version": "3.10"\n}\n'],
])('%s, on a terminal: %s', async (format, isTerminal, text) => {
  expect(await printed(format, isTerminal)).toBe(text);
});

test('yaml has quotes where kubectl needs them', async () => {
  expect(await printed('yaml', true)).toMatch(/^version: "3\.10"$/m);
});

test('manifests are documents in YAML, and a List in JSON', async () => {
  const run = async (format: Format) => {
    const { printer, printed: all } = scene({ statuses: [] });
    await printManifests(printer, format, [{ kind: 'Job' }, { kind: 'Cluster' }]);
    return all();
  };
  expect(await run('yaml')).toBe('kind: Job\n---\nkind: Cluster\n');
  expect(JSON.parse(await run('json'))).toEqual({
    apiVersion: 'v1',
    kind: 'List',
    items: [{ kind: 'Job' }, { kind: 'Cluster' }],
  });
});
