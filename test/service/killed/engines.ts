// What the service is killed with: the tiny engine, or a real one.
import { realpathSync } from 'node:fs';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { createHadoop } from '../../../src/service/engines/hadoop/hadoop.ts';
import { javaHomeOf } from '../../../src/service/engines/homes/java.ts';
import { createSpark } from '../../../src/service/engines/spark/spark.ts';
import { drainingEngine } from '../backends/processes/clusters/tiny-engine.ts';

interface Installed {
  readonly folder: string;
  readonly java: string;
  readonly version: string;
}

export type Subject = { readonly is: 'tiny' } | ({ readonly is: 'spark' | 'hadoop' } & Installed);

export interface MortalOptions {
  readonly root: string;
  readonly machines: string;
  readonly subject: Subject;
}

export function openEngine(subject: Subject): { readonly engine: Engine; readonly version: string } {
  if (subject.is === 'tiny')
    return { engine: drainingEngine('vanilla', '1.2', ['namenode', 'datanode']), version: '1.2.1' };
  const { folder, java, version } = subject;
  if (subject.is === 'spark') return { engine: createSpark({ folder, java }), version };
  return { engine: createHadoop({ folder, java, javaHome: javaHomeOf(realpathSync(java)) }), version };
}

/** Which processes the machines of a cluster have. `each`: how many processes of the computer one of them is. */
export const layouts = {
  tiny: { head: ['namenode'], worker: ['datanode'], each: 2 },
  spark: { head: ['master'], worker: ['slave'], each: 1 },
  hadoop: { head: ['namenode', 'resourcemanager'], worker: ['datanode', 'nodemanager'], each: 1 },
} as const satisfies Record<Subject['is'], object>;
