// What can be said of a personality, what is refused, and in which words; and that the example is one.
import { describe, expect, test } from 'vitest';
import { combine, workOf } from '../../dev/personality/personality.ts';
import { parsePersonality, readPersonality } from '../../dev/personality/personality-text.ts';

const parse = (value: unknown) => parsePersonality('neutral', JSON.stringify(value));
const refusal = { is: 'refusal', status: 500 };

describe('a personality', () => {
  test.each([
    {},
    { seed: 0, faults: [], clusters: [] },
    { faults: [{ delayMs: 100 }] },
    { faults: [{ name: 'a', method: 'POST', path: 'clusters', nth: 1, times: 1, answer: { is: 'cut' } }] },
    { faults: [{ answer: { is: 'refusal', status: 429, shape: 'proxy', message: 'x', retryAfter: 2 } }] },
    { faults: [{ work: 'late', lateMs: 5, answer: { is: 'text', text: 'x' }, rate: 0.5 }] },
    { faults: [{ method: 'POST', path: 'clusters', work: 'error-row', answer: refusal }] },
    { faults: [{ path: 'plugins/:id/:version', answer: { is: 'truncated' }, every: 3 }] },
    { clusters: [{ status: 'Configuring', does: 'stuck', operation: 'start' }] },
    { statusWords: { Starting: 'Humming' }, names: { freed: 'early' }, listLagMs: 5, tokenLifetimeMs: 5 },
    { names: { freed: 'late', ms: 10 } },
    { executions: [{ status: 'RUNNING', does: 'done-with-error', job: 'nightly', every: 2, message: 'x' }] },
    { executions: [{ status: 'RUNNING', does: 'fail', termination: { returnCode: 137, cause: 'OOMKilled' } }] },
    { statusWords: { RUNNING: 'Humming' } },
    { executionTimes: { timeZone: 'America/New_York', withoutEnd: true } },
    { loads: [{ group: 'worker', wantedNodes: 5, busyNodes: 0 }] },
  ])('%j is one', (value) => expect(parse(value)).toEqual(value));

  test('is YAML or JSON', () => {
    const yaml = 'faults:\n- path: clusters # all of them\n  answer: {is: cut}\n';
    expect(parsePersonality('neutral', yaml)).toEqual({ faults: [{ path: 'clusters', answer: { is: 'cut' } }] });
    expect(parsePersonality('neutral', '')).toEqual({});
  });

  test('has the states of the dialect', () => {
    const waiting = 'executions: [{status: Pending, does: stuck}]';
    expect(parsePersonality('savanna', waiting).executions).toHaveLength(1);
    expect(() => parsePersonality('neutral', waiting)).toThrow('executions[0][status]: ');
    const rule = 'clusters: [{status: InfraUpdating, does: stuck}]';
    expect(parsePersonality('sahara', rule).clusters).toHaveLength(1);
    expect(() => parsePersonality('neutral', rule)).toThrow('clusters[0][status]: ');
  });

  test.each([
    [[], 'body: '],
    [{ fault: [] }, 'fault: unknown field'],
    [{ faults: [{}] }, 'faults[0][answer]: or work or delayMs is required'],
    [{ faults: [{ path: 'cluster', delayMs: 1 }] }, 'faults[0][path]: '],
    [{ faults: [{ method: 'PATCH', delayMs: 1 }] }, 'faults[0][method]: '],
    [{ faults: [{ delayMs: 1 }, { delayMs: -1 }] }, 'faults[1][delayMs]: '],
    [{ faults: [{ delayMs: 1, rate: 1.5 }] }, 'faults[0][rate]: '],
    [{ faults: [{ delayMs: 1, nth: 0 }] }, 'faults[0][nth]: '],
    [{ faults: [{ delayMs: 1, nth: 1, rate: 0.5 }] }, 'faults[0][rate]: goes not together with nth'],
    [{ faults: [{ delayMs: 1, colour: 'red' }] }, 'faults[0][colour]: unknown field'],
    [{ faults: [{ answer: { is: 'gone' } }] }, 'faults[0][answer][is]: must be refusal, text, cut or truncated'],
    [{ faults: [{ answer: { is: 'refusal' } }] }, 'faults[0][answer][status]: is required'],
    [{ faults: [{ answer: { is: 'refusal', status: 200 } }] }, 'faults[0][answer][status]: '],
    [{ faults: [{ answer: { ...refusal, shape: 'round' } }] }, 'faults[0][answer][shape]: '],
    [{ faults: [{ work: 'late', answer: refusal }] }, 'faults[0][lateMs]: is required where the work is late'],
    [{ faults: [{ lateMs: 1, answer: refusal }] }, 'faults[0][lateMs]: is only for work that is late'],
    [{ faults: [{ work: 'skipped' }] }, 'faults[0][answer]: has to be a refusal, a text or cut'],
    [{ faults: [{ work: 'late', lateMs: 1, answer: { is: 'truncated' } }] }, 'faults[0][answer]: has to be'],
    [{ faults: [{ work: 'error-row', answer: refusal }] }, 'faults[0][work]: can be error-row only with'],
    [{ executions: [{ status: 'Waiting', does: 'stuck' }] }, 'executions[0][status]: '],
    [{ executions: [{ status: 'RUNNING', does: 'succeed' }] }, 'executions[0][does]: '],
    [
      { executions: [{ status: 'RUNNING', does: 'fail', termination: { returnCode: 256 } }] },
      'executions[0][termination][returnCode]: ',
    ],
    [{ executions: [{ status: 'PREP', does: 'fail', nth: 1, rate: 1 }] }, 'executions[0][rate]: goes not together'],
    [{ clusters: [{ status: 'Active', does: 'stuck' }] }, 'clusters[0][status]: '],
    [{ clusters: [{ status: 'Waiting', does: 'explode' }] }, 'clusters[0][does]: '],
    [{ clusters: [{ status: 'Waiting', does: 'fail', every: 2, rate: 1 }] }, 'clusters[0][rate]: goes not together'],
    [{ statusWords: { Waitin: 'x' } }, 'statusWords'],
    [{ executionTimes: { timeZone: 'Mars/Olympus' } }, 'executionTimes[timeZone]: is not the name of a time zone'],
    [{ loads: [{ group: 'worker', wantedNodes: 10_001, busyNodes: 0 }] }, 'loads[0][wantedNodes]: '],
    [{ loads: [{ group: 'worker', wantedNodes: 1, busyNodes: 0, observedAt: 'now' }] }, 'loads[0][observedAt]: '],
    [{ names: { freed: 'never' } }, 'names[freed]: is neither early nor late'],
    [{ names: { freed: 'late' } }, 'names[ms]: is required'],
    [{ faults: [{ name: 'a', delayMs: 1 }], clusters: [{ name: 'a', status: 'Waiting', does: 'fail' }] }, 'a is given'],
  ])('%j is refused: %s', (value, text) => expect(() => parse(value)).toThrow(text));

  test('all that is wrong is told at once', () => {
    expect(() => parse({ seed: -1, listLagMs: 'x' })).toThrow(/^seed: .*\nlistLagMs: /);
  });

  test('text that is neither YAML nor JSON is refused as such', () => {
    expect(() => parsePersonality('neutral', '{')).toThrow('it is neither YAML nor JSON: ');
  });

  test('a file that is missing is named', () => {
    expect(() => readPersonality('neutral', '/nowhere.yaml')).toThrow('cannot read personality /nowhere.yaml: ENOENT');
  });

  test.each(['neutral', 'sahara', 'savanna'] as const)('the example is one in the dialect %s', (dialect) => {
    const example = readPersonality(
      dialect,
      new URL('../../examples/service/personality.yaml', import.meta.url).pathname,
    );
    expect(Object.keys(example)).toEqual([
      'seed',
      'faults',
      'clusters',
      'executions',
      'statusWords',
      'names',
      'listLagMs',
      'tokenLifetimeMs',
    ]);
  });
});

describe('the work of a request', () => {
  test.each([
    [{ delayMs: 1 }, 'done'],
    [{ answer: { is: 'cut' } }, 'done'],
    [{ answer: { is: 'text' } }, 'done'],
    [{ answer: { is: 'refusal', status: 500 } }, 'skipped'],
    [{ answer: { is: 'refusal', status: 500 }, work: 'done' }, 'done'],
    [{ answer: { is: 'cut' }, work: 'skipped' }, 'skipped'],
  ] as const)('of %j is %s', (fault, work) => expect(workOf(fault)).toBe(work));
});

describe('two personalities', () => {
  test('together have the rules of both, and the settings of the first', () => {
    const one = { seed: 1, faults: [{ delayMs: 1 }], listLagMs: 1 };
    const other = { seed: 2, faults: [{ delayMs: 2 }], clusters: [{ status: 'Waiting', does: 'fail' } as const] };
    expect(combine(one, other)).toEqual({
      seed: 1,
      faults: [{ delayMs: 1 }, { delayMs: 2 }],
      clusters: other.clusters,
      listLagMs: 1,
    });
    expect(combine({}, {})).toEqual({});
  });
});
