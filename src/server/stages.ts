// The stages of each operation on a cluster, by dialect, as data: which word is shown, and what is done before the next one.
import type { Dialect } from '../wire/dialect.ts';
import type { Work } from './records.ts';

/**
 * What happens at the end of a stage. `shrink`: surplus machines go. `name`: missing machines get identifiers and names.
 * `launch`: machines without addresses come up. `configure`: processes start. `vanish`: everything goes.
 */
export type Deed = 'nothing' | 'shrink' | 'name' | 'launch' | 'configure' | 'vanish';
export interface Stage {
  readonly status: string;
  readonly deed: Deed;
  /** Skipped by a scale that adds no machine. */
  readonly onlyGrowing?: boolean;
}
type Operation = Work['operation'];

const stage = (status: string, deed: Deed = 'nothing'): Stage => ({ status, deed });
const growing = (status: string, deed: Deed): Stage => ({ status, deed, onlyGrowing: true });

const settingUp = [stage('Preparing'), stage('Configuring', 'configure'), stage('Starting')];
const remove = [stage('Deleting', 'vanish')];

/** Section 3 shows Waiting for a start and Validating for a scale; the rest follows what upstream was seen to do. */
const stagesOf: Readonly<Record<Dialect, Readonly<Record<Operation, readonly Stage[]>>>> = {
  neutral: {
    start: [stage('Waiting', 'launch'), ...settingUp],
    scale: [
      stage('Validating'),
      stage('Decommissioning', 'shrink'),
      stage('Scaling', 'name'),
      growing('Waiting', 'launch'),
      growing('Configuring', 'configure'),
    ],
    delete: remove,
  },
  sahara: {
    start: [
      stage('Validating'),
      stage('InfraUpdating'),
      stage('Spawning', 'name'),
      stage('Waiting', 'launch'),
      ...settingUp,
    ],
    scale: [
      stage('Validating'),
      stage('Decommissioning', 'shrink'),
      stage('Scaling'),
      stage('Scaling: Spawning', 'name'),
      stage('Scaling: Waiting', 'launch'),
      stage('Scaling: Preparing'),
      growing('Configuring', 'configure'),
    ],
    delete: remove,
  },
  savanna: {
    start: [stage('Validating'), stage('Spawning', 'name'), stage('Waiting', 'launch'), ...settingUp],
    scale: [
      stage('Validating'),
      stage('Decommissioning', 'shrink'),
      stage('Scaling', 'name'),
      growing('Adding Instances', 'launch'),
      growing('Configuring', 'configure'),
    ],
    delete: remove,
  },
};

/** The stage that the work is in; undefined when it is through. */
export function stageOf(dialect: Dialect, work: Work): Stage | undefined {
  return stagesOf[dialect][work.operation][work.stage];
}

/** The same work one stage on, passing over those that have nothing to do. */
export function nextWork(dialect: Dialect, work: Work): Work {
  const next = { ...work, stage: work.stage + 1 };
  const skip = next.operation === 'scale' && !next.grows && stageOf(dialect, next)?.onlyGrowing === true;
  return skip ? nextWork(dialect, next) : next;
}

/** The words in which a cluster of this dialect stays for a while. */
export const statusWords = (dialect: Dialect): readonly string[] => [
  ...new Set(Object.values(stagesOf[dialect]).flatMap((stages) => stages.map(({ status }) => status))),
];
