// What the scenes must be told of a kind: how it is made, what makes it, and what cannot happen to it. A new kind is one entry.
import { connection } from '../../src/operator/kinds/connection/schema.ts';
import { imageRegistrationKind } from '../../src/operator/kinds/image-registration/index.ts';
import { jobSchedule } from '../../src/operator/kinds/job-schedule/schema.ts';
import { nodeGroup } from '../../src/operator/kinds/node-group/schema.ts';
import { routes } from '../../src/wire/routes.ts';
import type { Json, Sample } from '../operator/kinds/support/sample.ts';
import {
  clusterSample,
  clusterTemplateSample,
  dataSourceSample,
  jobBinarySample,
  jobExecutionSample,
  jobSample,
  nodeGroupTemplateSample,
} from '../operator/kinds/support/samples.ts';
import type { Match } from '../support/service/service-proxy.ts';
import type { RowName } from './rows.ts';
import type { Stage } from './stage.ts';

export interface Actor {
  readonly kind: string;
  /** What is made before it, by the names that its spec uses. */
  readonly needs: readonly { readonly kind: string; readonly name: string; readonly spec: Json }[];
  readonly spec: (stage: Stage) => Json;
  /** An edit that means nothing to the service. */
  readonly touch: Json;
  /** Gets past the API server, and is no spec that can be worked with; together with the spec. */
  readonly unusable: Json;
  /** The request that makes it Ready, the one that looks at it, and the one that deletes it. */
  readonly makes: Match;
  readonly looks: Match;
  readonly deletes?: Match;
  /** An edit of what cannot change, which the API server lets through, and the way back. */
  readonly fixed?: { readonly edited: Json; readonly back: Json };
  /** A scale, and what the status has after it. */
  readonly scale?: { readonly edit: Json; readonly reported: Json };
  /** Somebody changes in the service what the spec says otherwise. */
  readonly drift?: (stage: Stage, id: string) => Promise<void>;
  /** The same, and the service has no words for the way back; an edit that it has words for. */
  readonly damage?: { readonly done: (stage: Stage, id: string) => Promise<void>; readonly remedy: Json };
  /** Somebody makes an object of this name in the service; answers its id. */
  readonly rival?: (stage: Stage, name: string) => Promise<string>;
  /** Somebody makes something in the service that uses it. */
  readonly use?: (stage: Stage, id: string) => Promise<void>;
  /** A spec that waits for something which is not there. */
  readonly dependent?: Json;
  /** Rows of the table that it can never be in, with the reason. */
  readonly never: Partial<Readonly<Record<RowName, string>>>;
}

const names: Json = { worker: 'worker', small: 'small', program: 'program', cluster: 'cluster', job: 'job' };
const deadline = { progressDeadlineSeconds: 1234 };
const stateless = {
  creating: 'it is there at once',
  scaling: 'nothing of it can be scaled',
  broken: 'it has no status in the service',
};
const ownNames = { conflicting: 'its name in the service is made for it, or it has none' };
const unchangeable = {
  correcting: 'nothing of it can change in the service',
  unfixable: 'nothing of it can change in the service',
};

function ofSample(sample: Sample, more: Pick<Actor, 'never'> & Partial<Actor>): Actor {
  const { kind, needs, user, config } = sample;
  const collection = routes[kind.route].path;
  return {
    kind: kind.definition.kind,
    needs: needs.map((one) => ({ kind: one.kind, name: one.as, spec: one.spec(names) })),
    spec: () => sample.spec(names),
    touch: deadline,
    unusable: config?.unparsable ?? {},
    makes: { method: 'POST', collection },
    looks: { method: 'GET', collection },
    deletes: { method: 'DELETE', collection },
    ...(config && kind.identity !== 'content' ? { fixed: config } : {}),
    ...(user
      ? { use: async (stage: Stage, id: string) => void (await stage.tamper('POST', user.collection, user.body(id))) }
      : {}),
    ...more,
  };
}

const clusterActor = ofSample(clusterSample, {
  scale: { edit: { nodeGroups: [{ name: 'worker', count: 4 }] }, reported: { nodes: '5/5' } },
  dependent: { clusterTemplateRef: { name: 'missing' } },
  drift: async (stage, id) => {
    await stage.tamper('PUT', `clusters/${id}`, { resize_node_groups: [{ name: 'worker', count: 7 }] });
  },
  damage: {
    done: async (stage, id) => {
      await stage.tamper('PUT', `clusters/${id}`, { resize_node_groups: [{ name: 'head', count: 0 }] });
    },
    remedy: {
      nodeGroups: [
        { name: 'head', count: 0 },
        { name: 'second', count: 1, nodeGroupTemplateRef: { name: 'worker' } },
      ],
    },
  },
  rival: async (stage, name) => {
    const fields = {
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      default_image_id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
      user_keypair_id: 'demo',
    };
    const group = { name: 'head', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] };
    const { cluster } = await stage.tamper('POST', 'clusters', { name, ...fields, node_groups: [group] });
    return (cluster as { readonly id: string }).id;
  },
  never: {},
});

const [head] = clusterTemplateSample.spec(names)['nodeGroups'] as readonly Json[];
const clusterTemplateActor = ofSample(clusterTemplateSample, {
  dependent: {
    nodeGroups: [head, { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'missing' } }],
  },
  never: { ...stateless, ...unchangeable, ...ownNames },
});

