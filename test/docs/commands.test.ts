// Commands that people are told to type: other groups have Clusters and Connections, too, so ours are named beyond doubt.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { definitions } from '../../src/operator/kinds/index.ts';

const root = join(import.meta.dirname, '..', '..');
const places = [
  'README.md',
  'dev/demo.ts',
  'deploy/monitoring/prometheus-rule.yaml',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|yaml)$/.test(name))
    .map((name) => `docs/${name}`),
];
const doubtful = definitions.flatMap(({ kind, plural, singular }) => [kind, plural, singular]);

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
