// The identity service as a part of `npm run service`: its flags, and the tokens that the service takes from it.
import { expect, test } from 'vitest';
import { identityFlags, readIdentity } from '../../dev/identity/flags.ts';
import { parseFlags } from '../../src/service/program/flags/flags.ts';
import { connect } from '../contract/support.ts';
import { runDevService, startDevService } from '../service/support/process.ts';

const read = (...args: readonly string[]) => readIdentity(parseFlags(args, identityFlags));

test('without its flags there is none', () => expect(read()).toBeUndefined());

test('the account of the demo is known to be one', () => expect(read('--identity')?.isDemo).toBe(true));

test('--identity-token-ms alone is refused, with what to add', () => {
  expect(() => read('--identity-token-ms', '5')).toThrow(
    'cannot read flags: --identity-token-ms needs --identity or an --identity-file',
  );
});

test('log-ins: the demo needs nothing but two flags, and wrong accounts are one line', async () => {
  const service = await startDevService('--auth', 'keystone', '--identity');
  const peer = connect(service.url);
  const user = { name: 'demo', domain: { name: 'Default' }, password: 'demo' };
  const scope = { project: { name: 'demo', domain: { name: 'Default' } } };
  const auth = { identity: { methods: ['password'], password: { user } }, scope };
  const { headers, body } = await peer.post('/v3/auth/tokens', { auth });
  const { url } = body.token.catalog[0].endpoints[0];
  const clusters = await fetch(`${url}/clusters`, {
    headers: { 'x-auth-token': headers.get('x-subject-token') ?? '' },
  });
  expect([clusters.status, await clusters.json()]).toEqual([200, { clusters: [] }]);
  await service.kill('SIGTERM');
  const { code, errors } = await runDevService('--identity-file', '/nowhere/accounts.yaml');
  expect([code, errors]).toEqual([1, expect.stringMatching(/^cannot read accounts \/nowhere\/accounts.yaml: .*\n$/)]);
});
