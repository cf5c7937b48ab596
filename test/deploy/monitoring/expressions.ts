// The PromQL of dashboard and alerts, taken apart: which figures it reads, and which labels and values it expects of them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'monitoring');

export interface Expression {
  /** For messages. */
  readonly where: string;
  readonly text: string;
}

export interface Matcher {
  readonly label: string;
  /** As between the quotes. */
  readonly value: string;
}

/** One figure that an expression reads, and what it asks of its labels. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

export interface Reading {
  readonly selectors: readonly Selector[];
  /** After `by` and `on`. */
  readonly groups: readonly string[];
  /** Parts that are no PromQL. */
  readonly errors: readonly string[];
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Dashboard {
  readonly panels: readonly (Panel & {
    readonly id: number;
    readonly type: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  })[];
}

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook?: string };
}

export async function readDashboard(file = 'dashboard.json'): Promise<Dashboard> {
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as Dashboard;
}

export async function readAlerts(): Promise<readonly Alert[]> {
  const file = parse(await readFile(join(folder, 'prometheus-rule.yaml'), 'utf8')) as {
    readonly spec: { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
  };
  return file.spec.groups.flatMap(({ rules }) => rules);
}

/** All of both, with the variables of Grafana filled in. */
export async function readExpressions(): Promise<readonly Expression[]> {
  const { panels } = await readDashboard();
  const shown = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, text: expr.replaceAll('$__rate_interval', '5m') })),
  );
  const alerted = (await readAlerts()).map(({ alert, expr }) => ({ where: alert, text: expr }));
  return [...shown, ...alerted];
}

export function takeApart(text: string): Reading {
  const selectors: { readonly name: string; readonly matchers: Matcher[] }[] = [];
  const groups: string[] = [];
  const errors: string[] = [];
  parser.parse(text).iterate({
    enter(node) {
      const content = text.slice(node.from, node.to);
      const parent = node.node.parent?.name;
      if (node.type.isError) errors.push(`${text.slice(0, node.from)} <- here`);
      else if (node.name === 'Identifier' && parent === 'VectorSelector')
        selectors.push({ name: content, matchers: [] });
      else if (node.name === 'LabelName' && parent === 'GroupingLabels') groups.push(content);
      else if (node.name === 'UnquotedLabelMatcher') {
        const [label = '', value = ''] = content.split(/\s*(?:=~|!~|!=|=)\s*/, 2);
        selectors.at(-1)?.matchers.push({ label, value: value.slice(1, -1) });
      }
    },
  });
  return { selectors, groups, errors };
}
