// What helps where the credentials of a Connection are refused: said with its name, and that of its Secret.
import { expect, test } from 'vitest';
import { type Outcome, outcomeOfError } from '../../../../src/operator/reconcile/outcome.ts';
import { withAccessRemedy, withOwnAccessRemedy } from '../../../../src/operator/reconcile/status/credentials-remedy.ts';
import { categories } from '../../../../src/wire/errors/service-error.ts';
import { failing } from '../protocol/failures.ts';

const team = { kind: 'Connection', namespace: 'team-a', name: 'team' };
const keystone = { auth: { type: 'Keystone', secretRef: { name: 'login' }, cloud: 'north' } };

test.each<[what: string, spec: unknown, why: string, remedy: string]>([
  [
    'a token',
    { auth: { type: 'Token', secretRef: { name: 'tok' } } },
    'it is so',
    'Check the token in Secret tok, and spec.tenantID of Connection team',
  ],
  ['none', { auth: { type: 'None' } }, 'it is so', 'Set spec.auth of Connection team'],
  ['no word of any', {}, 'it is so', 'Set spec.auth of Connection team'],
  ['a Connection that is not there', undefined, 'it is so', 'Set spec.auth of Connection team'],
  [
    'a log-in',
    keystone,
    'it is so',
    'Check the project in clouds.yaml of Secret login, and that the service accepts tokens of this Keystone',
  ],
  ['a log-in with a remedy', keystone, 'check the user in clouds.yaml', 'Correct clouds.yaml in Secret login'],
])('%s', (_what, spec, why, remedy) => {
  const outcome = outcomeOfError(failing('unauthorized', why), 'do it');
  expect(withAccessRemedy(outcome, team, spec)).toEqual({ ...outcome, message: `cannot do it: ${why}. ${remedy}` });
});

test.each<[what: string, auth: object, why: string, own: string]>([
  [
    'a token',
    { type: 'Token', secretRef: { name: 'tok' } },
    'it is so',
    'Check the token in Secret tok in namespace vault, and spec.tenantID of SharedConnection platform',
  ],
  ['none', { type: 'None' }, 'it is so', 'Set spec.auth of SharedConnection platform'],
  [
    'a log-in',
    keystone.auth,
    'it is so',
    'Check the project in clouds.yaml of Secret login in namespace vault, and that the service accepts tokens of this Keystone',
  ],
  ['a wrong file', keystone.auth, 'check clouds.yaml', 'Correct clouds.yaml in Secret login in namespace vault'],
])('of a SharedConnection, only its own status names the Secret: %s', (_what, auth, why, own) => {
  const outcome = outcomeOfError(failing('unauthorized', why), 'do it');
  const spec = { auth, credentialsNamespace: 'vault' };
  const key = { kind: 'SharedConnection', namespace: '', name: 'platform' };
  expect(withOwnAccessRemedy(outcome, key, spec)).toEqual({ ...outcome, message: `cannot do it: ${why}. ${own}` });
  const message = `cannot do it: ${why}. Ask the administrator of the cluster to check the credentials of SharedConnection platform`;
  expect(withAccessRemedy(outcome, key, spec)).toEqual({ ...outcome, message });
});

test('other failures ask for other remedies, and what is no failure for none', () => {
  const others: readonly Outcome[] = [
    ...categories.filter((one) => one !== 'unauthorized').map((one) => outcomeOfError(failing(one))),
    outcomeOfError(new Error('a bug')),
    { result: 'refused', reason: 'InvalidSpec', message: 'no' },
    { result: 'settled' },
  ];
  expect(others.map((one) => withAccessRemedy(one, team, keystone))).toEqual(others);
});
