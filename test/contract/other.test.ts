// `npm run contract` against a service that is not ours: one that breaks a rule fails at that rule.
import { expect, test } from 'vitest';
import { runOther, token } from './command.ts';
import type { Bug } from './foreign/other-service.ts';
import { unknownId } from './literals.ts';

const page = 'docs/concepts/service-interface.md';
const values =
  'section 2 rule 4: A node group template carries what was sent. Where volumes and configuration were omitted, the answer has values for them.';
const answer =
  'section 4.3 rule 1: The answer to a POST has what was sent, the defaults and an id. GET shows the same.';

/** What it does wrong: a status, the shape of a list, and a default that is missing. */
const bugs: Bug = (method, path, answer) => {
  const { status, body } = answer;
  if (method === 'GET' && path.endsWith(`node-group-templates/${unknownId}`)) return { status: 400, body };
  if (method === 'GET' && path.endsWith('/cluster-templates'))
    return { status, body: { items: body.cluster_templates } };
  if (method !== 'POST' || body?.node_group_template === undefined) return answer;
  const { volumes_per_node: _, ...row } = body.node_group_template;
  return { status, body: { ...body, node_group_template: row } };
};

/** Each failure, and the rule that it breaks. */
const broken = {
  'section 2: section 2 rule 1: bodies > section 2 rule 2: a list of cluster-templates is in an object whose one key is cluster_templates':
    'section 2 rule 2: One resource and a list of them are wrapped in an object with the key of the table.',
  'section 2: section 2 rule 4: node group template > carries what was sent': values,
  'section 2: section 2 rule 4: node group template > carries values for volumes and configurations when they are omitted':
    values,
  'section 4.3: section 4.3 rule 1: reading > GET one: 200, and the same as the answer to its creation and its row in the list':
    answer,
  'section 4.3: section 4.3 rule 1: reading > section 7 rule 3: GET one that is not there: 404':
    'section 7 rule 3: Practice: an object in the path that does not exist is answered with 404 and NOT_FOUND.',
  'section 4.3: section 4.3 rule 2: POST > section 4.3 rule 1: 202, defaults filled in and an identifier assigned':
    answer,
};

test('a service that breaks rules fails there and nowhere else, and is told which rules', async () => {
  const { code, output } = await runOther('neutral', bugs, '--section', '4.3', '--section', '2');
  // What it answered.
  expect(output).toMatch(/^ {4}answer: GET \S+\/node-group-templates\/[\d-]+: 400 .*NOT_FOUND/m);
  expect(output).not.toContain(token);
  const found = [...output.matchAll(/^FAILED +(.*)\n {4}breaks (.*)$/gm)].map(([, name, rule]) => [name, rule]);
  const expected = Object.entries(broken).map(([name, rule]) => [name, `${page}, ${rule}`]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  expect(code).toBe(1);
});
