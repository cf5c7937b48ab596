// Reads the rows of the data file as records, and reports a damaged row with a remedy.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { messageOf } from '../../../lib/errors.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { titles } from '../checks/request-checks.ts';
import type { ExecutionWork, Kind, Records, Work } from '../records/records.ts';
import { clusterStages } from '../stages/cluster-stages.ts';
import { executionStages } from '../stages/execution-stages.ts';

const text = z.string();
const texts = z.array(text);
const fields = z.record(text, z.unknown());
const identity = { id: text, name: text };
const dated = { ...identity, created_at: text };
const ofPlugin = { ...dated, plugin_name: text, bigdata_version: text };

const shape = {
  flavor_id: text,
  node_processes: texts,
  node_configs: fields,
  volumes_per_node: z.number(),
  volumes_size: z.number(),
  volume_mount_prefix: text,
};
const group = z.looseObject({ ...identity, ...shape, count: z.int() });
const machine = z.looseObject({ instance_id: text, instance_name: text });
const clusterGroup = z.looseObject({ ...group.shape, created: text, updated: text, instances: z.array(machine) });
const definition = { ...ofPlugin, cluster_configs: fields, anti_affinity: texts };
const targets = z.record(text, z.number());

const clusterWork = z
  .discriminatedUnion('operation', [
    z.looseObject({ operation: z.literal('start'), stage: text, targets: targets.optional(), failed: text.optional() }),
    z.looseObject({
      operation: z.literal('scale'),
      stage: text,
      targets,
      grows: z.boolean(),
      shrinks: z.boolean(),
      before: targets.optional(),
      failed: text.optional(),
    }),
    z.looseObject({ operation: z.enum(['delete', 'repair']), stage: text }),
  ])
  .optional();
const executionWork = z
  .discriminatedUnion('operation', [
    z.looseObject({ operation: z.enum(['run', 'cancel', 'delete', 'forget']), stage: text }),
    z.looseObject({ operation: z.literal('fail'), stage: text, message: text }),
  ])
  .optional();
const binaries = z.array(z.looseObject({ ...identity, url: text }));

/** Loose: fields that are not listed are passed on as they are, and nothing depends on their form. */
const schemas = {
  images: z.looseObject({ ...identity, tags: texts }),
  nodeGroupTemplates: z.looseObject({ ...ofPlugin, ...shape }),
  clusterTemplates: z.looseObject({ ...definition, node_groups: z.array(group) }),
  clusters: z.looseObject({
    ...definition,
    status: text,
    info: fields,
    updated_at: text,
    node_groups: z.array(clusterGroup),
    work: clusterWork,
  }),
  dataSources: z.looseObject({ ...dated, type: text, url: text }),
  jobBinaryInternals: z.looseObject({ ...dated, datasize: z.int() }),
  jobBinaries: z.looseObject({ ...dated, url: text }),
  jobs: z.looseObject({ ...dated, type: text, mains: texts, libs: texts, interface: z.array(fields) }),
  jobExecutions: z.looseObject({
    ...dated,
    job_id: text,
    job_configs: fields,
    interface: fields,
    info: z.looseObject({ status: text }),
    data_source_urls: z.record(text, text),
    urls: z.record(text, text).optional(),
    prepared: z
      .looseObject({ mains: binaries, libs: binaries, references: z.record(text, text).optional() })
      .optional(),
    work: executionWork,
  }),
} satisfies Readonly<Record<Kind, z.ZodType>>;

const isKind = (text: string): text is Kind => Object.hasOwn(schemas, text);

const hasStage = (dialect: Dialect, kind: Kind, work: unknown): boolean =>
  kind === 'clusters'
    ? clusterStages.find(dialect, work as Work) !== undefined
    : executionStages.find(dialect, work as ExecutionWork) !== undefined;

/** The problem of the record, if it has one. Quotes nothing, because records can contain secrets. */
function findFlaw(dialect: Dialect, kind: Kind, record: unknown): string | undefined {
  const result = schemas[kind].safeParse(record);
  if (!result.success) {
    const [{ path, message } = { path: [], message: 'it cannot be used' }] = result.error.issues;
    return path.length === 0 ? message : `${path.join('.')}: ${message}`;
  }
  const { work } = result.data;
  if (work === undefined || hasStage(dialect, kind, work)) return undefined;
  return 'work.stage: the operation has no stage of this name in this release';
}

/** The row as a record. Throws an Error that describes the problem. */
function readRecord<K extends Kind>(dialect: Dialect, kind: K, body: string): Records[K] {
  let record: unknown;
  try {
    record = JSON.parse(body);
  } catch {
    // The message of the parser would quote the row.
    throw new Error('it is not JSON');
  }
  const flaw = findFlaw(dialect, kind, record);
  if (flaw !== undefined) throw new Error(flaw);
  return record as Records[K];
}

interface StoredRecord {
  readonly kind: Kind;
  readonly tenant: string;
  readonly record: Records[Kind];
}

interface StoredRow {
  readonly position: number;
  readonly kind: string;
  readonly tenant: string;
  readonly id: string;
  readonly body: string;
}

/** Describes the damaged row, the problem and the remedy. */
function damaged(database: DatabaseSync, { position, kind, tenant, id }: StoredRow, why: string): string {
  const what = isKind(kind) ? titles[kind] : kind;
  const remedy = `give the row up with sqlite3 ${database.location()} "DELETE FROM record WHERE position = ${position}"`;
  return `row ${position}, ${what} ${id} of tenant ${tenant}, is damaged: ${why}; restore the file from a backup, or ${remedy}`;
}

function readRow({ kind, tenant, id, body }: StoredRow, dialect: Dialect): StoredRecord {
  if (!isKind(kind)) throw new Error('there are no such resources');
  const record = readRecord(dialect, kind, body);
  if (record.id !== id) throw new Error('id: it is not that of the row');
  return { kind, tenant, record };
}

// Earlier releases stored labels of plugins.
const everything = "SELECT position, kind, tenant, id, body FROM record WHERE kind <> 'pluginLabels'";
const withoutBytes = `${everything} AND kind = 'jobBinaryInternals' AND NOT EXISTS (
  SELECT 1 FROM content WHERE content.tenant = record.tenant AND content.id = record.id)`;

/** The records in order of creation. Throws at the first damaged row. */
export function* readRows(database: DatabaseSync, dialect: Dialect): Generator<StoredRecord> {
  // The table is STRICT, so SQLite has checked the types of its columns.
  const [lost] = database.prepare(withoutBytes).all() as unknown as readonly StoredRow[];
  if (lost !== undefined) throw new Error(damaged(database, lost, 'its bytes are missing'));
  for (const each of database.prepare(`${everything} ORDER BY position`).iterate()) {
    const row = each as unknown as StoredRow;
    let stored: StoredRecord;
    try {
      stored = readRow(row, dialect);
    } catch (cause) {
      throw new Error(damaged(database, row, messageOf(cause)), { cause });
    }
    yield stored;
  }
}
