// References to data sources in what a job is configured with.
import { describe, expect, test } from 'vitest';
import { findReferences, isForService } from '../../../src/service/model/references.ts';
import type { Argument, JobConfigs } from '../../../src/wire/jobs.ts';

const [first, second] = ['2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', '91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13'];
const unknown = '00000000-0000-4000-8000-000000000000';
const index = {
  byName: (name: string) => ({ words: first, counts: second })[name],
  byId: (id: string) => [first, second].find((each) => each === id),
};
const find = (job_configs: JobConfigs, interface_: readonly Argument[] = []) =>
  findReferences(job_configs, interface_, index);
const byName = { 'edp.substitute_data_source_for_name': true };
const byId = { 'edp.substitute_data_source_for_uuid': 'True' };

describe('a reference', () => {
  test('by name can be in args, configs and params', () => {
    const found = find({
      args: ['datasource://words', 'words', 'file:///x'],
      configs: { ...byName, 'a.b': 'datasource://counts', count: 3 },
      params: { IN: 'datasource://words' },
    });
    expect(found).toEqual({ 'datasource://words': first, 'datasource://counts': second });
  });

  test('by identifier is one alone, or follows the beginning', () => {
    const args = [first, `datasource://${second}`];
    expect(find({ args, configs: byId })).toEqual({ [first]: first, [`datasource://${second}`]: second });
    expect(find({ args: [`datasource://${second}`], configs: byName })).toEqual({ [`datasource://${second}`]: second });
  });

  test('is not looked for unless the configs say so', () => {
    expect(find({ args: [first] })).toEqual({});
    expect(find({ args: [first], configs: { ...byName, 'edp.substitute_data_source_for_uuid': false } })).toEqual({});
  });

  test('is an argument that the interface of the job calls a data source', () => {
    const argument = (mapping_type: Argument['mapping_type'], location: string): Argument => ({
      name: 'in',
      mapping_type,
      location,
      required: true,
      value_type: 'data_source',
    });
    const job_configs = { args: [unknown, first], params: { A: 'datasource://counts' } };
    expect(find(job_configs, [argument('args', '1'), argument('params', 'A')])).toEqual({
      [first]: first,
      'datasource://counts': second,
    });
  });

  test('that is an identifier of something else is left alone', () => {
    expect(find({ args: [unknown], configs: byId })).toEqual({});
  });
});

describe('is refused', () => {
  test.each([
    [
      { args: ['x', 'datasource://nothing'], configs: byName },
      'cannot use args[1]: there is no data source nothing; create it, or correct datasource://nothing',
    ],
    [
      { params: { IN: 'datasource://nothing' }, configs: byName },
      'cannot use params IN: there is no data source nothing',
    ],
    [
      { configs: { ...byId, 'a.b': `datasource://${unknown}` } },
      `cannot use configs a.b: there is no data source ${unknown}`,
    ],
    [
      { args: ['datasource://words'], configs: byId },
      'cannot use args[0]: it is datasource://words; set edp.substitute_data_source_for_name in configs to true',
    ],
    [{ args: [`datasource://${first}`] }, 'set edp.substitute_data_source_for_uuid in configs to true'],
  ] as const)('%j: %s', (job_configs, why) => {
    expect(() => find(job_configs)).toThrow(why);
  });
});

test('switches of references and marks of clients are not for the program', () => {
  const keys = ['edp.substitute_data_source_for_name', 'edp.dataprocessing.dev/execution', 'edp.java.main_class'];
  expect(keys.map(isForService)).toEqual([true, true, false]);
});
