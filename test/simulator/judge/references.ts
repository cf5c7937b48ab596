// What an object of the service refers to.
import type {
  ClusterRecord,
  JobBinaryRecord,
  JobExecutionRecord,
  JobRecord,
} from '../../../src/service/model/records/records.ts';
import type { Row } from './facts.ts';

const internal = 'internal-db://';

/** What it is made from: a service lets none of it go before. */
export function referencesOf(record: Row['record']): readonly string[] {
  const { cluster_template_id, node_groups = [] } = record as Partial<ClusterRecord>;
  const { mains = [], libs = [] } = record as Partial<JobRecord>;
  const { url = '' } = record as Partial<JobBinaryRecord>;
  const { job_id } = record as Partial<JobExecutionRecord>;
  const file = url.startsWith(internal) ? url.slice(internal.length) : undefined;
  const templates = [cluster_template_id, ...node_groups.map((group) => group.node_group_template_id)];
  return [...templates, ...mains, ...libs, file, job_id].filter((id) => id !== undefined);
}
