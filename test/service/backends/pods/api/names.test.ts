// Names of objects: valid, short enough, and of one cluster only.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  baseName,
  groupName,
  labelValue,
  podHost,
  podOfHost,
  runName,
} from '../../../../../src/service/backends/pods/api/names.ts';
import { sparkCluster } from '../clusters/scene.ts';

const label = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const valueForm = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const texts = fc.string({ minLength: 1, maxLength: 300, unit: 'binary' });

const of = (name: string, id = 'one') => ({ ...sparkCluster(), name, id });

test('any cluster and group has names that Kubernetes accepts, with room for what it appends', () => {
  fc.assert(
    fc.property(texts, texts, texts, (name, id, group) => {
      const cluster = of(name, id);
      expect(baseName(cluster)).toMatch(label);
      expect(groupName(cluster, { name: group })).toMatch(label);
      // A StatefulSet of a longer name cannot label its pods.
      expect(groupName(cluster, { name: group }).length).toBeLessThanOrEqual(52);
      expect(`${groupName(cluster, { name: group })}-9999`.length).toBeLessThanOrEqual(63);
      expect(runName(id)).toMatch(label);
      expect(labelValue(name)).toMatch(valueForm);
    }),
  );
});

test('groups whose names are alike when they are shortened have different names', () => {
  fc.assert(
    fc.property(fc.uniqueArray(texts, { minLength: 2, maxLength: 2 }), (names) => {
      const [one = '', other = ''] = names;
      expect(groupName(of('c'), { name: one })).not.toBe(groupName(of('c'), { name: other }));
    }),
  );
  expect(groupName(of('c'), { name: 'Workers' })).not.toBe(groupName(of('c'), { name: 'workers' }));
});

test('clusters of the same name in one namespace have different names', () => {
  expect(baseName(of('c', 'one'))).not.toBe(baseName(of('c', 'two')));
});

test('the pod of a host name is found again', () => {
  const cluster = sparkCluster();
  const pod = `${groupName(cluster, { name: 'workers' })}-3`;
  expect(podOfHost(podHost(cluster, { namespace: 'data', domain: 'cluster.local' }, pod))).toEqual(['data', pod]);
});
