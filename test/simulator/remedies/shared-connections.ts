// The rows of SharedConnections: what their own status says, and what the objects of a namespace say, whose users are no administrators.
import { expect } from 'vitest';
import { credentials, endpoint, movedEndpoint, namespace, token } from '../plan/plan.ts';
import { actorOf, type Hand, specOf, subject, success } from './hand.ts';
import { type Row, type Rows, row } from './row.ts';

const kind = 'SharedConnection';
const users = ['DataSource', 'ClusterTemplate', 'Cluster', 'JobExecution'];
const auth = { auth: { type: 'Token', secretRef: { name: 'vaulted' } }, credentialsNamespace: namespace };
const through = { connectionRef: { kind, name: subject } };

/** The administrator makes it for the namespace of the simulation. */
const share = (hand: Hand, more: object): void =>
  hand.apply(kind, subject, { ...specOf(kind), namespaces: [namespace], allowAdopt: true, ...more });

const applyNeeds = (hand: Hand, user: string): void => {
  for (const need of actorOf(user).needs) hand.apply(need.kind, need.name, { ...need.spec, ...through });
};

/** What the object of a user reports: it asks the administrator, and names no Secret. */
async function userReads(hand: Hand, user: string, reason: string): Promise<void> {
  const message = await hand.reports(user, subject, reason);
  expect(message).toContain(`SharedConnection ${subject}`);
  expect(message).toMatch(/Ask the administrator of the cluster/i);
  expect(message).not.toMatch(/Secret|token in|spec\.tenantID/);
}

/** In the object of a user, who has nothing to do but to wait for the administrator. */
const seenBy = (kinds: readonly string[], cause: string, run: (hand: Hand, user: string) => Promise<void>): Row =>
  row(cause, kinds, async (hand, { kind: user }) => {
    await run(hand, user);
    await hand.reports(user, subject, success(user));
  });

const wrongToken: Row = {
  cause: 'the service does not accept the token: put a valid one into the Secret',
  kinds: [kind],
  asksForToken: true,
  run: async (hand) => {
    hand.apply('Secret', 'vaulted', credentials('wrong'));
    share(hand, auth);
    const message = await hand.reports(kind, subject, 'Unauthorized');
    expect(message).toContain(
      `Check the token in Secret vaulted in namespace ${namespace}, and spec.tenantID of SharedConnection ${subject}`,
    );
    hand.apply('Secret', 'vaulted', credentials(token));
    await hand.reports(kind, subject, 'Available');
  },
};

/** An object that is there sees the refusal itself; a new one waits for the SharedConnection. */
const revokedToken: Row = {
  ...seenBy(['DataSource', 'Cluster'], 'the token of its SharedConnection is revoked', async (hand, user) => {
    hand.apply('Secret', 'vaulted', credentials(token));
    share(hand, auth);
    await hand.reports(kind, subject, 'Available');
    applyNeeds(hand, user);
    for (const need of actorOf(user).needs) await hand.reports(need.kind, need.name, 'Available');
    hand.service({ faults: [{ method: 'POST', answer: { is: 'refusal', status: 401 } }] });
    hand.apply(user, subject, { ...specOf(user), ...through });
    await userReads(hand, user, 'Unauthorized');
    hand.service({});
  }),
  asksForToken: true,
};

const missingSecret = row('the Secret is missing: create it where its users cannot read it', [kind], async (hand) => {
  share(hand, auth);
  const message = await hand.reports(kind, subject, 'CredentialsMissing');
  expect(message).toContain(`Secret vaulted does not exist in namespace ${namespace}`);
  hand.apply('Secret', 'vaulted', credentials('any'));
  await hand.reports(kind, subject, 'Available');
});

/** While the administrator has not repaired the SharedConnection, the object of the user waits for it. */
const waiting = (cause: string, reason: string, broken: object, repair: (hand: Hand) => void): Row =>
  seenBy(users, cause, async (hand, user) => {
    share(hand, broken);
    applyNeeds(hand, user);
    hand.apply(user, subject, { ...specOf(user), ...through });
    await userReads(hand, user, reason);
    repair(hand);
  });

const failingService = seenBy(users, 'the service of its SharedConnection fails', async (hand, user) => {
  hand.service({ faults: [{ answer: { is: 'refusal', status: 500 } }] });
  share(hand, {});
  await hand.reports(kind, subject, 'UpstreamError');
  applyNeeds(hand, user);
  hand.apply(user, subject, { ...specOf(user), ...through });
  await userReads(hand, user, 'DependencyNotReady');
  hand.service({});
});

const leaving = seenBy(['DataSource', 'JobBinary'], 'its SharedConnection is being deleted', async (hand, user) => {
  share(hand, {});
  await hand.reports(kind, subject, 'Available');
  hand.apply('DataSource', 'holder', { ...specOf('DataSource'), ...through });
  await hand.reports('DataSource', 'holder', 'Available');
  hand.delete(kind, subject);
  await hand.reports(kind, subject, 'Deleting');
  hand.apply(user, subject, { ...specOf(user), ...through });
  await userReads(hand, user, 'DependencyNotReady');
  hand.delete('DataSource', 'holder');
  await hand.gone(kind, subject);
  share(hand, {});
});

const stillNeeded = row('it is still needed: delete what needs it', [kind], async (hand) => {
  share(hand, {});
  await hand.reports(kind, subject, 'Available');
  hand.apply('DataSource', 'holder', { ...specOf('DataSource'), ...through });
  await hand.reports('DataSource', 'holder', 'Available');
  hand.delete(kind, subject);
  const message = await hand.reports(kind, subject, 'Deleting');
  expect(message).toContain('still needed by 1 resource: delete it first');
  expect(JSON.stringify(hand.object(kind, subject)?.status)).toContain(`DataSource ${namespace}/holder needs this`);
  hand.delete('DataSource', 'holder');
  await hand.gone(kind, subject);
});

const absent = seenBy(users, 'there is no such SharedConnection: the administrator creates it', async (hand, user) => {
  hand.apply(user, subject, { ...specOf(user), ...through });
  await userReads(hand, user, 'DependencyNotReady');
  share(hand, {});
  applyNeeds(hand, user);
});

const movedAway = seenBy(['DataSource', 'Cluster'], 'its SharedConnection leads elsewhere', async (hand, user) => {
  share(hand, {});
  applyNeeds(hand, user);
  hand.apply(user, subject, { ...specOf(user), ...through });
  await hand.reports(user, subject, 'Available');
  hand.edit(kind, subject, { endpoint: movedEndpoint });
  await userReads(hand, user, 'ConnectionChanged');
  hand.edit(kind, subject, { endpoint });
});

export const sharedConnectionRows: Rows = {
  Unauthorized: [wrongToken, revokedToken],
  CredentialsMissing: [
    missingSecret,
    waiting('its SharedConnection has no Secret', 'CredentialsMissing', auth, (hand) =>
      hand.apply('Secret', 'vaulted', credentials('any')),
    ),
  ],
  DependencyNotReady: [
    absent,
    leaving,
    failingService,
    waiting('its SharedConnection cannot be used', 'DependencyNotReady', { endpoint: 'http://[1]' }, (hand) => {
      hand.delete(kind, subject);
      share(hand, {});
    }),
  ],
  ConnectionChanged: [movedAway],
  Deleting: [stillNeeded],
};
