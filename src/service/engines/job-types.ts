// What the interface says of each type of jobs, whatever runs it. PURE.
import type { JobType } from '../../wire/jobs.ts';
import type { ConfigHint, JobHints, JobNeed } from '../model/catalog/plugins.ts';

const hint = (name: string, value: string, description: string): ConfigHint => ({ name, value, description });

const mapReduce = [
  hint('mapred.map.tasks', '2', 'How many map tasks a run is split into'),
  hint('mapred.reduce.tasks', '1', 'How many reduce tasks a run is split into'),
  hint('mapred.job.priority', 'NORMAL', 'How urgent the run is'),
  hint('mapred.child.java.opts', '-Xmx200m', 'Options of the virtual machine of each task'),
  hint('mapred.compress.map.output', 'false', 'Whether what the map tasks write is compressed'),
];
const ownClasses = [
  hint('mapred.mapper.class', '', 'The class that maps'),
  hint('mapred.reducer.class', '', 'The class that reduces'),
];
const hive = [
  hint('hive.exec.parallel', 'false', 'Whether stages that do not need each other run side by side'),
  hint('hive.exec.reducers.max', '999', 'How many reduce tasks a query has at most'),
  hint('hive.mapjoin.smalltable.filesize', '25000000', 'Up to how many bytes a table is joined in memory'),
];

/** What jobs of a type are in upstream. An engine can differ in hints and needs. */
interface JobRules {
  readonly hints: JobHints;
  /** What a request has to contain to run one. */
  readonly needs: readonly JobNeed[];
}

const ofHadoop = (configs: readonly ConfigHint[], takes: JobHints['takes'], ...more: readonly JobNeed[]): JobRules => ({
  hints: { configs, takes },
  needs: ['sources', ...more],
});
const byClass: JobRules = { hints: { configs: [], takes: ['args'] }, needs: ['main class'] };

export const jobRules: Readonly<Record<JobType, JobRules>> = {
  Pig: ofHadoop(mapReduce, ['params', 'args']),
  Hive: ofHadoop(hive, ['params']),
  MapReduce: ofHadoop([...mapReduce, ...ownClasses], []),
  'MapReduce.Streaming': ofHadoop([...mapReduce, ...ownClasses], [], 'streaming'),
  Jar: ofHadoop([...mapReduce, ...ownClasses], []),
  Java: byClass,
  Shell: { hints: { configs: [], takes: ['params', 'args'] }, needs: [] },
  Spark: byClass,
  Storm: byClass,
  'Storm.Pyleus': byClass,
};
