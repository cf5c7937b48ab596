// What brings about the errors of templates, clusters and plugins, by route and cause.
import { unknownId } from '../../contract/support.ts';
import type { Ask } from './ask.ts';
import type { Provocations } from './routes.ts';
import { inline, type Scene, unregistered } from './scene.ts';

const long = 'x'.repeat(50);
const samePath = ['/a', '/a'].map((path) => ({ id: unknownId, path }));
const byTemplate = (id: string) => [{ name: 'h', count: 1, node_group_template_id: id }];

/** What is wrong with groups, wherever they are. */
const groupsOf = (scene: Scene) =>
  ({
    unsupported: [{ ...inline, node_processes: ['nonsense'] }],
    unknownFlavor: [{ ...inline, flavor_id: '99' }],
    twice: [{ ...inline, node_processes: ['datanode', 'datanode'] }],
    badGroups: [inline, inline],
    noSize: [{ ...inline, volumes_per_node: 1 }],
    unknownTemplate: byTemplate(unknownId),
    foreignTemplate: byTemplate(scene.idOf('foreign')),
  }) as const;

type GroupFault = keyof ReturnType<typeof groupsOf>;
type Provoke = (scene: Scene) => Ask;

const inGroups = (faults: readonly GroupFault[], ask: (scene: Scene, groups: readonly object[]) => Ask) =>
  Object.fromEntries(
    faults.map((fault): readonly [GroupFault, Provoke] => [fault, (scene) => ask(scene, groupsOf(scene)[fault])]),
  );

const described = ['unsupported', 'unknownFlavor', 'twice', 'badGroups', 'noSize'] as const;
const all = [...described, 'unknownTemplate', 'foreignTemplate'] as const;

const template = (fields: object) => (scene: Scene) => ({
  body: { name: 'new', ...scene.plugin, flavor_id: '1', node_processes: ['datanode'], ...fields },
});
const nodeFaults = {
  unsupported: { node_processes: ['nonsense'] },
  unknownFlavor: { flavor_id: '99' },
  noSize: { volumes_per_node: 1 },
  twice: { node_processes: ['datanode', 'datanode'] },
  unusableImage: { image_id: unregistered },
  badShares: { shares: samePath },
};
const spare =
  (body: object): Provoke =>
  () => ({ body });
const of =
  (name: string, body?: unknown): Provoke =>
  ({ idOf }) => ({ parts: { id: idOf(name) }, body });

const converting =
  (fields: object): Provoke =>
  () => ({
    body: JSON.stringify({ name: 'new', node_groups: [inline], ...fields }),
  });
const conversions = (faults: readonly GroupFault[]) => ({
  otherTarget: converting({ plugin_name: 'spark' }),
  ...inGroups(faults, (_scene, node_groups) => ({ body: JSON.stringify({ name: 'new', node_groups }) })),
});

const start =
  (fields: object): Provoke =>
  (scene) => ({ body: { name: 'new', ...scene.start, node_groups: [inline], ...fields } });
const starting = {
  noImage: start({ default_image_id: undefined }),
  noNetwork: start({ neutron_management_network: undefined }),
  unusableImage: start({ default_image_id: unregistered }),
  longHostNames: start({ name: long }),
  quota: start({ node_groups: [{ ...inline, count: 60 }] }),
  ...inGroups(all, (scene, node_groups) => ({ body: { name: 'new', ...scene.start, node_groups } })),
};

export const clusterRoutes: Provocations = {
  'POST plugins/:id/:version/convert-config': {
    // Only the dialect that has a size for volumes converts without a name in the path.
    ...conversions(['unsupported', 'unknownFlavor', 'twice', 'badGroups']),
    nameTaken: converting({ name: 'small' }),
    unnamed: converting({}),
  },
  'POST plugins/:id/:version/convert-config/:name': {
    ...conversions(described),
    nameTaken: () => ({ parts: { name: 'small' }, body: JSON.stringify({ node_groups: [inline] }) }),
    noConversion: converting({}),
  },
  'GET images/:id': { notRegistered: () => ({ parts: { id: unregistered } }) },
  'POST node-group-templates': {
    nameTaken: template({ name: 'worker' }),
    unsupported: template(nodeFaults.unsupported),
    unknownFlavor: template(nodeFaults.unknownFlavor),
    noSize: template(nodeFaults.noSize),
    twice: template(nodeFaults.twice),
    unusableImage: template(nodeFaults.unusableImage),
    badShares: template(nodeFaults.badShares),
  },
  'DELETE node-group-templates/:id': { inUse: of('worker') },
  'POST cluster-templates': {
    nameTaken: (scene) => ({ body: { name: 'small', ...scene.plugin } }),
    badShares: (scene) => ({ body: { name: 'new', ...scene.plugin, shares: samePath } }),
    unusableImage: (scene) => ({ body: { name: 'new', ...scene.plugin, default_image_id: unregistered } }),
    ...inGroups(all, (scene, node_groups) => ({ body: { name: 'new', ...scene.plugin, node_groups } })),
  },
  'DELETE cluster-templates/:id': { inUse: of('small') },
  'POST clusters': {
    clusterNameTaken: start({ name: 'active' }),
    clusterNameTakenUpstream: start({ name: 'active' }),
    unknownImage: start({ default_image_id: unknownId }),
    ...starting,
  },
  'PUT clusters/:id': {
    notActive: of('young', { resize_node_groups: [{ name: 'g', count: 2 }] }),
    badScale: spare({ resize_node_groups: [{ name: 'nonsense', count: 2 }] }),
    quota: spare({ resize_node_groups: [{ name: 'w', count: 60 }] }),
    longHostNames: ({ idOf }) => ({
      body: { add_node_groups: byTemplate(idOf('worker')).map((group) => ({ ...group, name: long })) },
    }),
    ...inGroups(all, (scene, groups) => ({
      body: {
        add_node_groups:
          scene.dialect === 'neutral' && groups.length === 2
            ? [1, 2].flatMap(() => byTemplate(scene.idOf('worker')))
            : groups,
      },
    })),
  },
};
