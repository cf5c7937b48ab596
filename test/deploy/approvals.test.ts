// The policy for approvals and its role reach every policy that a spec has. test/e2e/access has what the API server makes of both.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { repository } from '../e2e/support/installation.ts';

const folder = join(repository, 'deploy', 'approvals');
const crds = (await readdir(join(repository, 'crds'))).filter((file) => file.endsWith('.yaml'));

/** The plurals of the kinds that have this field. */
async function kindsWith(...path: readonly string[]): Promise<readonly string[]> {
  const found = crds.map(async (file) => {
    const { spec } = parse(await readFile(join(repository, 'crds', file), 'utf8'));
    const field = path.reduce((schema, one) => schema?.properties?.[one], spec.versions[0].schema.openAPIV3Schema);
    return field === undefined ? [] : [String(spec.names.plural)];
  });
  return (await Promise.all(found)).flat().toSorted();
}

const planned = await kindsWith('spec', 'policy');
const templates = await kindsWith('spec', 'template', 'spec', 'policy');

test('the role approves wherever there is a policy, and edits only what has the annotation for that', async () => {
  const { rules } = parse(await readFile(join(folder, 'approve-role.yaml'), 'utf8'));
  const grants = (rules as readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[])
    .flatMap(({ resources, verbs }) => resources.map((resource) => ({ resource, verbs })))
    .toSorted((one, other) => (one.resource < other.resource ? -1 : 1));
  const granted = (verb: string) => grants.flatMap(({ resource, verbs }) => (verbs.includes(verb) ? [resource] : []));
  expect(granted('approve')).toEqual([...planned, ...templates].toSorted());
  expect(granted('patch')).toEqual(planned);
});

interface Policy {
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly { readonly expression: string }[];
}

async function readPolicy(): Promise<Policy> {
  const [policy] = parseAllDocuments(await readFile(join(folder, 'approvals-policy.yaml'), 'utf8'));
  return policy?.toJS().spec;
}

const variableIn = ({ variables }: Policy, name: string): string =>
  variables.find((one) => one.name === name)?.expression ?? '';

test('the policy reads that of a template, too', async () => {
  const expression = variableIn(await readPolicy(), 'policies');
  expect(templates).toEqual(['jobschedules']);
  for (const plural of templates) expect(expression).toContain(`request.resource.resource == '${plural}'`);
});

test('the policy reads what deletes an object without an approval', async () => {
  expect(await kindsWith('spec', 'lifecycle')).toEqual(['clusters']);
  const policy = await readPolicy();
  expect(policy.validations.map(({ expression }) => expression)).toContainEqual(
    '!variables.heldBefore || variables.hasSameEnd || variables.mayApprove',
  );
  expect(variableIn(policy, 'hasSameEnd')).toContain('object.?spec.?lifecycle == oldObject.?spec.?lifecycle');
});
