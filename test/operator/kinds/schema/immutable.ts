// Every field that cannot change, of every kind: changed, taken away, set later. The fields come from the schemas themselves.
import { z } from 'zod';
import type { AnyDefinition } from '../../../../src/operator/api/definition.ts';
import { keywords, type Rule } from '../../../../src/operator/api/keywords.ts';
import { clusterTemplate } from '../../../../src/operator/kinds/cluster-template/schema.ts';
import { dataSource } from '../../../../src/operator/kinds/data-source/schema.ts';
import { job } from '../../../../src/operator/kinds/job/schema.ts';
import { jobBinary } from '../../../../src/operator/kinds/job-binary/schema.ts';
import { jobSchedule } from '../../../../src/operator/kinds/job-schedule/schema.ts';
import { nodeGroupTemplate } from '../../../../src/operator/kinds/node-group-template/schema.ts';
import { definitions, type Kind, type Spec } from './api.ts';
import { identifiedRun, largest, otherUuid, ownRun, standalone, uuid } from './samples.ts';

/** An edit that the API server refuses, however it is sent. */
export interface Edit {
  readonly name: string;
  readonly kind: Kind;
  readonly before: Spec;
  readonly spec: Spec;
  /** The field to blame. */
  readonly field: string;
  readonly says: RegExp;
}

type Ours = (typeof definitions)[number];

/** Objects that together have every field set. */
const samples: Readonly<Record<string, readonly Spec[]>> = {
  ...Object.fromEntries(Object.entries(largest).map(([kind, spec]) => [kind, [spec]])),
  // Neutral is what an unset dialect means.
  Connection: [{ ...largest.Connection, dialect: 'Sahara' }],
  SharedConnection: [{ ...largest.SharedConnection, dialect: 'Sahara' }],
  Cluster: [
    { ...standalone, clusterTemplateRef: { name: 'small' } },
    { ...standalone, adopt: { id: uuid } },
    { ...standalone, clusterTemplateID: uuid, imageRef: { name: 'ubuntu' } },
    largest.Cluster,
  ],
  JobExecution: [largest.JobExecution, identifiedRun, ownRun],
};

/** An edit of it makes another object in the service. */
function contentOf({ spec }: AnyDefinition): readonly string[] {
  return Object.keys(spec.shape).filter((field) => !['connectionRef', 'adopt', 'name'].includes(field));
}

/** Of kinds whose objects in the service are kept as wanted. */
const freeInKept = ['policy', 'suspend', 'onExternalDelete'];

const ofConnections = ['formerEndpoints', 'auth', 'tls', 'timeoutSeconds', 'limits', 'pollSeconds'];

/** What may change in place. A field that is neither here nor fixed by a rule is a mistake. */
const free: Readonly<Record<string, readonly string[]>> = {
  Connection: ofConnections,
  SharedConnection: [...ofConnections, 'credentialsNamespace', 'namespaces', 'namespaceSelector', 'allowAdopt'],
  ImageRegistration: ['username', 'description', 'tags', ...freeInKept],
  NodeGroupTemplate: contentOf(nodeGroupTemplate),
  ClusterTemplate: contentOf(clusterTemplate),
  DataSource: contentOf(dataSource),
  Job: contentOf(job),
  JobBinary: contentOf(jobBinary),
  Cluster: ['nodeGroups', 'lifecycle', ...freeInKept],
  JobExecution: ['policy', 'cancel', 'suspend', 'ttlSecondsAfterFinished', 'onUnknown'],
  JobSchedule: contentOf(jobSchedule),
  NodeGroup: ['count', 'autoscaling'],
};
/** What a log-in told may be written down later: where everything was made is known. */
const settable: Readonly<Record<string, readonly string[]>> = {
  Connection: ['endpoint', 'tenantID'],
  SharedConnection: ['endpoint', 'tenantID'],
};
/** It comes and goes: what is recorded counts. */
const passing: readonly string[] = ['adopt'];
/** One of several fields is always there, so that none of them can be set later. */
const always: Readonly<Record<string, readonly string[]>> = {
  JobExecution: ['jobRef', 'jobID', 'job', 'clusterRef', 'clusterID', 'cluster'],
};
const freeInAll = ['deletionPolicy', 'progressDeadlineSeconds'];

const updateRules = (schema: z.ZodType): readonly Rule[] =>
  (keywords.get(schema)?.['x-kubernetes-validations'] ?? []).filter(({ rule }) => rule.includes('oldSelf'));

/** Fields that a rule on updates blames: by their path, or in the words of its message. */
function fixedFields(schema: z.ZodType): readonly string[] {
  const blamed = updateRules(schema).flatMap(({ fieldPath, messageExpression = '' }) => [
    ...(fieldPath === undefined ? [] : [fieldPath.slice(1)]),
    ...[...messageExpression.matchAll(/'(\w+)'/g)].map(([, name = '']) => name),
  ]);
  return [...new Set(blamed)];
}

