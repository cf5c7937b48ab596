// Commands, flags and links of the documentation exist, and name our kinds without ambiguity: other groups have Clusters, too.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityFlags } from '../../dev/identity/flags.ts';
import { faultFlags } from '../../dev/personality/flags.ts';
import { readConfig } from '../../src/operator/config.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { parseFlags } from '../../src/service/program/flags/flags.ts';
import { blocksIn, commandsIn, pages, readPage } from '../e2e/support/documents.ts';

const root = join(import.meta.dirname, '..', '..');
const places = ['dev/demo.ts', 'deploy/monitoring/prometheus-rule.yaml', ...pages];
const doubtful = definitions.flatMap(({ kind, plural }) => [kind, plural, kind.toLowerCase()]);

/** What each command names first, after the verb and flags. */
function namedIn(text: string): readonly string[] {
  const commands = text.matchAll(
    /kubectl (?:-n \S+ )*(?:get|describe|delete|annotate|patch|wait|edit|label)((?: (?:-[no] \S+|--?\S+))*) ([\w{][^`\n]*)/g,
  );
  return [...commands].flatMap(([, , rest = '']) => {
    const [words = ''] = rest.replace(/\{\{ *\$labels\.kind *\}\}/, 'Cluster').split(/[ )]/);
    return words.split(',').map((word) => word.split('/')[0] ?? '');
  });
}

test.each(places)('%s names what it means', (place) => {
  expect(namedIn(readFileSync(join(root, place), 'utf8')).filter((name) => doubtful.includes(name))).toEqual([]);
});

test.each([
  ['kubectl get clusters', 'clusters'],
  ['see `kubectl -n a describe -o wide cluster/etl`', 'cluster'],
  ['(kubectl get {{ $labels.kind }} -A) and', 'Cluster'],
  ['kubectl delete dpc,connections --all', 'connections'],
  ['kubectl wait --for=condition=Ready Cluster x', 'Cluster'],
])('%s leaves a doubt', (command, name) => {
  expect(namedIn(command).filter((one) => doubtful.includes(one))).toEqual([name]);
});

test('commands are found', () => {
  expect(places.flatMap((place) => namedIn(readFileSync(join(root, place), 'utf8'))).length).toBeGreaterThan(20);
});

test('the README says why, and where the comparison is, before anything on Sahara', () => {
  const [first = ''] = readPage('README.md').split(/sahara/i);
  expect(first).toContain('(docs/concepts/compared.md)');
  for (const other of ['kubeflow/spark-operator', 'apache/spark-kubernetes-operator', 'Stackable'])
    expect(first).toContain(other);
});

test('the README has at most 800 words', () => {
  expect(readPage('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(800);
});

const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
};

test('the figures of the README are those of the page on development', () => {
  const [, table = ''] = readPage('README.md').split('\n## Reliability\n');
  const figures = [...table.matchAll(/\| ([\d,.]+(?: of [\d,.]+| %)?) \|$/gm)].map(([, figure = '']) => figure);
  expect(figures).toHaveLength(4);
  const measured = readPage('docs/development.md');
  expect(figures.filter((figure) => !measured.includes(`| ${figure}`))).toEqual([]);
});

test('every page and manifest names the image of this version, the newest in the changelog', () => {
  const [, newest] = /^## \[(\d.*?)\]/m.exec(readPage('CHANGELOG.md')) ?? [];
  expect(newest).toBe(version);
  const manifests = ['deploy/operator/deployment.yaml', 'deploy/bundled-service/deployment.yaml', 'Dockerfile'];
  // The guide to upgrades shows the next version.
  const places = [...pages, ...manifests].filter((place) => !place.endsWith('/upgrade.md'));
  const tags = places.flatMap((place) =>
    [...readPage(place).matchAll(/dataprocessing-operator:(\d[\w.-]*)/g)].map(([, tag]) => tag),
  );
  expect([tags.length > 8, new Set(tags)]).toEqual([true, new Set([version])]);
});

/** What is given to a script, in blocks and in the text: `npm run NAME -- ARGUMENTS`. */
function scriptsIn(page: string): readonly { readonly name: string; readonly args: string }[] {
  const text = readPage(page);
  const inText = [...text.replaceAll(/^ *```.*?^ *```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...commandsIn(text), ...inText].flatMap((line) => {
    const [, run, short, args = ''] =
      /^npm (?:run (?:--silent )?([a-z:]+)|(start|test))(?: -- ([^>&#|]*))?/.exec(line) ?? [];
    const name = run ?? short;
    return name === undefined ? [] : [{ name, args: args.trim() }];
  });
}

/** The files that define the flags of a script, by the script. */
const definedIn: Readonly<Record<string, string>> = {
  contract: 'test/contract/foreign/command/flags.ts',
  demo: 'dev/demo.ts',
  engines: 'dev/engines.ts',
  release: 'dev/release.ts',
  simulate: 'test/simulator/main.ts',
  'test:faults': 'test/faults/main.ts',
  'test:mutation': 'test/mutation/main.ts',
  bench: 'dev/bench/options.ts',
};

function unknownFlags(name: string, args: string): readonly string[] {
  const words = args === '' ? [] : args.split(/\s+/);
  if (name === 'start') return words.includes('--help') || readConfig(words, {}) ? [] : words;
  if (name === 'service') return parseFlags(words, { ...identityFlags, ...faultFlags }) ? [] : words;
  const flags = [...args.matchAll(/--([a-z-]+)/g)].map(([, flag = '']) => flag);
  const source = flags.length === 0 ? '' : readFileSync(join(root, definedIn[name] ?? name), 'utf8');
  return flags.filter((flag) => flag !== 'help' && !new RegExp(`\\b${flag}\\b`).test(source));
}

describe.each(pages)('%s', (page) => {
  test('names npm scripts and flags that exist', () => {
    const named = scriptsIn(page);
    expect(named.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
    for (const { name, args } of named) expect(unknownFlags(name, args), `${name} ${args}`).toEqual([]);
  });

  test('has commands that the shell can parse', () => {
    for (const block of blocksIn(readPage(page), 'sh')) execFileSync('sh', ['-n'], { input: block });
  });

  test('applies manifests on the server side', () => {
    const applied = readPage(page).match(/kubectl (?:-n \S+ )?apply .*/g) ?? [];
    // CONTRIBUTING.md quotes what we no longer write.
    const quoted = page === 'CONTRIBUTING.md' ? 1 : 0;
    expect(applied.filter((command) => !command.includes('apply --server-side')).slice(quoted)).toEqual([]);
  });

  test('names files that exist in its commands', () => {
    const named = commandsIn(readPage(page)).flatMap(
      (line) => line.match(/(?<![\w./])(?:deploy|examples|crds)(?![\w-]|\.\w+=)[\w./-]*/g) ?? [],
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('has links that lead somewhere', () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });
});

/** Of what is not code. */
const linksOf = (page: string): readonly string[] =>
  [
    ...readPage(page)
      .replaceAll(/^ *```.*?^ *```/gms, '')
      .replaceAll(/`[^`\n]*`(?!\])/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = '']) => link);

function leadsSomewhere(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** As GitHub makes them. */
const anchorsOf = (page: string): readonly string[] =>
  [
    ...readPage(page)
      .replaceAll(/^ *```.*?^ *```/gms, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('links, scripts and commands are found', () => {
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(80);
  expect(pages.flatMap(scriptsIn).length).toBeGreaterThan(40);
  expect(leadsSomewhere('README.md', 'docs/nothing.md')).toBe(false);
  expect(leadsSomewhere('README.md', '#no-such-heading')).toBe(false);
});
