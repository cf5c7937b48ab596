// Compares what expressions expect with what /metrics has.
import { type Expression, takeApart } from './expressions.ts';

/** What Prometheus adds to every figure that it fetches from a pod. */
const added: readonly string[] = ['namespace', 'pod', 'job', 'instance'];

/** Name to labels, of every series in the text of `/metrics`. */
export function seriesOf(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Set();
    series.set(name, known);
    for (const [, label] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label ?? '');
  }
  return series;
}

/** What is wrong with the expressions, in words: what is no PromQL, and what nobody measures. */
export function troublesOf(expressions: readonly Expression[], text: string): readonly string[] {
  const series = seriesOf(text);
  return expressions.flatMap(({ where, text: expression }) => {
    const { selectors, groups, errors } = takeApart(expression);
    const labelsOf = (name: string) => [...added, ...(series.get(name) ?? [])];
    const all = selectors.flatMap(({ name }) => labelsOf(name));
    const missing = [
      ...selectors.flatMap(({ name, matchers }) =>
        matchers.filter(({ label }) => !labelsOf(name).includes(label)).map(({ label }) => `${name} has no ${label}`),
      ),
      ...groups.filter((label) => !all.includes(label)).map((label) => `nothing in it has ${label}`),
    ];
    const unknown = selectors.filter(({ name }) => !series.has(name)).map(({ name }) => `there is no figure ${name}`);
    const empty = selectors.length === 0 ? ['it reads no figure'] : [];
    return [...errors, ...empty, ...unknown, ...missing].map((trouble) => `${where}: ${trouble}`);
  });
}
