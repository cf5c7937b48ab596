// The README of the service: its tables are those of the routes there are, and its commands can be given.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fillIn } from '../../../dev/generate/fill-in.ts';
import { parseAccounts } from '../../../dev/identity/accounts.ts';
import { identityFlags } from '../../../dev/identity/flags.ts';
import { faultFlags } from '../../../dev/personality/flags.ts';
import { parsePersonality } from '../../../dev/personality/personality-text.ts';
import { createDocument } from '../../../src/service/api/openapi/document.ts';
import { parseImages } from '../../../src/service/backends/pods/manifests/engine-images.ts';
import { parseFlags } from '../../../src/service/program/flags/flags.ts';
import { dialects } from '../../../src/wire/dialect.ts';
import { blocksIn, readPage } from '../../e2e/support/documents.ts';
import type { Document } from '../../support/service/openapi.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const text = await readFile(join(root, 'src/service/README.md'), 'utf8');

describe('the README of the service', () => {
  test.each(dialects)('tells of every route of %s', (dialect) => {
    const told = new Set([...text.matchAll(/^#### `(.*)`$/gm)].map(([, line = '']) => line));
    const { paths } = createDocument({ dialect, logIn: 'none' }) as Document;
    const served = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const within = served.filter((line) => line.includes('{tenant_id}'));
    const missing = within.filter((line) => !told.has(line) && !told.has(line.replace(/\/v1\.[01]\//, '/v1.x/')));
    expect([within.length > 60, missing]).toEqual([true, []]);
  });

  test('says what an error is called, and in which dialects', () => {
    expect(text).toContain('| 400 | `CLUSTER_NAME_ALREADY_EXISTS` | the name is in use | neutral |');
    expect(text).toContain('| 400 | `NAME_ALREADY_EXISTS` | the name is in use | sahara, savanna |');
  });

  test('gives flags that there are', () => {
    const commands = [...text.matchAll(/^(?:npm run service --|docker run .* dist\/service\/main\.js) ([^>&\n]*)/gm)];
    expect(commands.length).toBe(3);
    for (const [, flags = ''] of commands) expect(parseFlags(flags.trim().split(/\s+/)).help).toBe(false);
  });

  test('starts the file that the image has', async () => {
    const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
    expect(dockerfile).toContain('--entrypoint node IMAGE dist/service/main.js');
    expect(text).toMatch(/--entrypoint node localhost\/dataprocessing-operator:\S+ dist\/service\/main\.js/);
  });

  test('refers to files that there are', async () => {
    const links = [...text.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(0);
    await Promise.all(links.map(async (path) => readFile(join(root, 'src/service', path))));
  });
});

describe('the guides to the service', () => {
  const guides = 'docs/how-to/bundled-service';

  test('show accounts that it reads', () => {
    const [file = ''] = blocksIn(readPage(`${guides}/authentication.md`), 'yaml');
    expect(parseAccounts(file).users.map(({ name }) => name)).toEqual(['ann']);
  });

  test('show images of engines that it reads', () => {
    const [file = ''] = blocksIn(readPage(`${guides}/clusters-in-pods.md`), 'yaml');
    expect(parseImages(file)['spark']?.[0]?.reference).toBe('registry.example/spark:4.1.2');
  });

  test('show faults that it reads', () => {
    const page = readPage(`${guides}/faults.md`);
    const rules = [...page.matchAll(/^\| [^|]+ \| `(\{(?:method|rate|every).*\})`/gm)].map(([, rule]) => rule);
    expect(rules.length).toBe(5);
    const [, sent = ''] = /--data '(.*)' http/.exec(page) ?? [];
    for (const text of [sent, ...rules.map((rule) => `{faults: [${rule}]}`)])
      expect(parsePersonality('neutral', text).faults).toHaveLength(1);
  });

  test('show flags that exist', () => {
    const page = readPage(`${guides}/README.md`);
    const flags = [...page.matchAll(/^\| (`--.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words),
    );
    expect(flags.length).toBeGreaterThan(15);
    for (const words of flags) parseFlags(words.split(' '), { ...identityFlags, ...faultFlags });
  });
});

describe('parts of a file', () => {
  const place = '<!-- generated: one -->\nold\n<!-- end -->\n';

  test('are put between their marks, and again in the same way', () => {
    const once = fillIn(`a\n${place}b`, { one: 'new $& text' });
    expect(once).toBe('a\n<!-- generated: one -->\n\nnew $& text\n\n<!-- end -->\nb');
    expect(fillIn(once, { one: 'new $& text' })).toBe(once);
  });

  test.each([[{}], [{ one: '', two: '' }]])('need a place each, and no other: %j', (parts) => {
    expect(() => fillIn(place, parts)).toThrow('cannot fill in: there are places for one');
  });
});
