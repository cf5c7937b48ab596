// Reading bodies: what unset means, and how problems are told.
import { describe, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { Refusal, renderRefusal } from '../../../../src/service/model/refusal.ts';
import { bodySchemas, readBody, readExactBody } from '../../../../src/service/resources/bodies/bodies.ts';
import { jobSchemas } from '../../../../src/service/resources/bodies/job-bodies.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';

const id = 'ea34d320-09d7-4dc1-acbf-75b57cec81c9';
const group = { name: 'g', count: 1, flavor_id: '1', node_processes: ['datanode'] };
const template = { name: 'n', plugin_name: 'p', flavor_id: '1', node_processes: ['a'] };
const neutral = { ...template, bigdata_version: '1' };
const branded = { ...template, hadoop_version: '1' };

const readTemplate = (dialect: Dialect, body: unknown) =>
  readBody(dialect, bodySchemas(dialect).nodeGroupTemplateCreate, body);

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof Refusal) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('words', () => {
  test('bodies come out in neutral words', () => {
    expect(readTemplate('neutral', neutral)).toEqual(neutral);
    expect(readTemplate('sahara', branded)).toEqual(neutral);
    expect(readTemplate('savanna', branded)).toEqual(neutral);
  });

  test('problems are told in the words of the dialect', () => {
    expect(problemsOf(() => readTemplate('sahara', neutral))).toEqual([
      'hadoop_version: is required',
      'bigdata_version: unknown field',
    ]);
    expect(problemsOf(() => readTemplate('neutral', branded))).toEqual([
      'bigdata_version: is required',
      'hadoop_version: unknown field',
    ]);
  });

  test("the keys of configurations are nobody's words", () => {
    const node_configs = { hadoop_version: { bigdata_version: 'x' } };
    expect(readTemplate('sahara', { ...branded, node_configs }).node_configs).toEqual(node_configs);
  });
});

describe('a key that would be lost is refused with its place', () => {
  test.each(['neutral', 'sahara', 'savanna'] as const)('%s', (dialect) => {
    const { clusterCreate } = bodySchemas(dialect);
    const cluster = (text: string): unknown => ({
      name: 'c',
      plugin_name: 'p',
      [dialect === 'neutral' ? 'bigdata_version' : 'hadoop_version']: '1',
      default_image_id: id,
      user_keypair_id: 'k',
      node_groups: [group],
      ...(JSON.parse(text) as object),
    });
    const told = (text: string) => problemsOf(() => readBody(dialect, clusterCreate, cluster(text)));
    const problem = 'cannot be a key: choose another one';
    expect(told('{}')).toEqual([]);
    expect(told('{"cluster_configs": {"__proto__": {"a": "b"}, "constructor": {"toString": "b"}}}')).toEqual([
      `cluster_configs[__proto__]: ${problem}`,
    ]);
    expect(told('{"cluster_configs": {"HDFS": {"__proto__": "b"}}}')).toEqual([
      `cluster_configs[HDFS][__proto__]: ${problem}`,
    ]);
    const groups = JSON.stringify([group, { ...group, name: 'h' }]).replace(
      /}]$/,
      ',"node_configs":{"__proto__":{}}}]',
    );
    expect(told(`{"node_groups": ${groups}}`)).toEqual([`node_groups[1][node_configs][__proto__]: ${problem}`]);
    expect(told('{"__proto__": {"name": "d"}}')).toContain(`__proto__: ${problem}`);
  });

  const { jobExecute, jobBinaryCreate } = jobSchemas('sahara');
  test.each([
    ['job_configs[configs][__proto__]', jobExecute, { job_configs: { configs: 0 } }],
    ['job_configs[params][__proto__]', jobExecute, { job_configs: { params: 0 } }],
    ['interface[__proto__]', jobExecute, { interface: 0 }],
    ['extra[__proto__]', jobBinaryCreate, { name: 'b', url: 'http://example.com/b', extra: 0 }],
  ])('in every map of a body: %s', (place, schema, body) => {
    const text = JSON.stringify(body).replace('0', '{"__proto__": "x"}');
    const read = () => readExactBody('sahara', schema as ZodType, { cluster_id: id, ...(JSON.parse(text) as object) });
    expect(problemsOf(read)).toContain(`${place}: cannot be a key: choose another one`);
  });
});

