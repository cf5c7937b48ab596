// Scripts that Spark SQL would cut in the middle of a statement.
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkScript } from '../../../../src/service/engines/spark/jobs/hive-script.ts';

test.each([
  ['BEGIN SELECT 1; SELECT 2; END;', 1],
  ['SELECT 1;\n\n  begin\n  SELECT 2;\nend', 3],
  ['-- a comment; \nSELECT 1; /* and\n another */ BEGIN\nDECLARE x INT;\nEND', 3],
  ['`my label` : BEGIN SELECT 1; END', 1],
  ['SELECT 1;\n é: BEGIN SELECT 1; END', 2],
  ["SELECT 'it\\'s; ';\nwork: BEGIN SELECT 1; END work;", 2],
])('a compound statement is found: %j', (script, line) => {
  expect(() => checkScript(script)).toThrow(
    `cannot run Hive job: line ${line} of the script begins a compound statement`,
  );
});

test.each([
  'SELECT 1; SELECT 2',
  "SELECT '; BEGIN'; -- ; BEGIN\nSELECT 2",
  'SELECT 1 /* ; BEGIN */ AS begin; SELECT `; BEGIN` FROM t',
  "SELECT ';\nBEGIN \\'; BEGIN' AS x",
  'SELECT beginning FROM t;\nBEGINNING',
  "SELECT 'never closed; BEGIN",
  '',
])('other words are none: %j', (script) => {
  expect(() => checkScript(script)).not.toThrow();
});

test('a long text costs little', () => {
  expect(() => checkScript(`SELECT '${'\\'.repeat(500_001)}`)).not.toThrow();
  expect(() => checkScript(`${'/*'.repeat(100_000)}${'`'.repeat(100_001)}`)).not.toThrow();
});

test.each([';', "''", '""', '``', '/**/', '--\n'])('a script of many %j is looked at as a whole', (unit) => {
  const searches = [vi.spyOn(RegExp.prototype, 'test'), vi.spyOn(String.prototype, 'replaceAll')];
  onTestFinished(() => {
    for (const each of searches) each.mockRestore();
  });
  checkScript(unit.repeat(10_000));
  const calls = searches.map(({ mock }) => mock.calls.length);
  expect(Math.max(...calls)).toBeLessThan(100);
});
