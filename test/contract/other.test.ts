// `npm run contract` against a service that is not ours: one that keeps the interface passes, and one that breaks a rule fails at that rule.
import { describe, expect, test } from 'vitest';
import { leftBehind, runOther } from './command.ts';
import { type Bug, images } from './foreign/other-service.ts';

const page = 'docs/concepts/service-interface.md';

test('a service with another plugin, other wording and order, and more fields passes with what it has', async () => {
  const { failed, code, output, inapplicable, endpoint } = await runOther('neutral', undefined, '--section', '4.3');
  expect(failed).toEqual([]);
  expect(output).toContain('plugin beehive 9.0 (queen-coordinator and bee-worker), flavor 77777');
  expect(output).toContain(`image ${images.ready}`);
  expect(code).toBe(0);
  expect(inapplicable).toMatchObject({ 'the interface does not promise which problems a message tells': 1 });
  expect(await leftBehind(endpoint)).toEqual({});
});

/** Answers to a GET of one template that is not there. */
const isMissing = (path: string, status: number): boolean => status === 404 && /templates\/[0-9a-f-]+$/.test(path);

const bugs: readonly (readonly [what: string, rule: string, bug: Bug])[] = [
  [
    'answers 400 for an object that is not there',
    'section 7 rule 3: Practice: an object in the path that does not exist is answered with 404 and NOT_FOUND.',
    (method, path, answer) =>
      method === 'GET' && isMissing(path, answer.status) ? { status: 400, body: answer.body } : answer,
  ],
  [
    'shows a list without its key',
    'section 4 rule 4: A list has all objects of the tenant, and each of them as GET of that object shows it.',
    (method, path, answer) =>
      method === 'GET' && path.endsWith('/node-group-templates')
        ? { ...answer, body: answer.body.node_group_templates }
        : answer,
  ],
  [
    'fills in no defaults',
    'section 4.3 rule 1: The answer to a POST has what was sent, the defaults and an id. GET shows the same.',
    (method, _path, answer) => {
      if (method !== 'POST' || answer.status !== 202) return answer;
      const { volumes_per_node: _, ...row } = answer.body.node_group_template ?? {};
      return { ...answer, body: { ...answer.body, node_group_template: row } };
    },
  ],
];

describe('a service that', () => {
  test.each(bugs)('%s fails at that rule', async (_what, rule, bug) => {
    const { failed, code, output, broken } = await runOther('neutral', bug, '--section', '4.3');
    expect([code, failed.length > 0]).toEqual([1, true]);
    expect(broken.length).toBeGreaterThan(0);
    expect(output).toContain(`    breaks ${page}, ${rule}`);
  });
});
