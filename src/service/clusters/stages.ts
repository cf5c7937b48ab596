// The stages of each operation on a cluster, by dialect, as data: which word is shown, and what is done before the next one.
import type { Dialect } from '../../wire/dialect.ts';
import type { Work } from '../records/records.ts';

/**
 * What happens at the end of a stage. `shrink`: surplus machines go. `name`: missing machines get identifiers and names.
 * `launch`: machines without addresses come up. `drop`: groups without machines go. `configure`: processes start. `vanish`: everything goes.
 */
export type StageAction = 'nothing' | 'shrink' | 'name' | 'launch' | 'drop' | 'configure' | 'vanish';
export interface Stage {
  readonly status: string;
  readonly deed: StageAction;
  /** Skipped by a scale that adds no machine, or takes none away. */
  readonly only?: 'growing' | 'shrinking';
  /** What a failure here leads to, besides the usual end of the operation: the machines go, or a scale ends in Error, too. */
  readonly failure?: 'removes' | 'Error';
}
type Operation = Work['operation'];

const stage = (status: string, deed: StageAction = 'nothing'): Stage => ({ status, deed });
const growing = (status: string, deed: StageAction): Stage => ({ status, deed, only: 'growing' });
const shrinking = (status: string, deed: StageAction = 'nothing'): Stage => ({ status, deed, only: 'shrinking' });
const making = (status: string, deed: StageAction = 'nothing'): Stage => ({ status, deed, failure: 'removes' });
const fatal = (of: Stage): Stage => ({ ...of, failure: 'Error' });

const settingUp = [making('Preparing'), stage('Configuring', 'configure'), stage('Starting')];
const upstreamStart = [
  stage('Validating'),
  stage('InfraUpdating'),
  making('Spawning', 'name'),
  making('Waiting', 'launch'),
  ...settingUp,
];
const remove = [stage('Deleting', 'vanish')];

/** Section 3 shows Waiting for a start and Validating for a scale; the rest follows what upstream was seen to do. */
const stagesOf: Readonly<Record<Dialect, Readonly<Record<Operation, readonly Stage[]>>>> = {
  neutral: {
    start: [making('Waiting', 'launch'), ...settingUp],
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
    start: upstreamStart,
    scale: [
      stage('Validating'),
      stage('Decommissioning'),
      stage('Scaling', 'shrink'),
      stage('Scaling: Spawning', 'name'),
      stage('Scaling: Waiting', 'launch'),
      stage('Scaling: Preparing', 'drop'),
      growing('Configuring', 'configure'),
    ],
    delete: remove,
  },
  savanna: {
    start: upstreamStart,
    scale: [
      stage('Validating'),
      stage('Scaling', 'name'),
      fatal(shrinking('Decommissioning')),
      shrinking('Deleting Instances', 'shrink'),
      growing('Adding Instances', 'launch'),
      fatal(growing('Configuring', 'configure')),
    ],
    delete: remove,
  },
};

/** Stages go by the status that they show, which no operation shows twice. */
const indexOf = (dialect: Dialect, { operation, stage: name }: Work): number =>
  stagesOf[dialect][operation].findIndex(({ status }) => status === name);

/** The stage that the work is in; undefined where the operation has none of this name. */
export const stageOf = (dialect: Dialect, work: Work): Stage | undefined =>
  stagesOf[dialect][work.operation][indexOf(dialect, work)];

/** Nothing of the work has been done yet. */
export const isFirstStage = (dialect: Dialect, work: Work): boolean => indexOf(dialect, work) === 0;

type WithoutStage<W> = W extends Work ? Omit<W, 'stage'> : never;
/** An operation that is about to begin. */
export type NewWork = WithoutStage<Work>;

export function firstWork(dialect: Dialect, work: NewWork): Work {
  const stage = stagesOf[dialect][work.operation][0]?.status;
  if (stage === undefined) throw new Error(`there are no stages of a ${work.operation} in dialect ${dialect}`);
  return { ...work, stage };
}

function applies(work: Work, { only }: Stage): boolean {
  if (work.operation !== 'scale' || only === undefined) return true;
  return only === 'growing' ? work.grows : work.shrinks;
}

/** The same work one stage on, passing over those that have nothing to do; undefined when it is through. */
export function nextWork(dialect: Dialect, work: Work): Work | undefined {
  const rest = stagesOf[dialect][work.operation].slice(indexOf(dialect, work) + 1);
  const next = rest.find((stage) => applies(work, stage));
  return next && { ...work, stage: next.status };
}

/** The words in which a cluster of this dialect stays for a while. */
export const statusWords = (dialect: Dialect): readonly string[] => [
  ...new Set(Object.values(stagesOf[dialect]).flatMap((stages) => stages.map(({ status }) => status))),
];
