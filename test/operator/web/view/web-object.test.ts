// What the page shows of an object, and that no object can make it long.
import { describe, expect, test } from 'vitest';
import { definitions } from '../../../../src/operator/kinds/index.ts';
import { valueAt } from '../../../../src/operator/web/view/columns.ts';
import { linksOf } from '../../../../src/operator/web/view/links.ts';
import { stateOf } from '../../../../src/operator/web/view/state.ts';
import { conditionsIn, webObject } from '../../../../src/operator/web/view/web-object.ts';
import { blocker, conditionOf, definitionOf, objectOf } from '../support.ts';

const known = (kind: string) => definitions.find((one) => one.kind === kind);
const shown = (...[kind, place, more]: Parameters<typeof objectOf>) =>
  webObject(definitionOf(kind), objectOf(kind, place, more), known);

describe('the state', () => {
  const notReady = conditionOf('Ready', 'False', 'Provisioning');
  test.each([
    ['Ready', [conditionOf('Ready', 'True', 'Available')], []],
    ['Progressing', [], []],
    ['Progressing', [notReady], []],
    ['Waiting', [notReady], [blocker('Cluster', 'etl')]],
    ['Stalled', [conditionOf('Ready', 'False', 'InvalidSpec'), conditionOf('Stalled', 'True', 'InvalidSpec')], []],
    ['Suspended', [conditionOf('Ready', 'False', 'Suspended')], []],
    ['Suspended', [conditionOf('Ready', 'True', 'Available'), conditionOf('Paused', 'True', 'Suspended')], []],
    ['Suspended', [conditionOf('Ready', 'True', 'Suspended')], []],
    [
      'Suspended',
      [
        conditionOf('Ready', 'False', 'InvalidSpec'),
        conditionOf('Stalled', 'True', 'InvalidSpec'),
        conditionOf('Paused', 'True', 'Suspended'),
      ],
      [],
    ],
    ['Suspended', [conditionOf('Ready', 'False', 'PlanPending')], []],
    ['Suspended', [conditionOf('Ready', 'False', 'Expired')], []],
    ['Succeeded', [conditionOf('Ready', 'True', 'Succeeded'), conditionOf('Complete', 'True', 'Succeeded')], []],
    ['Failed', [conditionOf('Failed', 'True', 'OOMKilled'), conditionOf('Stalled', 'True', 'OOMKilled')], []],
  ] as const)('is %s', (state, conditions, blockedOn) => {
    expect(stateOf({ status: { observedGeneration: 1, conditions, blockedOn } }).state).toBe(state);
  });

  test('of what is suspended is explained by what was left to do, or else by the suspension', () => {
    const paused = conditionOf('Paused', 'True', 'Suspended', 'spec.suspend is true');
    const ready = (...[status, reason, message]: [string, string, string]) =>
      stateOf({ status: { conditions: [conditionOf('Ready', status, reason, message), paused] } }).condition?.message;
    expect(ready('True', 'Available', 'all is there')).toBe('spec.suspend is true');
    expect(ready('Unknown', 'Suspended', 'it is not scaled')).toBe('it is not scaled');
  });

  test.each([undefined, null, 'text', { conditions: 'x', blockedOn: 'y' }, { blockedOn: [null, 1, []] }])(
    'of an object with the status %j is known, too',
    (status) => {
      expect(['Progressing', 'Waiting']).toContain(stateOf({ status }).state);
    },
  );
});

test('an object has what kubectl get shows, and what it waits for', () => {
  const ready = conditionOf('Ready', 'False', 'DependencyNotReady', 'waiting for Connection default');
  const status = {
    conditions: [ready],
    blockedOn: [blocker('Connection', 'default'), blocker('Quarantine', 'x')],
    nodes: '1/3',
    pluginName: 'spark',
    endpoints: [{ target: 'Spark', name: 'Web UI', url: 'http://10.0.0.1:8080' }],
  };
  expect(shown('Cluster', 'team-a/etl', { status, metadata: { deletionTimestamp: '2026-01-03T00:00:00Z' } })).toEqual({
    kind: 'Cluster',
    resource: 'clusters',
    namespace: 'team-a',
    name: 'etl',
    state: 'Waiting',
    reason: 'DependencyNotReady',
    message: 'waiting for Connection default',
    since: '2026-01-02T00:00:00Z',
    created: '2026-01-01T00:00:00Z',
    deleting: true,
    columns: [
      { name: 'Nodes', value: '1/3' },
      { name: 'Plugin', value: 'spark' },
    ],
    links: [{ name: 'Spark Web UI', url: 'http://10.0.0.1:8080' }],
    blockedOn: [
      {
        ...blocker('Connection', 'default'),
        object: { kind: 'Connection', resource: 'connections', namespace: 'team-a', name: 'default' },
      },
      blocker('Quarantine', 'x'),
    ],
  });
});

test('of the columns of each kind, the page can read each path', () => {
  for (const { columns } of definitions)
    for (const { jsonPath } of columns) {
      const [, type] = /type=="(\w+)"/.exec(jsonPath) ?? [];
      const [field = ''] = /\w+$/.exec(jsonPath) ?? [];
      const steps = jsonPath
        .replace(/\[.*\]/, '')
        .split('.')
        .filter(Boolean);
      const value = type === undefined ? 'found' : undefined;
      const inner = steps.reduceRight<unknown>((rest, one) => {
        const here = one === 'conditions' ? [{ type, [field]: 'found' }] : rest;
        return { [one]: here };
      }, value);
      expect(valueAt(inner as object, jsonPath), jsonPath).toBe('found');
    }
});

test('no more is shown than the page has room for, and nothing but text', () => {
  const long = 'x'.repeat(100_000);
  const many = Array.from({ length: 1_000 }, (_, index) => index);
  const status = {
    conditions: many.map((index) => conditionOf(`${long}${index}`.slice(-60), 'False', 'Why', long)),
    blockedOn: many.map(() => ({ kind: long, name: long, reason: long, message: { toString: () => long } })),
    endpoints: many.map(() => ({ target: long, name: long, url: 'https://example.com' })),
    nodes: long,
    id: { nested: long },
  };
  const object = objectOf('Cluster', 'team-a/etl', { status });
  const web = webObject(definitionOf('Cluster'), object, known);
  expect(Buffer.byteLength(JSON.stringify(web))).toBeLessThan(60_000);
  expect(Buffer.byteLength(JSON.stringify(conditionsIn(object)))).toBeLessThan(30_000);
  expect(web.columns.map(({ name }) => name)).toEqual(['Nodes']);
});

test('half of a character is never left of a text that is cut', () => {
  const message = `${'x'.repeat(1_022)}😀😀`;
  const web = shown('Cluster', 'a/b', { status: { conditions: [conditionOf('Ready', 'False', 'Why', message)] } });
  expect(web.message.isWellFormed()).toBe(true);
  expect(web.message).toHaveLength(1_024);
});

test('links are those that a browser opens as pages, without a login', () => {
  const urls = {
    page: 'https://example.com/?x=1',
    script: 'javascript:alert(1)',
    upper: 'JavaScript:alert(1)',
    data: 'data:text/html,x',
    hdfs: 'hdfs://10.0.0.1:9000',
    password: 'https://user:secret@example.com',
    none: 'not a url',
    number: 5,
  };
  expect(linksOf({ urls, endpoints: [{ url: { toString: () => 'https://example.com' } }, 'x'] })).toEqual([
    { name: 'page', url: 'https://example.com/?x=1' },
  ]);
  expect(linksOf(undefined)).toEqual([]);
});
