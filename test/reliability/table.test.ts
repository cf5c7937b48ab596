// The table of figures: what was run, what was not, and that docs/development.md shows its lines.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { subjects, tableOf } from './table.ts';

const figureOf = (table: string, subject: string): string | undefined =>
  table
    .split('\n')
    .find((line) => line.startsWith(`| ${subject} |`))
    ?.split(' | ')[1];

describe('the table', () => {
  const reports: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    exhaustive: { states: 123_456, worlds: 16 },
    simulator: { seeds: 1_000, passed: 999, hours: 1_234.5 },
    'simulator-autoscaled': { seeds: 20_000, passed: 20_000, up: 123_456, down: 98_765, hours: 1 },
    economy: { clusters: 20, requestsPerMinute: 4.2, writes: 0 },
    faults: { passed: 172, cells: 173 },
    'faults-all': { passed: 2_104, all: 2_200, kills: 160, longestSeconds: 61 },
    'faults-simulated': {
      passed: 2_200,
      all: 2_200,
      kills: 240,
      recoveries: [
        { fault: 'lost', seconds: 12, cell: 'a' },
        { fault: '409', seconds: 3, cell: 'b' },
      ],
    },
    planted: { caught: 50, planted: 51 },
    mutation: { percent: 87.5, caught: 875, missed: 125 },
  };
  const table = tableOf((suite) => reports[suite]);

  test.each([
    ['Exhaustive check: states, which are all of their worlds', '123,456 in 16 worlds'],
    ['Simulated worlds: seeds in which no invariant broke', '999 of 1,000, 1,234.5 simulated hours'],
    [
      'Simulated worlds with an autoscaled group: seeds in which no law broke, and none flapped',
      '20,000 of 20,000, 123,456 scales up, 98,765 down',
    ],
    ['Exhaustive check, larger worlds: states', 'not run here'],
    ['Steady state: requests to the service, writes to either side', '4.2 a minute for 20 Clusters, 0 writes'],
    ['Faults at writes on a real API server, pairwise: cells passed', '172 of 173'],
    ['Faults at writes on a real API server, whole grid: cells passed', '2,104 of 2,200'],
    ['Faults at writes in simulated worlds, whole grid: cells passed', '2,200 of 2,200'],
    ['Crash points: writes before or after which the operator was killed, on a real API server', '160'],
    ['Crash points: writes before or after which the operator was killed, in simulated worlds', '240'],
    [
      'Longest recovery from each fault at a write, on the clock of the operator, in simulated worlds',
      'lost: 12 s · 409: 3 s',
    ],
    ['Longest recovery from a fault at a write, on the clock of the operator, on a real API server', '61 s'],
    ['Planted bugs caught', '50 of 51'],
    ['Mutation score of plan, protocol, ledger, outcome and error table', '87.5 % (875 of 1000 mutants)'],
  ])('%s', (subject, figure) => {
    expect(figureOf(table, subject)).toBe(figure);
  });

  test('has no number where nothing was run, nor where a report does not hold it', () => {
    for (const empty of [undefined, {}, { states: 'many', worlds: null }]) {
      const figures = subjects.map((subject) =>
        figureOf(
          tableOf(() => empty),
          subject,
        ),
      );
      expect(figures).toEqual(subjects.map(() => 'not run here'));
    }
  });
});

test('the documentation shows the lines of the table, whatever figures it has', async () => {
  const page = await readFile(new URL('../../docs/development.md', import.meta.url), 'utf8');
  const [, shown = ''] = /<!-- reliability -->\n+(.*?)\n+<!-- end of reliability -->/s.exec(page) ?? [];
  const described = (table: string) =>
    table.split('\n').map((line) => {
      const [what, , command] = line.split(' | ');
      return `${what} | ${command}`;
    });
  expect(described(shown)).toEqual(described(tableOf(() => undefined)));
});
