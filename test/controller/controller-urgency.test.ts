// Who comes first when a change wakes many: users before polls, also by way of what they refer to.
import { expect, test } from 'vitest';
import { Controller } from '../../src/controller/controller.ts';
import { keyText } from '../../src/reconcile/ports.ts';
import { ManualClock, settle } from '../support/clock.ts';
import { FakeSource, resource } from './resources.ts';

function scene() {
  const source = new FakeSource();
  const passes: string[] = [];
  const quiet = () => undefined;
  const controller = new Controller({
    source,
    leadership: { leading: () => true },
    knowledge: {
      owns: (kind) => kind === 'Cluster',
      laneOf: () => '',
      limitOf: () => 1,
      referencesOf: ({ metadata }) => (metadata.name.startsWith('user') ? ['Template/team/shared'] : []),
      externalsOf: ({ metadata }) => [`team/main/clusters/${metadata.name}`],
      factsOf: ({ status }) => String(status),
      annotations: [],
    },
    pass: async (key) => {
      passes.push(keyText(key));
      return { next: 'watch' };
    },
    clock: new ManualClock(),
    random: { next: () => 0 },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  const put = (name: string) => source.put(resource({ name }), true);
  const template = (status: string, initial = false) =>
    source.put({ ...resource({ name: 'shared' }), kind: 'Template', status }, initial);
  return { source, passes, controller, put, template };
}

test('those who refer to what a user changed come before polls', async () => {
  const { passes, controller, put, template } = scene();
  for (const name of ['first', 'user1', 'second', 'user2']) put(name);
  template('changed');
  controller.start();
  await settle();
  expect(passes).toEqual(['Cluster/team/user1', 'Cluster/team/user2', 'Cluster/team/first', 'Cluster/team/second']);
});

test('those who refer to what the first list holds do not come before anybody', async () => {
  const { passes, controller, put, template } = scene();
  for (const name of ['first', 'user1']) put(name);
  template('listed', true);
  controller.start();
  await settle();
  expect(passes).toEqual(['Cluster/team/first', 'Cluster/team/user1']);
});

test('those whose object of the service changed come after users', async () => {
  const { source, passes, controller, put } = scene();
  for (const name of ['a', 'b', 'c']) put(name);
  controller.start();
  await settle();
  passes.length = 0;
  controller.wakeExternal('team/main', 'clusters', ['a', 'b']);
  source.put(resource({ name: 'c', generation: 2 }));
  await settle();
  expect(passes).toEqual(['Cluster/team/c', 'Cluster/team/a', 'Cluster/team/b']);
});
