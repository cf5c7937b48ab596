// Records as answers: nothing that is only for the service gets out, and each dialect shows its own fields.
import { describe, expect, test } from 'vitest';
import type {
  ClusterGroupRecord,
  ClusterRecord,
  ClusterTemplateRecord,
  NodeGroupTemplateRecord,
} from '../../../../src/service/model/records/records.ts';
import { showRecord } from '../../../../src/service/resources/views/record-view.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';

const shape = {
  flavor_id: '1',
  node_processes: ['datanode'],
  node_configs: { HDFS: { bigdata_version: 'a key of a user' } },
  volumes_per_node: 0,
  volumes_size: 10,
  volume_mount_prefix: '/volumes/disk',
};
const owner = { id: 'i', name: 'n', plugin_name: 'vanilla', bigdata_version: '1.2.1', created_at: 'then' };
const definition = {
  ...owner,
  cluster_configs: {},
  anti_affinity: [],
  network_management_network: 'net',
  default_image_id: 'image',
};
const groupTemplate: NodeGroupTemplateRecord = { ...owner, ...shape, image_id: 'x', floating_ip_pool: 'pool' };
const group = { id: 'g', name: 'g', count: 1, ...shape, floating_ip_pool: 'pool', image_id: 'x' };
const template: ClusterTemplateRecord = { ...definition, node_groups: [group] };
const machines = [{ instance_id: 'm', instance_name: 'n-g-001', internal_ip: '10.0.0.1', management_ip: '172.18.0.1' }];
const clusterGroup: ClusterGroupRecord = { ...group, created: 'then', updated: 'now', instances: machines };
const cluster: ClusterRecord = {
  ...definition,
  status: 'Active',
  info: {},
  updated_at: 'now',
  is_transient: false,
  work: { operation: 'start', stage: 'Waiting' },
  node_groups: [clusterGroup],
};

type Shown = Readonly<Record<string, unknown>> & { readonly node_groups: readonly Readonly<Record<string, unknown>>[] };
const at = { tenant: 't', binaryOf: () => undefined } as const;
const showCluster = (dialect: Dialect) => showRecord({ ...at, dialect, kind: 'clusters' }, cluster) as Shown;
const showTemplate = (dialect: Dialect) => showRecord({ ...at, dialect, kind: 'clusterTemplates' }, template) as Shown;
const showGroupTemplate = (dialect: Dialect) =>
  showRecord({ ...at, dialect, kind: 'nodeGroupTemplates' }, groupTemplate) as Shown;

describe('neutral: section 2 and no more', () => {
  test('node group template', () => {
    const { image_id: _, created_at: __, ...shown } = groupTemplate;
    expect(showGroupTemplate('neutral')).toEqual(shown);
  });

  test('cluster template; groups have no identifier, pool or image', () => {
    const { id: _, floating_ip_pool: __, image_id: ___, ...shownGroup } = group;
    const { created_at: ____, default_image_id: _____, ...shown } = template;
    expect(showTemplate('neutral')).toEqual({ ...shown, node_groups: [shownGroup] });
  });

  test('cluster; instances have volumes', () => {
    const shown = showCluster('neutral');
    for (const hidden of ['work', 'created_at', 'updated_at', 'is_transient', 'network_management_network']) {
      expect(shown).not.toHaveProperty(hidden);
    }
    expect(shown.node_groups[0]).toMatchObject({
      created: 'then',
      updated: 'now',
      instances: [{ ...machines[0], volumes: [] }],
    });
    expect(shown).toMatchObject({ default_image_id: 'image', status: 'Active' });
  });
});

describe.each(['sahara', 'savanna'] as const)('%s', (dialect) => {
  test('has its own words, but not inside configurations', () => {
    expect(showGroupTemplate(dialect)).toMatchObject({ hadoop_version: '1.2.1', node_configs: shape.node_configs });
    expect(showTemplate(dialect)).toMatchObject({ neutron_management_network: 'net', default_image_id: 'image' });
    for (const shown of [showGroupTemplate(dialect), showTemplate(dialect), showCluster(dialect)]) {
      expect(shown).not.toHaveProperty('bigdata_version');
      expect(shown).toMatchObject({ tenant_id: 't', created_at: 'then' });
      // Early releases do not know it.
      expect(shown.is_protected).toBe(dialect === 'sahara' ? false : undefined);
    }
  });

  test('shows the work of a cluster only by its status', () => {
    expect(showCluster(dialect)).not.toHaveProperty('work');
    expect(showCluster(dialect)).toMatchObject({ status: 'Active', status_description: '', is_transient: false });
  });

  test('stamps groups as it stamps everything', () => {
    const [shown] = showCluster(dialect).node_groups;
    expect(shown).toMatchObject({ created_at: 'then', updated_at: 'now', floating_ip_pool: 'pool' });
    // Early releases do not tell it.
    expect(shown?.['id']).toBe(dialect === 'sahara' ? 'g' : undefined);
    expect(shown).not.toHaveProperty('created');
  });

  test('unset fields are null', () => {
    expect(showCluster(dialect)).toMatchObject({ description: null, cluster_template_id: null, user_keypair_id: null });
    expect(showTemplate(dialect).node_groups[0]).toMatchObject({ node_group_template_id: null });
  });
});
