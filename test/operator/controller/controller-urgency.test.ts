// Who is woken first, and by whose write: users before polls, dependents also by what we write ourselves.
import { expect, test } from 'vitest';
import { Controller } from '../../../src/operator/controller/controller.ts';
import { keyOf, keyText } from '../../../src/operator/reconcile/pass-ports.ts';
import { ManualClock, settle } from '../../support/clock.ts';
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
      externalsOf: ({ metadata }) => [`team/main/clusters/${metadata.annotations?.id ?? metadata.name}`],
      factsOf: ({ status }) => String(status),
      annotations: [],
      commands: [],
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

test('a write of ours wakes those who refer to the object, but not the object itself', async () => {
  const { source, passes, controller, put } = scene();
  for (const name of ['user1', 'other']) put(name);
  controller.start();
  await settle();
  passes.length = 0;
  const key = { kind: 'Template', namespace: 'team', name: 'shared' };
  const template = { ...resource({ name: 'shared' }), kind: 'Template' };
  const written = { ...template, status: 'ready' };
  controller.wrote({ key, previous: template, current: written, initial: false });
  await settle();
  expect(passes.splice(0)).toEqual(['Cluster/team/user1']);
  const cluster = resource({ name: 'other' });
  const finalized = resource({ name: 'other', finalizers: ['ours'] });
  controller.wrote({ key: keyOf(cluster), previous: cluster, current: finalized, initial: false });
  await settle();
  expect(passes).toEqual([]);
  source.put(resource({ name: 'other', generation: 2 }));
  await settle();
  expect(passes).toEqual(['Cluster/team/other']);
});

test('a write of ours changes what wakes the object from now on', async () => {
  const { passes, controller, put } = scene();
  put('other');
  controller.start();
  await settle();
  passes.length = 0;
  const previous = resource({ name: 'other' });
  const current = resource({ name: 'other', annotations: { id: 'made-just-now' } });
  controller.wrote({ key: keyOf(previous), previous, current, initial: false });
  controller.wakeExternal('team/main', 'clusters', ['made-just-now']);
  await settle();
  expect(passes).toEqual(['Cluster/team/other']);
});