/** Where the refusal of such an edit points: at the field, where a rule sees that alone, or at the object that it is in. */
function blamedPath(schema: z.ZodType, how: string, [within, name]: readonly [string, string]): string {
  const rules = updateRules(schema);
  const byPath = rules.some(({ fieldPath }) => fieldPath === `.${name}`);
  const byValue = how === 'changed' && rules.some(({ field }) => field === name);
  return byPath || byValue ? `${within}.${name}` : within;
}

/** Fields that nothing here says of whether they may change, or that no sample sets. */
export function unjudgedFields({ kind, spec }: AnyDefinition): readonly string[] {
  const fixed = fixedFields(spec);
  const judged = [...fixed, ...freeInAll, ...(free[kind] ?? [])];
  const sampled = (field: string) => samples[kind]?.some((sample) => field in sample) === true;
  return Object.keys(spec.shape).filter(
    (field) => !judged.includes(field) || (fixed.includes(field) && !sampled(field)),
  );
}

/** Words of every refusal: that it cannot be, and what to do instead. */
const remedied = (field: string): RegExp =>
  new RegExp(`(\\b${field}\\b.* is immutable.*; |can change only if .*; ).*(create another|add )`);

function rowsOfSpec({ kind, spec }: Ours): readonly Edit[] {
  const row = (how: string, field: string, [before, after]: readonly [Spec, Spec]): Edit => ({
    name: `${kind}: ${field} ${how}`,
    kind,
    before,
    spec: after,
    field: blamedPath(spec, how, ['spec', field]),
    says: remedied(field),
  });
  return (
    fixedFields(spec)
      // The count of a NodeGroup is fixed only while it is autoscaled; the tests of the scale subresource have that.
      .filter((field) => field !== 'nodeGroups' && field !== 'count')
      .flatMap((field) => {
        const full = (samples[kind] ?? []).find((sample) => field in sample) ?? {};
        const optional = spec.shape[field]?.safeParse(undefined).success === true;
        const settles = settable[kind]?.includes(field) === true || passing.includes(field);
        return [
          row('changed', field, [full, { ...full, [field]: another(full[field]) }]),
          ...(optional && !passing.includes(field) ? [row('removed', field, [full, without(full, field)])] : []),
          ...(optional && !settles && always[kind]?.includes(field) !== true
            ? [row('set', field, [without(full, field), full])]
            : []),
        ];
      })
  );
}

/** The same for the entries of a list of node groups. */
function rowsOfGroups({ kind, spec }: Ours): readonly Edit[] {
  const element = elementOf(spec.shape['nodeGroups'] as z.ZodType | undefined);
  const sample = samples[kind]?.at(-1) ?? {};
  const [full, ...others] = (sample['nodeGroups'] ?? []) as readonly Spec[];
  if (element === undefined || full === undefined) return [];
  const fields = fixedFields(element).filter((field) => field in full);
  const spread = (group: Spec): Spec => ({ ...sample, nodeGroups: [group, ...others] });
  const row = (how: string, field: string, [before, after]: readonly [Spec, Spec]): Edit => ({
    name: `${kind}: ${field} of a node group ${how}`,
    kind,
    before: spread(before),
    spec: spread(after),
    field: blamedPath(element, how, ['spec.nodeGroups[0]', field]),
    says: remedied(field),
  });
  const needed = ['count', 'flavorID', 'nodeProcesses'];
  return fields.flatMap((field) => [
    row('changed', field, [full, { ...full, [field]: another(full[field]) }]),
    ...(needed.includes(field)
      ? []
      : [row('removed', field, [full, without(full, field)]), row('set', field, [without(full, field), full])]),
  ]);
}

function elementOf(schema: z.ZodType | undefined): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional) return elementOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : undefined;
}

const without = (spec: Spec, field: string): Spec =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => key !== field));

/** Another value of the same form. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...(value as readonly unknown[]), isObject(value[0]) ? another(value[0]) : 'other'];
  if (isObject(value)) return mapValues(value, another);
  return anotherText(String(value));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function anotherText(text: string): string {
  if (text === uuid) return otherUuid;
  if (text === 'Sahara') return 'Savanna';
  if (text === 'Spark') return 'Shell';
  if (text === 'Connection') return 'SharedConnection';
  return `${text}x`;
}

const mapValues = (object: object, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

export const immutableEdits: readonly Edit[] = definitions.flatMap((definition) => [
  ...rowsOfSpec(definition),
  ...rowsOfGroups(definition),
]);
