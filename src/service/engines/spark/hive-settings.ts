// The settings of Hive in programs of Spark: where the tables are, what describes them, and what only one program uses. PURE.
import { join } from 'node:path';
import type { FlatConfigs } from '../../../wire/common.ts';
import type { EngineNode } from '../engine.ts';
import { hdfsUrl } from '../hadoop/hdfs.ts';

interface HivePlace {
  /** The folder of the metastore. One program at a time can open it. */
  readonly place: string;
  /** A folder that only this program uses. Programs on one computer would share the usual ones. */
  readonly temporary: string;
}

/** The tables are in HDFS, or else beside the metastore. */
export function hiveSettings(nodes: readonly EngineNode[], { place, temporary }: HivePlace): FlatConfigs {
  const hdfs = hdfsUrl(nodes);
  const warehouse =
    hdfs === undefined ? `file://${encodeURI(join(place, 'warehouse'))}` : `${hdfs}/user/hive/warehouse`;
  return {
    'spark.sql.warehouse.dir': warehouse,
    'spark.hadoop.javax.jdo.option.ConnectionURL': `jdbc:derby:;databaseName=${join(place, 'metastore')};create=true`,
    'spark.hadoop.hive.exec.scratchdir': `file://${encodeURI(join(temporary, 'scratch'))}`,
    'spark.hadoop.hive.exec.local.scratchdir': join(temporary, 'local'),
    'spark.hadoop.hive.querylog.location': join(temporary, 'log'),
  };
}
