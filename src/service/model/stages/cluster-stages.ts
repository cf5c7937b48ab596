// The stages of each operation on a cluster, by dialect, as data. PURE.
import type { Dialect } from '../../../wire/dialect.ts';
import type { ClusterRecord, Work } from '../records/records.ts';
import { type Stage, StageTable } from './stage-table.ts';

/**
 * `shrink`: drains and removes surplus machines. `name`: gives identifiers and names to missing machines. `launch`: starts machines without addresses. `drop`:
 * removes groups without machines. `configure`: starts processes. `vanish`: removes everything.
 */
type StageAction = 'nothing' | 'shrink' | 'name' | 'launch' | 'drop' | 'configure' | 'vanish';
export interface ClusterStage extends Stage {
  readonly action: StageAction;
  /** Skipped by a scale that adds no machine, or removes none. */
  readonly only?: 'growing' | 'shrinking';
  /** A newer scale can replace one in this stage: no machine has been added yet. */
  readonly isOpen?: true;
  /** The effect of a failure, besides the usual one of the operation: the machines are removed, or a scale ends in Error. */
  readonly failure?: 'removes' | 'Error';
}

const stage = (status: string, action: StageAction = 'nothing'): ClusterStage => ({ status, action });
const growing = (status: string, action: StageAction): ClusterStage => ({ status, action, only: 'growing' });
const shrinking = (status: string, action: StageAction = 'nothing'): ClusterStage => ({
  status,
  action,
  only: 'shrinking',
});
const making = (status: string, action: StageAction = 'nothing'): ClusterStage => ({
  status,
  action,
  failure: 'removes',
});
const open = (of: ClusterStage): ClusterStage => ({ ...of, isOpen: true });
const fatal = (of: ClusterStage): ClusterStage => ({ ...of, failure: 'Error' });

const settingUp = [making('Preparing'), stage('Configuring', 'configure'), stage('Starting')];
const upstreamStart = [
  stage('Validating'),
  stage('InfraUpdating'),
  making('Spawning', 'name'),
  making('Waiting', 'launch'),
  ...settingUp,
];
const remove = [stage('Deleting', 'vanish')];
const repair = [stage('Waiting', 'launch'), stage('Configuring', 'configure')];

/** Section 3 shows Waiting for a start and Validating for a scale. The rest was observed in upstream. */
const stages: Readonly<Record<Dialect, Readonly<Record<Work['operation'], readonly ClusterStage[]>>>> = {
  neutral: {
    start: [making('Waiting', 'launch'), ...settingUp],
    scale: [
      open(stage('Validating')),
      open(stage('Decommissioning', 'shrink')),
      stage('Scaling', 'name'),
      growing('Waiting', 'launch'),
      growing('Configuring', 'configure'),
    ],
    delete: remove,
    repair,
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
    repair,
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
    repair,
  },
};

function applies(work: Work, { only }: ClusterStage): boolean {
  if (work.operation !== 'scale' || only === undefined) return true;
  return only === 'growing' ? work.grows : work.shrinks;
}

export const clusterStages = new StageTable<Work, ClusterStage>(stages, applies);

/** The scale under way that a newer one can replace. Upstream refuses to scale a cluster that is not Active. */
export function openScale(
  { work }: ClusterRecord,
  dialect: Dialect,
): Extract<Work, { operation: 'scale' }> | undefined {
  const isOpen = work?.operation === 'scale' && work.failed === undefined;
  return isOpen && clusterStages.find(dialect, work)?.isOpen === true ? work : undefined;
}
