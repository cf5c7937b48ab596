// Services that do wrong: from the first request on, or from the moment in which something is made.
import type { Fault, Match } from '../../support/service/service-proxy.ts';
import { narrowTenant, planted } from '../bench.ts';
import {
  cluster,
  clusterSpec,
  image,
  none,
  ofCluster,
  ofConnection,
  ofWorker,
  secret,
  tokenFrom,
  worker,
} from '../parts.ts';
import type { TroubleRow } from '../row.ts';
import { type Misbehaviour, misbehaviours } from './misbehaviours.ts';

/** Who waits for an answer that never comes need not wait long; on the fast clock, good answers have half a second. */
const impatient = ({ act }: Fault) => (act === 'hang' ? { connection: { timeoutSeconds: 3 } } : {});

/** From the first request on: the Connection says it, its dependents wait for it, and everything can go. */
const fromTheStart: readonly TroubleRow[] = misbehaviours.map(({ name, does, reason, says }) => ({
  name,
  ...impatient(does),
  fault: { does, from: 'start' },
  parts: [worker(), cluster()],
  told: [ofConnection(reason, says), ofWorker('DependencyNotReady', says), ofCluster('DependencyNotReady', says)],
  ...none,
}));

/** The service is fine until something is to be made. */
const whenMaking = ({ name, does, reason, says, harmless }: Misbehaviour): TroubleRow => ({
  name: `${name}, to a create`,
  ...impatient(does),
  fault: { does, from: 'ready', method: 'POST' },
  parts: [worker()],
  told: [ofWorker(reason, says)],
  deletable: harmless ? 'during' : 'after',
  made: 0,
});

/** The same to a registration. The image is there all the same, so nothing has to be waited for when it goes. */
const whenRegistering = ({ name, does, reason, says }: Misbehaviour): TroubleRow => ({
  name: `${name}, to a registration`,
  ...impatient(does),
  fault: { does, from: 'ready', method: 'POST', collection: 'images' },
  parts: [image(), cluster({ defaultImageID: undefined, imageRef: { name: '@-image' } })],
  told: [
    { kind: 'ImageRegistration', name: '@-image', reason, says },
    ofCluster('DependencyNotReady', /ImageRegistration @-image/),
  ],
  ...none,
});

/** The service is fine until something is to be changed. However often: nothing says that the change has no effect. */
const whenScaling = ({ name, does, reason, says }: Misbehaviour): TroubleRow => ({
  name: `${name}, to a scaling`,
  ...impatient(does),
  fault: { does, from: 'edit', method: 'PUT' },
  parts: [cluster()],
  edit: { ...clusterSpec, nodeGroups: clusterSpec.nodeGroups.map((group) => ({ ...group, count: 2 })) },
  told: [ofCluster(reason, says)],
  deletable: 'during',
  made: 1,
});

/** Whether it was heard is not known, so it is waited for and asked for again. */
const whenDeleting = ({ name, does, reason, says, harmless, object }: Misbehaviour): TroubleRow => ({
  name: `${name}, to a deletion`,
  ...impatient(does),
  fault: { does, from: 'delete', method: 'DELETE' },
  parts: [worker()],
  told: [
    {
      kind: 'NodeGroupTemplate',
      name: '@-worker',
      reason: harmless ? reason : 'Deleting',
      says: object ? /waiting for the service to delete it/ : says,
    },
  ],
  deletable: 'after',
  made: 1,
});

const later = (which: readonly Misbehaviour[]): readonly TroubleRow[] =>
  [whenMaking, whenRegistering, whenScaling, whenDeleting].flatMap((rowOf) => which.map(rowOf));

const wrongToken = 'Check the token in Secret @, and spec.tenantID of Connection @';
const large = { x: Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`key-${n}`, n])) };

/** The list has an entry more, which is too large to be read. */
const withEntry = (identity: object): Match & { readonly does: Fault } => ({
  does: {
    act: 'rewrite',
    reply: (real) => {
      const { node_group_templates: rows = [] } = JSON.parse(real.body ?? '{}') as {
        readonly node_group_templates?: readonly object[];
      };
      return {
        ...real,
        body: JSON.stringify({ node_group_templates: [{ node_configs: large, ...identity }, ...rows] }),
      };
    },
  },
  method: 'GET',
  collection: 'node-group-templates',
  single: false,
});

/** Of the other misbehaviours. */
export const furtherEndpointRows: readonly TroubleRow[] = later(misbehaviours.filter(({ stands }) => !stands));

export const endpointRows: readonly TroubleRow[] = [
  ...fromTheStart,
  ...later(misbehaviours.filter(({ stands }) => stands)),
  {
    name: 'an entry of several MB in a list, of somebody else',
    fault: { ...withEntry({ id: '00000000-0000-0000-0000-000000000009', name: 'of-somebody-else' }), from: 'start' },
    parts: [worker()],
    told: [{ kind: 'NodeGroupTemplate', name: '@-worker', status: 'True', reason: 'Available', says: /.*/ }],
    deletable: 'during',
    made: 1,
  },
  {
    name: 'an entry of several MB in a list that may be of anybody, to a deletion',
    fault: { ...withEntry({}), from: 'delete' },
    parts: [worker()],
    told: [
      ofWorker(
        'Deleting',
        /cannot be read \(it is too large to be read \(\d{4} KiB\).*Shorten or delete it in the service\)/,
      ),
    ],
    deletable: 'after',
    made: 0,
  },
  {
    name: 'nobody listens',
    connection: { endpoint: 'http://127.0.0.1:9' },
    parts: [worker()],
    told: [
      ofConnection('UpstreamError', /http:\/\/127\.0\.0\.1:9: .*connection refused/),
      ofWorker('DependencyNotReady', /Connection @ is not ready: .*connection refused/),
    ],
    ...none,
  },
  {
    name: 'a host name that does not exist',
    connection: { endpoint: 'http://nowhere.invalid' },
    parts: [worker()],
    told: [
      ofConnection(
        'UpstreamError',
        /its host name cannot be resolved\. Check spec.endpoint, and whether the service runs/,
      ),
    ],
    ...none,
  },
  {
    name: 'https to a service without it',
    connection: { endpoint: 'https://@service' },
    parts: [worker()],
    told: [ofConnection('UpstreamError', /the server does not speak TLS: use http:\/\/ in the endpoint/)],
    ...none,
  },
  {
    name: 'a wrong token',
    secrets: [secret('@', { token: planted.wrong })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      ofConnection(
        'Unauthorized',
        new RegExp(
          `cannot use the service at http://.*: the service does not accept the token: [^.]*\\. ${wrongToken}$`,
        ),
      ),
      ofWorker('DependencyNotReady', new RegExp(wrongToken)),
    ],
    ...none,
  },
  {
    name: 'no token where one is needed',
    connection: { auth: { type: 'None' } },
    parts: [worker()],
    told: [ofConnection('Unauthorized', /X-Auth-Token is missing.*Set spec\.auth of Connection @/)],
    ...none,
  },
  {
    name: `a token of the tenant ${narrowTenant} only`,
    secrets: [secret('@', { token: planted.narrow })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [ofConnection('Unauthorized', new RegExp(`the token is for another tenant.*${wrongToken}`))],
    ...none,
  },
  {
    name: 'a token that no header can carry',
    secrets: [secret('@', { token: `two\nlines ${planted.wrong}` })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [ofConnection('Unauthorized', /the token has characters that are not allowed in a header/)],
    ...none,
  },
];
