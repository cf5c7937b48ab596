// What objects report of a Connection that cannot be used.
import { expect, test } from 'vitest';
import { toldToUsers } from '../../../../src/operator/connections/pass/told-to-users.ts';
import { failing } from '../../reconcile/protocol/failures.ts';

const own = { kind: 'Connection', namespace: 'team-a', name: 'default' };
const shared = { kind: 'SharedConnection', namespace: '', name: 'platform' };

test('those of a Connection of the namespace read the remedy', () => {
  const trouble = { message: 'no. Check the token in Secret tok', cause: failing('unauthorized', 'no') };
  expect(toldToUsers(own, 'is not ready', trouble)).toBe(
    'Connection default is not ready: no. Check the token in Secret tok',
  );
});

test('those of a SharedConnection read the cause in the service, and whom to ask', () => {
  const ask = 'Ask the administrator of the cluster, who finds the remedy in its status';
  const refused = { message: 'no. Check the token in Secret tok', cause: failing('unauthorized', 'no') };
  expect(toldToUsers(shared, 'is not ready', refused)).toBe(`SharedConnection platform is not ready: no. ${ask}`);
  const missing = { message: 'Secret tok does not exist in namespace vault' };
  expect(toldToUsers(shared, 'has no credentials', missing)).toBe(
    `SharedConnection platform has no credentials. ${ask}`,
  );
});
