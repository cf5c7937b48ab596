// Mutation test of plan, protocol, ledger, outcome and error table: `npm run test:mutation`, or with parts of file names: `-- ledger verdict`.
import { globSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';
import { writeReport } from '../support/reports.ts';
import { readMutants, scoreOf, tableOf } from './score.ts';

/** What decides what is done, and what a failure means; how it is said and carried out is for other suites. */
const scope = globSync([
  'src/operator/reconcile/{plan,protocol}/*.ts',
  'src/operator/reconcile/ledger/{ledger,edits}.ts',
  'src/operator/reconcile/{outcome,requeue}.ts',
  'src/wire/errors/{causes,shapes,table}.ts',
]).sort();
const leastPercent = 85;
const incrementalFile = 'reports/mutants.json';

const wanted = process.argv.slice(2);
const mutate = scope.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)));

const stryker = new Stryker({
  mutate,
  plugins: ['./test/mutation/runner.ts'],
  testRunner: 'in-process',
  coverageAnalysis: 'perTest',
  concurrency: 1,
  // What was imported anew stays in memory.
  maxTestRunnerReuse: 400,
  // Only what changed since, or what other tests now cover, is run again.
  incremental: true,
  incrementalFile,
  // It does not notice that new tests would catch what runs on import: files that are named are run anew.
  force: wanted.length > 0,
  reporters: ['progress-append-only'],
  tempDirName: '.stryker-tmp',
  // Stryker would rewrite it with a function that the compiler has no more. Nothing here needs it.
  tsconfigFile: 'none',
  ignorePatterns: ['/crds', '/deploy', '/docs', '/examples', '/.demo'],
  warnings: false,
  allowConsoleColors: false,
});
await stryker.runMutationTest();

const mutants = readMutants(incrementalFile).filter(({ file }) => scope.includes(file));
console.info(tableOf(mutants));
const score = scoreOf(mutants);
if (wanted.length === 0) writeReport('mutation', { ...score, files: scope.length });
if (score.percent < leastPercent) {
  console.error(`${score.percent} % is less than ${leastPercent} %`);
  process.exitCode = 1;
}
