// NodeGroupTemplate: what is sent, literally, and what status tells of it.
import { describe, expect, test } from 'vitest';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import { dialects, toWire } from '../../../../src/wire/dialect.ts';
import { nodeGroupTemplateCreate } from '../../../../src/wire/node-group-template.ts';
import { ledgerOf } from '../../reconcile/support.ts';
import { givenOf } from '../support/mapping.ts';

const kind = nodeGroupTemplateKind;
const shortest = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  flavorID: '2',
  nodeProcesses: ['tasktracker', 'datanode'],
};
const full = {
  ...shortest,
  description: 'two disks',
  floatingIPPool: 'public',
  volumesPerNode: 2,
  volumesSize: 100,
  volumeMountPrefix: '/volumes/disk',
  nodeConfigs: { HDFS: { heap: 1024, bigdata_version: 'mine' } },
  connectionRef: { name: 'default' },
  deletionPolicy: 'Orphan',
  progressDeadlineSeconds: 60,
};

const bodyOf = (spec: unknown) => kind.desired(kind.definition.spec.parse(spec), givenOf()).body;

describe('what is sent', () => {
  test('the shortest: what is unset is left to the service, and processes keep their order', () => {
    expect(bodyOf(shortest)).toStrictEqual({
      name: 'etl-name',
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      flavor_id: '2',
      node_processes: ['tasktracker', 'datanode'],
    });
  });

  test('the longest', () => {
    expect(bodyOf(full)).toStrictEqual({
      name: 'etl-name',
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      description: 'two disks',
      flavor_id: '2',
      node_processes: ['tasktracker', 'datanode'],
      node_configs: { HDFS: { heap: 1024, bigdata_version: 'mine' } },
      floating_ip_pool: 'public',
      volumes_per_node: 2,
      volumes_size: 100,
      volume_mount_prefix: '/volumes/disk',
    });
  });

  test.each([
    ['neutral', 'bigdata_version'],
    ['sahara', 'hadoop_version'],
    ['savanna', 'hadoop_version'],
  ] as const)('on the wire of %s the version is %s, and user data stays as it is', (dialect, word) => {
    expect(toWire(dialect, bodyOf(full))).toMatchObject({
      [word]: '1.2.1',
      node_configs: { HDFS: { bigdata_version: 'mine' } },
    });
  });

  test('passes the request schema of the interface', () => {
    for (const spec of [shortest, full]) expect(nodeGroupTemplateCreate.safeParse(bodyOf(spec)).error).toBeUndefined();
  });
});

describe('the kind', () => {
  const spec = kind.definition.spec.parse(full);

  test('every dialect can carry it, it refers to nothing and is never changed', () => {
    for (const dialect of dialects) expect(kind.check(spec, dialect)).toBeUndefined();
    const row: RemoteObject = { id: 'x', name: 'y' };
    expect([kind.references(spec, ''), kind.referencesIn.routes]).toEqual([[], []]);
    expect(kind.health(row)).toEqual({ state: 'ready' });
    expect('change' in kind).toBe(false);
  });

  test('status tells what the service filled in', () => {
    const row = {
      id: 'x',
      name: 'y',
      plugin_name: 'p',
      bigdata_version: '1',
      volumes_per_node: 0,
      volumes_size: 10,
      volume_mount_prefix: '/v',
      created_at: 'now',
    };
    expect(kind.report(row, spec, ledgerOf(), '')).toStrictEqual({
      pluginName: 'p',
      bigdataVersion: '1',
      volumesPerNode: 0,
      volumesSize: 10,
      volumeMountPrefix: '/v',
    });
    expect(kind.report({ id: 'x', name: 'y' }, spec, ledgerOf(), '')).toStrictEqual({});
  });
});
