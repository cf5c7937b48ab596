// Dashboard and alerts as they are written: PromQL that can be read, values from the closed lists, and nothing left out.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { conditionReasons, readyReasons } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { longestPassMs } from '../../../src/operator/wiring/operator.ts';
import { categories } from '../../../src/wire/errors/service-error.ts';
import { renderedByKubectl } from '../kubectl.ts';
import { readAlerts, readDashboard, readExpressions, takeApart } from './expressions.ts';
import { troublesOf } from './figures.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'monitoring');

/** What labels may say; a label that is not here may say anything. */
const values: Readonly<Record<string, readonly string[]>> = {
  kind: [...definitions.map(({ kind }) => kind), 'Secret'],
  type: Object.keys(conditionReasons),
  status: ['True', 'False', 'Unknown'],
  reason: Object.values(conditionReasons).flat(),
  result: ['settled', 'again', 'progress', 'watch', 'budget', 'retry', 'at', 'gone', 'thrown'],
  error: ['none', ...categories],
};

describe('the expressions', () => {
  test('are PromQL, and name only values that a label can have', async () => {
    const expressions = await readExpressions();
    expect(expressions.length).toBeGreaterThan(50);
    for (const { where, text } of expressions) {
      const { errors, selectors } = takeApart(text);
      expect(errors, where).toEqual([]);
      for (const { label, value } of selectors.flatMap(({ matchers }) => matchers)) {
        const wrong = value.split('|').filter((one) => values[label]?.includes(one) === false);
        expect(wrong, `${where}: ${label}`).toEqual([]);
      }
    }
  });

  test('have every label that their legend or text shows', async () => {
    const { panels } = await readDashboard();
    const shown = panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({ where: title, expr, text: legendFormat, pattern: /\{\{(\w+)\}\}/g })),
    );
    const told = (await readAlerts()).map(({ alert, expr, annotations }) => ({
      where: alert,
      expr,
      text: annotations.summary + annotations.description,
      pattern: /\$labels\.(\w+)/g,
    }));
    for (const { where, expr, text, pattern } of [...shown, ...told]) {
      const { groups } = takeApart(expr.replaceAll('$__rate_interval', '5m'));
      // Without an aggregation every label is there.
      if (!/\bby \(/.test(expr)) continue;
      for (const [, label] of text.matchAll(pattern)) expect(groups, where).toContain(label);
    }
  });
});

test('every alert has a runbook, which is a heading of the documentation', async () => {
  const page = await readFile(join(folder, '..', '..', 'docs', 'reference', 'metrics-and-alerts.md'), 'utf8');
  const headings = [...page.matchAll(/^#### (\w+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  const runbooks = (await readAlerts()).map(({ annotations }) => annotations.runbook);
  expect(runbooks).toEqual(headings.map((heading) => `docs/reference/metrics-and-alerts.md#${heading}`));
});

describe('the comparison with what is measured', () => {
  const text = 'a_total{kind="Cluster",odd="a\\"} b{"} 1\nb_bucket{le="1"} 2\nplain 3\n';
  const troubles = (expression: string) => troublesOf([{ where: 'here', text: expression }], text);

  test.each([
    'sum by (kind) (rate(a_total{kind="Cluster", namespace="x"}[5m]))',
    'plain and on (pod) a_total',
    'histogram_quantile(0.9, sum by (le) (rate(b_bucket[5m])))',
  ])('finds %s', (expression) => {
    expect(troubles(expression)).toEqual([]);
  });

  test.each<readonly [string, string]>([
    ['rate(a_totl[5m])', 'here: there is no figure a_totl'],
    ['a_total{knd="Cluster"}', 'here: a_total has no knd'],
    ['plain{kind="x"} and a_total', 'here: plain has no kind'],
    ['sum by (le) (a_total)', 'here: nothing in it has le'],
    ['vector(1)', 'here: it reads no figure'],
    ['sum(a_total', 'here: sum(a_total <- here'],
  ])('finds fault with %s', (expression, expected) => {
    expect(troubles(expression)).toEqual([expected]);
  });
});

test('each alert has a name of its own, a time, a severity, and says what helps', async () => {
  const alerts = await readAlerts();
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  for (const { alert, for: time, labels, annotations } of alerts) {
    expect(alert).toMatch(/^Dataprocessing[A-Z]\w+$/);
    expect(time).toMatch(/^\d+m$/);
    expect(['critical', 'warning']).toContain(labels['severity']);
    expect(annotations.summary.length, alert).toBeGreaterThan(20);
    expect(annotations.description.length, alert).toBeGreaterThan(100);
  }
});

test('what tells of a pass that hangs comes before the restart that ends it, and outlasts the next ones', async () => {
  const telling = (await readAlerts()).filter(({ expr }) => expr.includes('longest_pass_seconds'));
  expect(telling).not.toEqual([]);
  for (const { alert, expr, for: time } of telling) {
    const [, within, limit] = /max_over_time\(\w+longest_pass_seconds\[(\d+)m\]\)\) > (\d+)$/.exec(expr) ?? [];
    expect(Number(limit) * 1_000 + Number.parseInt(time, 10) * 60_000, alert).toBeLessThan(longestPassMs);
    expect(Number(within) * 60_000, alert).toBeGreaterThan(2 * longestPassMs);
  }
});

describe('a Connection that is not Ready', () => {
  /** Of these nobody need hear, or those of Stalled tell. */
  const silent = ['Available', 'Deleting', 'InvalidSpec'];

  test.each(readyReasons)('by %s is told by one alert', async (reason) => {
    const telling = (await readAlerts()).filter(({ expr }) => {
      const [, matches, list] = /kind="Connection".*reason(=~|!~)"([^"]*)"/s.exec(expr) ?? [];
      return list !== undefined && list.split('|').includes(reason) === (matches === '=~');
    });
    expect(telling).toHaveLength(silent.includes(reason) ? 0 : 1);
  });
});

