// Random histories against a model of three sets of names and references: every status is the one that the rules foretell.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../support/clock.ts';
import { type Peer, type Reply, serve, startBody, workers } from './support.ts';

interface Row {
  readonly id: string;
  /** Names of node group templates and cluster templates that it refers to. */
  readonly groups: readonly string[];
  readonly template?: string;
}

interface Model {
  readonly groupTemplates: Map<string, Row>;
  readonly clusterTemplates: Map<string, Row>;
  readonly clusters: Map<string, Row & { deleting: boolean }>;
}

interface World {
  readonly peer: Peer;
  readonly clock: ManualClock;
  readonly model: Model;
}

interface Step {
  readonly run: (world: World) => Promise<void>;
  readonly toString: () => string;
}

const base = '/v1.0/t';
const unknown = '00000000-0000-4000-8000-000000000000';
const name = fc.constantFrom('a', 'b', 'c');
const idOf = (rows: ReadonlyMap<string, Row>, of: string) => rows.get(of)?.id ?? unknown;
const refused = (reply: Reply, errorName: string) =>
  expect([reply.status, reply.body.error_name]).toEqual([400, errorName]);

const step = (text: string, run: Step['run']): Step => ({ run, toString: () => text });

const createGroupTemplate = name.map((own) =>
  step(`create group template ${own}`, async ({ peer, model }) => {
    const reply = await peer.post(`${base}/node-group-templates`, { ...workers, name: own });
    if (model.groupTemplates.has(own)) return refused(reply, 'NAME_ALREADY_EXISTS');
    expect(reply.status).toBe(202);
    model.groupTemplates.set(own, { id: reply.body.node_group_template.id, groups: [] });
  }),
);

const createClusterTemplate = fc.tuple(name, fc.option(name)).map(([own, group]) =>
  step(`create cluster template ${own} of ${group}`, async ({ peer, model }) => {
    const groups = group === null ? [] : [group];
    const node_groups = groups.map((each) => ({
      name: `g-${each}`,
      count: 1,
      node_group_template_id: idOf(model.groupTemplates, each),
    }));
    const { plugin_name, bigdata_version } = workers;
    const reply = await peer.post(`${base}/cluster-templates`, {
      name: own,
      plugin_name,
      bigdata_version,
      node_groups,
    });
    if (model.clusterTemplates.has(own)) return refused(reply, 'NAME_ALREADY_EXISTS');
    if (groups.some((each) => !model.groupTemplates.has(each))) return refused(reply, 'NOT_FOUND');
    expect(reply.status).toBe(202);
    model.clusterTemplates.set(own, { id: reply.body.cluster_template.id, groups });
  }),
);

const createCluster = fc.tuple(name, name).map(([own, template]) =>
  step(`start ${own} from ${template}`, async ({ peer, model }) => {
    const cluster_template_id = idOf(model.clusterTemplates, template);
    const reply = await peer.post(`${base}/clusters`, { ...startBody, name: own, cluster_template_id });
    if (model.clusters.has(own)) return refused(reply, 'CLUSTER_NAME_ALREADY_EXISTS');
    const found = model.clusterTemplates.get(template);
    if (found === undefined) return refused(reply, 'NOT_FOUND');
    expect(reply.status).toBe(202);
    model.clusters.set(own, { id: reply.body.cluster.id, groups: found.groups, template, deleting: false });
  }),
);

const deleteGroupTemplate = name.map((own) =>
  step(`delete group template ${own}`, async ({ peer, model }) => {
    const reply = await peer.remove(`${base}/node-group-templates/${idOf(model.groupTemplates, own)}`);
    if (!model.groupTemplates.has(own)) return expect(reply.status).toBe(404);
    const users = [...model.clusterTemplates.values(), ...model.clusters.values()];
    if (users.some(({ groups }) => groups.includes(own))) return refused(reply, 'INVALID_REFERENCE');
    expect(reply.status).toBe(204);
    model.groupTemplates.delete(own);
  }),
);

const deleteClusterTemplate = name.map((own) =>
  step(`delete cluster template ${own}`, async ({ peer, model }) => {
    const reply = await peer.remove(`${base}/cluster-templates/${idOf(model.clusterTemplates, own)}`);
    if (!model.clusterTemplates.has(own)) return expect(reply.status).toBe(404);
    const used = [...model.clusters.values()].some(({ template }) => template === own);
    if (used) return refused(reply, 'INVALID_REFERENCE');
    expect(reply.status).toBe(204);
    model.clusterTemplates.delete(own);
  }),
);

const deleteCluster = name.map((own) =>
  step(`delete cluster ${own}`, async ({ peer, model }) => {
    const row = model.clusters.get(own);
    const reply = await peer.remove(`${base}/clusters/${row?.id ?? unknown}`);
    expect(reply.status).toBe(row === undefined ? 404 : 204);
    if (row !== undefined) row.deleting = true;
  }),
);

/** Long enough for every deletion to come to its end. */
const wait = fc.constant(
  step('wait', async ({ clock, model }) => {
    await clock.advance(1000);
    for (const [own, { deleting }] of model.clusters) if (deleting) model.clusters.delete(own);
  }),
);

const rows = (model: Model) => ({
  node_group_templates: model.groupTemplates,
  cluster_templates: model.clusterTemplates,
  clusters: model.clusters,
});

async function compareLists({ peer, model }: World): Promise<void> {
  for (const [key, expected] of Object.entries(rows(model))) {
    const { body } = await peer.get(`${base}/${key.replaceAll('_', '-')}`);
    const found = body[key].map((row: { name: string; id: string }) => [row.name, row.id]);
    expect(found).toEqual([...expected].map(([own, { id }]) => [own, id]));
  }
}

const anyStep = fc.oneof(
  { weight: 3, arbitrary: createGroupTemplate },
  { weight: 3, arbitrary: createClusterTemplate },
  { weight: 3, arbitrary: createCluster },
  deleteGroupTemplate,
  deleteClusterTemplate,
  deleteCluster,
  wait,
);

test('sections 4.3 to 4.5: names, references and deletions follow the rules in any order', async () => {
  const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
    const clock = new ManualClock();
    const world: World = {
      clock,
      peer: await serve({ clock, stageMs: 100 }),
      model: { groupTemplates: new Map(), clusterTemplates: new Map(), clusters: new Map() },
    };
    for (const { run } of steps) await run(world);
    await compareLists(world);
  });
  await fc.assert(property, { numRuns: 60 });
});