const nodeGroupTemplateActor = ofSample(nodeGroupTemplateSample, {
  never: { ...stateless, ...unchangeable, ...ownNames },
});

const dataSourceActor = ofSample(dataSourceSample, {
  never: { ...stateless, ...unchangeable, ...ownNames },
});

const jobBinaryActor = ofSample(jobBinarySample, {
  never: { ...stateless, ...unchangeable, ...ownNames },
});

const jobActor = ofSample(jobSample, {
  unusable: { interface: [{ name: 'second', mappingType: 'args', location: '1', required: true }] },
  dependent: { mains: [{ jobBinaryRef: { name: 'missing' } }] },
  never: { ...stateless, ...unchangeable, ...ownNames },
});

const jobExecutionActor = ofSample(jobExecutionSample, {
  makes: { method: 'POST', collection: 'jobs', action: 'execute' },
  dependent: { jobRef: { name: 'missing' } },
  never: {},
});

const image = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const images = routes.images.path;
const imageRegistrationActor: Actor = {
  kind: imageRegistrationKind.definition.kind,
  needs: [],
  spec: () => ({ imageID: image, username: 'ubuntu', tags: ['vanilla', '1.2.1'] }),
  touch: deadline,
  unusable: {},
  makes: { method: 'POST', collection: images },
  looks: { method: 'GET', collection: images },
  deletes: { method: 'DELETE', collection: images },
  drift: async (stage, id) => void (await stage.tamper('POST', `images/${id}/tag`, { tags: ['stray'] })),
  never: {
    ...stateless,
    ...ownNames,
    unfixable: 'all of it can be put right',
    mismatched: 'all of it can be put right',
  },
};

const silent = 'it writes nothing to the service';
const unrestrained = {
  paused: silent,
  pending: silent,
  planned: silent,
  observed: silent,
  absent: silent,
  mismatched: silent,
};

/** It stands for nothing in the service, and is Ready when the service answers. */
const connectionActor: Actor = {
  kind: connection.kind,
  needs: [],
  spec: (stage) => stage.connectionSpec(),
  touch: { pollSeconds: 7 },
  unusable: { endpoint: 'http://[1]' },
  makes: { method: 'GET', collection: routes.plugins.path },
  looks: { method: 'GET', collection: routes.plugins.path },
  dependent: { auth: { type: 'Token', secretRef: { name: 'missing' } } },
  never: {
    ...stateless,
    ...unchangeable,
    ...ownNames,
    ...unrestrained,
    overdue: 'it has no progressDeadlineSeconds',
    refusing: 'nothing of it has to be deleted in the service',
    held: 'it has no progressDeadlineSeconds',
    unobserved: 'to be reached is all that it is about: not reached, it is in the row of what is retried',
  },
};

/** It stands for nothing in the service, and is Ready as soon as it was read. */
const notInService = 'it stands for nothing in the service';
const jobScheduleActor: Actor = {
  kind: jobSchedule.kind,
  needs: jobExecutionActor.needs,
  spec: () => ({ schedule: '@yearly', template: { spec: jobExecutionSample.spec(names) } }),
  touch: { suspend: false },
  unusable: { timeZone: 'Mars/Olympus' },
  makes: {},
  looks: {},
  dependent: { template: { spec: { ...jobExecutionSample.spec(names), jobRef: { name: 'missing' } } } },
  never: {
    ...stateless,
    ...unchangeable,
    ...unrestrained,
    retrying: notInService,
    conflicting: 'the scene makes a rival in the service',
    overdue: 'it has no progressDeadlineSeconds',
    deleting: 'nothing of it has to be deleted in the service',
    refusing: 'nothing of it has to be deleted in the service',
    held: 'nothing of it has to be deleted in the service',
    unobserved: notInService,
  },
};

const { scaling: _unscaled, ...neverOfSchedule } = jobScheduleActor.never;
/** It stands for nothing in the service, and is Ready as soon as its Cluster has the count. */
const nodeGroupActor: Actor = {
  kind: nodeGroup.kind,
  needs: [
    ...clusterSample.needs.map((one) => ({ kind: one.kind, name: one.as, spec: one.spec(names) })),
    {
      kind: 'Cluster',
      name: 'cluster',
      spec: { ...clusterSample.spec(names), nodeGroups: [{ name: 'worker', count: 2 }] },
    },
  ],
  spec: () => ({ clusterRef: { name: 'cluster' }, nodeGroup: 'worker', count: 2 }),
  touch: { count: 3 },
  unusable: {},
  makes: {},
  looks: {},
  scale: { edit: { count: 4 }, reported: { count: 4 } },
  dependent: { nodeGroup: 'missing' },
  never: {
    ...neverOfSchedule,
    refused: 'the API server refuses everything that cannot be used',
  },
};

export const actors: readonly Actor[] = [
  connectionActor,
  imageRegistrationActor,
  nodeGroupTemplateActor,
  clusterTemplateActor,
  clusterActor,
  dataSourceActor,
  jobBinaryActor,
  jobActor,
  jobExecutionActor,
  jobScheduleActor,
  nodeGroupActor,
];
