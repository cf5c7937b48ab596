// The readers themselves: what the health script makes of objects that the operator never wrote, and that the rules are those of their owners.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { group } from '../../../src/operator/api/shared-api.ts';
import { argoHealth, type Health, healthScript, healthWords, runHealth } from './argo.ts';
import { kstatus } from './kstatus.ts';
import { kubectlWait } from './kubectl-wait.ts';

interface Said {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

const said = (type: string, status = 'True', more: Partial<Said> = {}): Said => ({
  type,
  status,
  observedGeneration: 2,
  message: `${type} says`,
  ...more,
});

const objectWith = (status: object | undefined, metadata: object = {}): RawResource =>
  ({ kind: 'Cluster', metadata: { name: 'one', generation: 2, ...metadata }, status }) as unknown as RawResource;

const withConditions = (...conditions: readonly Said[]) => objectWith({ observedGeneration: 2, conditions });

describe('the health script', () => {
  const cases: readonly (readonly [what: string, object: unknown, status: Health, message?: string])[] = [
    ['nothing at all', {}, 'Progressing'],
    ['no status', objectWith(undefined), 'Progressing'],
    ['a status that is text', { ...objectWith(undefined), status: 'fine' }, 'Progressing'],
    ['an empty status', objectWith({}), 'Progressing'],
    ['a newborn', objectWith({ observedGeneration: -1 }), 'Progressing'],
    ['no conditions', objectWith({ observedGeneration: 2 }), 'Progressing'],
    ['conditions that are text', objectWith({ observedGeneration: 2, conditions: 'fine' }), 'Progressing'],
    ['an empty list of conditions', withConditions(), 'Progressing'],
    ['a condition without a type', objectWith({ observedGeneration: 2, conditions: [{}] }), 'Progressing'],
    ['no Ready', withConditions(said('Synced')), 'Progressing'],
    ['Ready', withConditions(said('Ready')), 'Healthy', 'Ready says'],
    ['Ready, without words', withConditions({ type: 'Ready', status: 'True', observedGeneration: 2 }), 'Healthy'],
    ['Ready of the generation before', withConditions(said('Ready', 'True', { observedGeneration: 1 })), 'Progressing'],
    ['Ready of no generation', withConditions({ type: 'Ready', status: 'True' }), 'Progressing'],
    [
      'a status of the generation before',
      objectWith({ observedGeneration: 1, conditions: [said('Ready')] }),
      'Progressing',
    ],
    ['Ready, with drift', withConditions(said('Ready'), said('Drifted')), 'Healthy', 'Drifted says'],
    ['Ready, without drift', withConditions(said('Ready'), said('Drifted', 'False')), 'Healthy', 'Ready says'],
    ['not Ready', withConditions(said('Ready', 'False')), 'Progressing', 'Ready says'],
    ['not known to be Ready', withConditions(said('Ready', 'Unknown')), 'Progressing', 'Ready says'],
    ['under way', withConditions(said('Ready', 'False'), said('Reconciling')), 'Progressing', 'Ready says'],
    ['Ready and under way', withConditions(said('Ready'), said('Reconciling')), 'Progressing', 'Ready says'],
    ['stalled', withConditions(said('Ready', 'False'), said('Stalled')), 'Degraded', 'Ready says'],
    ['not stalled', withConditions(said('Ready'), said('Stalled', 'False')), 'Healthy', 'Ready says'],
    [
      'stalled and under way',
      withConditions(said('Ready', 'False'), said('Reconciling'), said('Stalled')),
      'Degraded',
      'Ready says',
    ],
    ['paused', withConditions(said('Ready'), said('Paused')), 'Suspended', 'Paused says'],
    ['paused and stalled', withConditions(said('Ready', 'False'), said('Stalled'), said('Paused')), 'Suspended'],
    ['a plan that waits', withConditions(said('Ready', 'False', { reason: 'PlanPending' })), 'Suspended', 'Ready says'],
    ['two Readys', withConditions(said('Ready', 'False'), said('Ready')), 'Progressing'],
    [
      'words of all kinds',
      withConditions(said('Ready', 'True', { message: 'ä "quoted"\n\\0' })),
      'Healthy',
      'ä "quoted"\n\\0',
    ],
  ];

  test.each(cases)('%s', (_what, object, status, message) => {
    const judged = runHealth(healthScript, object);
    expect(judged.status).toBe(status);
    expect(healthWords).toContain(judged.status);
    if (message !== undefined) expect(judged.message).toBe(message);
  });

  test('does not see what is being deleted', () => {
    const going = objectWith({ observedGeneration: 2, conditions: [said('Ready')] }, { deletionTimestamp: 'now' });
    expect(argoHealth(going).status).toBe('Progressing');
  });

  test('would fail here with anything but the basic functions', () => {
    expect(() => runHealth('return { status = string.upper("healthy") }', {})).toThrow(/string/);
    expect(() => runHealth('return { status = ("healthy"):upper() }', {})).toThrow(/string value/);
    expect(() => runHealth('return { status = tostring(math.pi) }', {})).toThrow(/math/);
  });

  test('is Lua 5.1: it has no word or operator of later versions', () => {
    const code = healthScript.replaceAll(/--[^\n]*/g, '').replaceAll(/"[^"\n]*"/g, '""');
    expect(code).not.toMatch(/\bgoto\b|::|\/\/|<<|>>|[&|]|~(?!=)|<(const|close)>/);
  });

  test('is in the settings of Argo CD for the whole group, word by word', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../deploy/argocd/argocd-cm.yaml'), 'utf8');
    const { data } = parse(text) as { data: Record<string, string> };
    expect(Object.keys(data)).toEqual(['resource.customizations']);
    expect(parse(data['resource.customizations'] ?? '')).toEqual({ [`${group}/*`]: { 'health.lua': healthScript } });
  });
});