test.each(conditionReasons.Failed)(
  'a run that ended by %s is not told of as a resource that needs a change',
  async (reason) => {
    const stalled = (await readAlerts()).filter(
      ({ expr }) => expr.includes('type="Stalled"') && !expr.includes('kind='),
    );
    expect(stalled).toHaveLength(1);
    for (const { expr } of stalled) {
      const [, left = ''] = /reason!~"([^"]*)"/.exec(expr) ?? [];
      expect(left.split('|')).toContain(reason);
    }
  },
);

test('the increase of a counter of rare things includes what a new process counted before it was scraped', async () => {
  const rare = (await readAlerts()).filter(({ alert }) => /JobExecutionsFailed|JobScheduleMissed/.test(alert));
  expect(rare).toHaveLength(2);
  for (const { expr } of rare) {
    const [, counter] = /increase\((\w+)/.exec(expr) ?? [];
    expect(expr.replace(/\s+/g, ' ').replaceAll(/\{[^}]*\}/g, '')).toBe(
      `sum by (namespace) (increase(${counter}[1h]) > 0 or ${counter} > 0 unless ${counter} offset 1h) > 0`,
    );
  }
});

test('the panels about engines are PromQL, and have the labels of their legends', async () => {
  const { panels } = await readDashboard('engines-dashboard.json');
  const shown = panels.flatMap(({ targets = [] }) => targets);
  expect(shown.length).toBeGreaterThan(20);
  for (const { expr, legendFormat } of shown) {
    const { errors, groups } = takeApart(expr.replaceAll('$__rate_interval', '5m'));
    expect(errors, expr).toEqual([]);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(groups, expr).toContain(label);
  }
});

test.each(['dashboard.json', 'engines-dashboard.json'])('the panels of %s do not lie over each other', async (file) => {
  const { panels } = await readDashboard(file);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
    expect(x + w, title).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
});

test('the kustomization has all files of its folder', async () => {
  const { resources, configMapGenerator } = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8')) as {
    readonly resources: readonly string[];
    readonly configMapGenerator: readonly { readonly files: readonly string[] }[];
  };
  const generated = configMapGenerator.flatMap(({ files }) => files.map((file) => file.split('=')[1]));
  expect(new Set([...resources, ...generated, 'kustomization.yaml'])).toEqual(new Set(await readdir(folder)));
});

test('kubectl renders it: all in one namespace, and the dashboard under the name by which Grafana knows it', async ({
  skip,
}) => {
  const rendered = await renderedByKubectl(folder, skip);
  const titles = rendered.map(({ kind, metadata: { name, namespace } }) => `${kind} ${namespace}/${name}`);
  expect(titles.toSorted()).toEqual([
    'ConfigMap dataprocessing-system/dataprocessing-operator-dashboard',
    'PodMonitor dataprocessing-system/dataprocessing-operator',
    'PodMonitor dataprocessing-system/dataprocessing-service',
    'PrometheusRule dataprocessing-system/dataprocessing-operator',
  ]);
  const dashboard = rendered.find(({ kind }) => kind === 'ConfigMap');
  expect(dashboard?.metadata).toMatchObject({ labels: { grafana_dashboard: '1' } });
  const text = await readFile(join(folder, 'dashboard.json'), 'utf8');
  const engines = await readFile(join(folder, 'engines-dashboard.json'), 'utf8');
  expect(dashboard?.['data']).toEqual({ 'dataprocessing-operator.json': text, 'dataprocessing-engines.json': engines });
  const rules = await readFile(join(folder, 'prometheus-rule.yaml'), 'utf8');
  expect(rendered.find(({ kind }) => kind === 'PrometheusRule')).toEqual(parse(rules));
});
