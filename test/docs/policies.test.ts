// The documentation says which kinds have which policy.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { policies } from '../../src/operator/api/shared-api.ts';
import { definitions } from '../../src/operator/kinds/definitions.ts';

const pageOf = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

const takes = ({ spec }: (typeof definitions)[number], policy: string): boolean =>
  spec.safeParse({ policy }).error?.issues.every(({ path }) => path[0] !== 'policy') ?? true;

/** A field that a kind does not have may be anything. */
const withPolicy = definitions.filter((one) => !takes(one, 'Other'));
const lacking = withPolicy.flatMap((one) =>
  policies.filter((policy) => !takes(one, policy)).map((policy) => ({ kind: one.kind, policy })),
);

test('every kind with a policy has every one, but for what is documented', () => {
  expect(withPolicy.length).toBeGreaterThan(5);
  const [exception, ...others] = lacking;
  expect(others).toEqual([]);
  expect(pageOf('concepts/protocol.md')).toContain(`one exception: a ${exception?.kind} has no ${exception?.policy}.`);
  expect(pageOf('how-to/import.md')).toContain(`A ${exception?.kind} cannot have \`policy: ${exception?.policy}\``);
});