describe('kstatus', () => {
  test.each([
    ['nothing known is done', objectWith(undefined), 'Current'],
    ['a newborn', objectWith({ observedGeneration: -1 }), 'InProgress'],
    [
      'of another generation, whatever it says',
      objectWith({ observedGeneration: 1, conditions: [said('Stalled')] }),
      'InProgress',
    ],
    [
      'the first of two that are abnormal decides: Reconciling',
      withConditions(said('Reconciling'), said('Stalled')),
      'InProgress',
    ],
    [
      'the first of two that are abnormal decides: Stalled',
      withConditions(said('Stalled'), said('Reconciling')),
      'Failed',
    ],
    ['abnormal and False is nothing', withConditions(said('Stalled', 'False'), said('Ready')), 'Current'],
    ['Ready', withConditions(said('Ready')), 'Current'],
    [
      'Ready, of whatever generation by itself',
      withConditions(said('Ready', 'True', { observedGeneration: 1 })),
      'Current',
    ],
    ['not Ready', withConditions(said('Ready', 'False')), 'InProgress'],
    ['Ready Unknown', withConditions(said('Ready', 'Unknown')), 'InProgress'],
    ['being deleted', objectWith({ observedGeneration: 1 }, { deletionTimestamp: 'now' }), 'Terminating'],
  ] as const)('%s', (_what, object, word) => {
    expect(kstatus(object)).toBe(word);
  });
});

describe('kubectl wait', () => {
  test.each([
    ['no status', objectWith(undefined), 'waits'],
    ['Ready', withConditions(said('Ready')), 'met'],
    ['whatever the case', withConditions(said('ready', 'true')), 'met'],
    ['not Ready', withConditions(said('Ready', 'False')), 'waits'],
    ['of an older generation by itself', withConditions(said('Ready', 'True', { observedGeneration: 1 })), 'waits'],
    [
      'of an older generation by the status',
      objectWith({ observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] }),
      'waits',
    ],
    [
      'of its own generation, whatever the status',
      objectWith({ observedGeneration: 1, conditions: [said('Ready')] }),
      'met',
    ],
    ['of no generation at all', objectWith({ conditions: [{ type: 'Ready', status: 'True' }] }), 'met'],
    ['the first of two decides', withConditions(said('Ready', 'False'), said('Ready')), 'waits'],
  ] as const)('%s', (_what, object, word) => {
    expect(kubectlWait(object, 'Ready')).toBe(word);
  });
});
