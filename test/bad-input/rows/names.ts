// Names that Kubernetes takes and the service would not: what becomes of them over there.
import { byTemplate, cluster, clusterSpec, ofCluster, template, worker, workerSpec } from '../parts.ts';
import type { Part, TroubleRow } from '../row.ts';

/** As long as Kubernetes allows, with a dot now and then; the row's own part is short. */
const longest = `@.${'abcdefghi.'.repeat(24)}z`;
const clusterTag = '[a-z2-7]{12}';
const templateTag = '[a-z2-7]{20}';

interface Named {
  readonly name: string;
  readonly called: string;
  /** What the beginning of the external name must be: of a cluster, of a template. */
  readonly cluster: string;
  readonly template: string;
}

const names: readonly Named[] = [
  { name: 'begins with a digit', called: '9lives-@', cluster: 'c9lives-@', template: 'c9lives-@' },
  { name: 'contains dots', called: 'a.b.c-@', cluster: 'a-b-c-@', template: 'a-b-c-@' },
  { name: 'is all digits and dots', called: '1.2.3.@', cluster: 'c1-2-3-@', template: 'c1-2-3-@' },
  { name: 'is as long as Kubernetes allows', called: longest, cluster: '@-[a-z-]{4,13}', template: '@-[a-z-]{6,18}' },
];

const available = (kind: string, name: string) =>
  ({ kind, name, status: 'True', reason: 'Available', says: /what the spec asks for/ }) as const;

const rowOf = (part: Part, name: string, externalName: RegExp): TroubleRow => ({
  name: `a name of a ${part.kind} that ${name}`,
  parts: [part],
  told: [available(part.kind, part.name)],
  externalName,
  deletable: 'during',
  made: 1,
});

export const namesRows: readonly TroubleRow[] = [
  ...names.flatMap(({ name, called, cluster: ofCluster, template }) => [
    rowOf({ kind: 'Cluster', name: called, spec: clusterSpec }, name, new RegExp(`^${ofCluster}-${clusterTag}$`)),
    rowOf(
      { kind: 'NodeGroupTemplate', name: called, spec: workerSpec },
      name,
      new RegExp(`^${template}-${templateTag}$`),
    ),
  ]),
  {
    ...rowOf(
      cluster({ nodeGroups: [{ ...clusterSpec.nodeGroups[0], name: 'g'.repeat(30) }] }),
      'leaves little room beside its group',
      new RegExp(`^@-?[a-z]?-${clusterTag}$`),
    ),
  },
  rowOf(
    worker({ name: 'workers' }),
    'is not what the names over there are to begin with',
    new RegExp(`^workers-${templateTag}$`),
  ),
  { ...rowOf(cluster({ name: 'Fixed.@' }), 'is not the one that is fixed for over there', /^Fixed\.@$/), made: 2 },
  {
    name: 'a fixed name that is too long beside a group of the template',
    parts: [
      template({ nodeGroups: [{ ...clusterSpec.nodeGroups[0], name: 'g'.repeat(30) }] }),
      {
        kind: 'Cluster',
        name: '@-etl',
        spec: { ...byTemplate, defaultImageID: clusterSpec.defaultImageID, name: 'n'.repeat(20) },
      },
    ],
    told: [
      ofCluster(
        'InvalidSpec',
        /spec\.name: n+ and the node group g+ together exceed 49 characters.*use a shorter cluster name/,
      ),
    ],
    deletable: 'during',
    made: 1,
  },
  rowOf(worker(), 'is plain', new RegExp(`^@-worker-${templateTag}$`)),
];