describe('null', () => {
  test('is not set, in the fields of a resource', () => {
    expect(readTemplate('neutral', { ...neutral, description: null, node_configs: null })).toEqual(neutral);
    expect(readTemplate('sahara', { ...branded, description: null })).toEqual(neutral);
  });

  test('is not set, in the fields of its groups', () => {
    const body = {
      name: 'n',
      plugin_name: 'p',
      bigdata_version: '1',
      node_groups: [{ ...group, node_group_template_id: null }],
    };
    expect(readBody('neutral', bodySchemas('neutral').clusterTemplateCreate, body).node_groups).toEqual([group]);
    const added = { name: 'g', count: 1, node_group_template_id: id };
    const scale = { add_node_groups: [{ ...added, node_configs: null }], resize_node_groups: null };
    expect(readBody('neutral', bodySchemas('neutral').clusterScale, scale)).toEqual({ add_node_groups: [added] });
  });

  test('is refused by late releases where a thing is referred to', () => {
    const scale = {
      add_node_groups: [{ ...group, node_group_template_id: null, shares: null }],
      resize_node_groups: null,
    };
    expect(problemsOf(() => readBody('sahara', bodySchemas('sahara').clusterScale, scale))).toEqual([
      expect.stringMatching(/^resize_node_groups: /),
      expect.stringMatching(/^add_node_groups\[0\]\[node_group_template_id\]: /),
      expect.stringMatching(/^add_node_groups\[0\]\[shares\]: /),
    ]);
  });

  test.each([
    ['neutral', { ...neutral, volumes_per_node: null }],
    ['sahara', { ...branded, volumes_per_node: null }],
    ['neutral', { ...neutral, name: null }],
    ['neutral', { ...neutral, node_configs: { HDFS: null } }],
    ['neutral', { ...neutral, node_configs: { HDFS: { a: null } } }],
    ['savanna', { ...branded, description: null }],
  ] as const)('%s refuses it in %j', (dialect, body) => {
    expect(problemsOf(() => readTemplate(dialect, body))).toHaveLength(1);
  });
});

describe('problems', () => {
  test.each([undefined, null, {}])('%j lacks everything that is required', (body) => {
    expect(problemsOf(() => readTemplate('neutral', body)).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'bigdata_version: is required',
      'flavor_id: is required',
      'name: is required',
      'node_processes: is required',
      'plugin_name: is required',
    ]);
  });

  test('paths lead into groups', () => {
    const start = { name: 'c', plugin_name: 'p', bigdata_version: '1', default_image_id: id, user_keypair_id: 'k' };
    const read = (node_groups: unknown) =>
      problemsOf(() => readBody('neutral', bodySchemas('neutral').clusterCreate, { ...start, node_groups }));
    expect(read([group, { ...group, typo: 1 }])).toEqual(['node_groups[1][typo]: unknown field']);
    expect(read([group, { ...group, floating_ip_pool: 'p' }])).toEqual([
      'node_groups[1][floating_ip_pool]: unknown field',
    ]);
    expect(read([{ name: 'g', count: 1, node_group_template_id: id, flavor_id: '1' }])).toEqual([
      'node_groups[0][flavor_id]: comes from the template',
    ]);
  });
});

describe('refusals as answers', () => {
  const refusal = new Refusal([404, 'NOT_FOUND'], 'cannot find it');
  const render = (dialect: Dialect, of: Refusal) => renderRefusal(dialect, of, () => 'error-id');

  test.each(['service', 'framework', 'identity', 'tenant'] as const)('neutral has one shape: %s', (origin) => {
    const { status, body, headers } = render('neutral', new Refusal([404, 'NOT_FOUND'], 'cannot find it', origin));
    expect(status).toBe(404);
    expect(JSON.parse(body)).toEqual({ error_code: 404, error_name: 'NOT_FOUND', error_message: 'cannot find it' });
    expect(headers['content-type']).toBe('application/json');
    expect('www-authenticate' in headers).toBe(origin === 'identity');
  });

  test.each(['sahara', 'savanna'] as const)('%s has one for each origin', (dialect) => {
    expect(JSON.parse(render(dialect, refusal).body).error_message).toBe('cannot find it\nError ID: error-id');
    const framework = new Refusal([405, 'X'], 'no', 'framework');
    expect(JSON.parse(render(dialect, framework).body)).toEqual({ error: 405, error_message: 'no' });
    const identity = new Refusal([401, 'X'], 'no', 'identity');
    expect(JSON.parse(render(dialect, identity).body)).toEqual({
      error: { code: 401, title: 'Unauthorized', message: 'no' },
    });
    expect(render(dialect, new Refusal([401, 'X'], 'no', 'tenant')).body).toBe('401 Unauthorized\n\nno\n');
  });
});
