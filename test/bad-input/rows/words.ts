// Services that work and say strange things: status words nobody knows, texts and counts beyond every measure.
import type { Fault } from '../../support/service/service-proxy.ts';
import { cluster, ofCluster, worker } from '../parts.ts';
import type { TroubleRow } from '../row.ts';

type Row = Record<string, unknown>;

/** Changes each row of an answer, alone or in a list. */
const changed = (change: (row: Row) => Row): Fault => ({
  act: 'rewrite',
  reply: (real) => {
    if (real.status >= 300 || real.body === '') return real;
    const json = JSON.parse(real.body) as Record<string, Row | Row[]>;
    const entries = Object.entries(json).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map(change) : change(value),
    ]);
    return { ...real, body: JSON.stringify(Object.fromEntries(entries)) };
  },
});

const said = (row: Row): Fault => changed((real) => ({ ...real, ...row }));
const long = (length: number) => 'w'.repeat(length);
const cut = (length: number) => `${long(length - 1)}…`;

export const wordRows: readonly TroubleRow[] = [
  {
    name: 'an unknown status word',
    fault: { does: said({ status: 'Pondering' }), from: 'start', collection: 'clusters' },
    parts: [cluster()],
    told: [ofCluster('Provisioning', /Pondering/)],
    status: { externalStatus: 'Pondering' },
    deletable: 'during',
    made: 1,
  },
  {
    name: 'a status word that is longer than any status',
    fault: {
      does: said({ status: long(5_000), status_description: long(50_000) }),
      from: 'start',
      collection: 'clusters',
    },
    parts: [cluster()],
    told: [ofCluster('Provisioning', /ww…"/)],
    status: { externalStatus: cut(255) },
    deletable: 'during',
    made: 1,
  },
  {
    name: 'half a character in a status word',
    fault: { does: said({ status: 'a\uD83Eb' }), from: 'start', collection: 'clusters' },
    parts: [cluster()],
    told: [ofCluster('Provisioning', /a\uFFFDb/)],
    status: { externalStatus: 'a\uFFFDb' },
    deletable: 'during',
    made: 1,
  },
  {
    name: 'counts beyond 32 bits, and a flood of endpoints and machines',
    fault: {
      does: changed((row) => ({
        ...row,
        status: 'Busy',
        node_groups: [
          {
            name: 'all',
            count: 2 ** 40,
            instances: Array.from({ length: 300 }, (_, n) => ({
              instance_name: long(700),
              instance_id: `${n}`,
              internal_ip: long(500),
            })),
          },
          { name: long(2_000), count: -(2 ** 40) },
        ],
        info: Object.fromEntries(
          Array.from({ length: 250 }, (_, n) => [`t${n}`, { [long(400)]: long(2_100).slice(n % 9) }]),
        ),
      })),
      from: 'start',
      collection: 'clusters',
    },
    parts: [cluster()],
    told: [ofCluster('Provisioning', /Busy/)],
    status: { externalStatus: 'Busy' },
    deletable: 'during',
    made: 1,
  },
  {
    name: 'sizes of a template beyond 32 bits',
    fault: {
      does: said({ volumes_size: 2 ** 50, volumes_per_node: -(2 ** 50), volume_mount_prefix: long(5_000) }),
      from: 'start',
      collection: 'node-group-templates',
    },
    parts: [worker()],
    told: [
      {
        kind: 'NodeGroupTemplate',
        name: '@-worker',
        status: 'True',
        reason: 'Available',
        says: /what the spec asks for/,
      },
    ],
    status: { volumesSize: 2 ** 31 - 1, volumesPerNode: -(2 ** 31), volumeMountPrefix: cut(255) },
    deletable: 'during',
    made: 1,
  },
  {
    name: 'plugins with endless names',
    fault: {
      does: changed((row) => ({ ...row, name: long(1_000), versions: [long(1_000)] })),
      from: 'start',
      collection: 'plugins',
    },
    parts: [worker()],
    told: [{ kind: 'Connection', name: '@', status: 'True', reason: 'Available', says: /the service answers/ }],
    deletable: 'during',
    made: 1,
  },
  {
    name: 'a cluster that fails and tells why',
    fault: {
      does: said({ status: 'Error', status_description: 'No valid host was found\nError ID: 1f0c-77' }),
      from: 'start',
      collection: 'clusters',
    },
    parts: [cluster()],
    told: [ofCluster('ExternalError', /No valid host was found/)],
    status: { externalStatus: 'Error' },
    deletable: 'during',
    made: 1,
  },
];
