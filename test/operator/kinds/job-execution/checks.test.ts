// What CEL cannot check of an execution.
import { expect, test } from 'vitest';
import { checkExecution, checkJobOf } from '../../../../src/operator/kinds/job-execution/checks.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import type { ExecutionSpec } from '../../../../src/operator/kinds/job-execution/mapping.ts';
import type { MappingContext } from '../../../../src/operator/reconcile/kind/kind.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';
import type { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { executionMarker } from '../../../../src/wire/jobs.ts';
import { resourceOf } from '../../reconcile/support.ts';

const spec: ExecutionSpec = { jobRef: { name: 'words' }, clusterRef: { name: 'small' } };
const data = { inputRef: { name: 'books' }, outputRef: { name: 'counts' } };

test.each<readonly [what: string, dialect: Dialect, changes: Partial<ExecutionSpec>, complaint: string | undefined]>([
  ['little', 'neutral', {}, undefined],
  ['data', 'sahara', data, undefined],
  ['one place for both', 'sahara', { ...data, outputRef: { name: 'books' } }, 'spec.outputRef: must be another'],
  ['a marker', 'neutral', { configs: { [executionMarker]: 'x' } }, `spec.configs[${executionMarker}]: the operator`],
  ['data', 'savanna', data, undefined],
  ['arguments', 'savanna', { ...data, args: ['a'] }, 'spec.args: Connections of the dialect Savanna have no arguments'],
  ['an interface', 'savanna', { ...data, interface: {} }, 'spec.interface: Connections of the dialect Savanna'],
  ['no input', 'savanna', {}, 'spec.inputRef: Connections of the dialect Savanna need an input'],
  ['no output', 'savanna', { inputRef: { name: 'books' } }, 'spec.outputRef: Connections of the dialect Savanna'],
])('%s, %s', (_what, dialect, changes, complaint) => {
  const said = checkExecution({ ...spec, ...changes }, dialect);
  expect(said?.slice(0, complaint?.length)).toBe(complaint);
});

const givenJob = (job: object) =>
  ({ resourceOf: () => resourceOf({ metadata: { name: 'words' }, spec: job }) }) as unknown as MappingContext;
const argument = { name: 'text', mappingType: 'args', location: '0', required: true };

test.each<readonly [what: string, job: object, changes: Partial<ExecutionSpec>, complaint: string | undefined]>([
  ['Spark', { type: 'Spark' }, {}, undefined],
  ['Pig with data', { type: 'Pig' }, data, undefined],
  ['Pig without data', { type: 'Pig' }, {}, 'spec.inputRef: a job of type Pig needs an input: add one'],
  ['Hive without output', { type: 'Hive' }, { inputID: 'x' }, 'spec.outputRef: a job of type Hive needs an output'],
  ['Java with a class', { type: 'Java' }, { configs: { 'edp.java.main_class': 'A' } }, undefined],
  ['Java without one', { type: 'Java' }, {}, 'spec.configs[edp.java.main_class]: a job of type Java needs this option'],
  [
    'streaming without a reducer',
    { type: 'MapReduce.Streaming' },
    { ...data, configs: { 'edp.streaming.mapper': 'cat' } },
    'spec.configs[edp.streaming.reducer]: a job of type MapReduce.Streaming needs this option',
  ],
  ['an interface', { type: 'Spark', interface: [argument] }, { interface: { text: 'a' } }, undefined],
  ['no interface', { type: 'Spark' }, { interface: { text: 'a' } }, 'spec.interface: Job words has no interface'],
])('%s', (_what, job, changes, complaint) => {
  const said = checkJobOf({ ...spec, ...changes }, givenJob(job));
  expect(said?.slice(0, complaint?.length)).toBe(complaint);
});

test('a job that is known by its identifier only is for the service to check', () => {
  expect(checkJobOf({ jobID: 'x', clusterID: 'y', interface: {} }, givenJob({ type: 'Pig' }))).toBeUndefined();
});

test('what the service refuses is corrected in what it refers to, or in another run', () => {
  const refusal = { category: 'rejected', isQuota: false } as ServiceError;
  const remedy = 'The spec is immutable: correct what it refers to, or ';
  expect(jobExecutionKind.remedy(refusal)).toBe(`${remedy}create another JobExecution`);
  expect(jobExecutionKind.remedy(refusal, 'correct the template')).toBe(`${remedy}correct the template`);
});
