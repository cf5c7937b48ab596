// Log-ins at a Keystone: where the service and the tenant are comes from them, tokens come and go, and Secrets change, while clusters are made.
import { describe, expect, inject, test, vi } from 'vitest';
import { limitMs } from '../../support/patience.ts';
import {
  auth,
  blue,
  byCredential,
  byPassword,
  logIns,
  nothingIsTold,
  open,
  planted,
  readyIs,
  red,
} from '../support/log-ins.ts';
import { conditionOf, specs } from '../support/world.ts';

describe.skipIf(inject('kubeconfig') === '')('with a log-in', () => {
  test('an application credential that is gone is told from a wrong URL, and another one mends it', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byCredential(world, 'gone'));
    await world.apply('Connection', 'default', { auth });
    const denied = await world.until('Connection', 'default', readyIs('False', 'Unauthorized'));
    expect(conditionOf(denied, 'Ready')?.message).toMatch(
      /^cannot authenticate at http.*\/v3: the identity service has no such application credential: Could not find Application Credential: gone; check application_credential_id and auth_url in clouds\.yaml, .*\. Correct clouds\.yaml in Secret login$/,
    );
    await world.apply('Secret', 'login', byCredential(world));
    await world.ready('Connection', 'default');
    await nothingIsTold(world);
  });

  test('a wrong password is told and mended; another log-in into the same project goes on with what is there', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byPassword(world, { password: planted.wrong }));
    await world.apply('Connection', 'default', { auth });
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    const denied = await world.until('Connection', 'default', readyIs('False', 'Unauthorized'));
    expect(conditionOf(denied, 'Ready')?.message).toMatch(
      /^cannot authenticate at http.*\/v3: the identity service does not accept the credentials: .*\w; check the user, domain and password in clouds\.yaml, and that the user is enabled\. Correct clouds\.yaml in Secret login$/,
    );
    const waiting = await world.until('NodeGroupTemplate', 'worker', readyIs('False', 'DependencyNotReady'));
    expect(conditionOf(waiting, 'Ready')?.message).toContain('check the user, domain and password');
    await world.apply('Secret', 'login', byPassword(world));
    const made = await world.ready('NodeGroupTemplate', 'worker');
    const before = logIns(world);
    await world.apply('Secret', 'login', byCredential(world));
    await vi.waitFor(() => expect(logIns(world)).toBe(before + 1), { timeout: limitMs, interval: 50 });
    await world.apply('NodeGroupTemplate', 'master', specs.master);
    await world.ready('NodeGroupTemplate', 'master');
    expect((await world.ready('NodeGroupTemplate', 'worker')).status?.id).toBe(made.status?.id);
    expect(world.records.listed('nodeGroupTemplates', red)).toHaveLength(2);
    await nothingIsTold(world);
  });

  test('one that leads to another project moves nothing there, with and without a tenantID', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byPassword(world));
    await world.apply('Connection', 'default', { auth });
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    await world.apply('Secret', 'login', byPassword(world, { project_name: 'blue' }));
    const changed = await world.until('NodeGroupTemplate', 'worker', readyIs('False', 'ConnectionChanged'));
    expect(conditionOf(changed, 'Ready')?.message).toContain(`belongs to tenant ${red}`);
    expect((await world.ready('Connection', 'default')).status).toMatchObject({ tenantID: blue });
    await world.apply('Connection', 'default', { auth, tenantID: red });
    const elsewhere = await world.until('Connection', 'default', readyIs('False', 'Unauthorized'));
    expect(conditionOf(elsewhere, 'Ready')?.message).toContain(
      `the token is for project ${blue} (blue), not for tenant ${red}`,
    );
    await world.until('NodeGroupTemplate', 'worker', readyIs('False', 'ConnectionChanged'));
    await world.apply('Secret', 'login', byPassword(world));
    await world.ready('Connection', 'default');
    await world.ready('NodeGroupTemplate', 'worker');
    expect(world.records.listed('nodeGroupTemplates', blue)).toEqual([]);
    expect(world.records.listed('nodeGroupTemplates', red)).toHaveLength(1);
  });

  test('a log-in that fails does not hold up a deletion that needs none, and another one helps the rest', async () => {
    await using world = await open();
    await world.operate();
    await world.apply('Secret', 'login', byPassword(world));
    await world.apply('Connection', 'default', { auth });
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    await world.halt();
    await world.apply('Secret', 'login', byPassword(world, { password: planted.wrong }));
    await world.delete('Connection', 'default');
    await world.operate();
    await world.apply('NodeGroupTemplate', 'never', specs.master);
    await world.delete('NodeGroupTemplate', 'worker');
    await world.delete('NodeGroupTemplate', 'never');
    await world.gone('NodeGroupTemplate', 'never');
    expect(await world.get('NodeGroupTemplate', 'worker')).toBeDefined();
    await world.apply('Secret', 'login', byCredential(world));
    await world.gone('NodeGroupTemplate', 'worker');
    await world.gone('Connection', 'default');
    expect(world.records.listed('nodeGroupTemplates', red)).toEqual([]);
    await nothingIsTold(world);
  });
});
