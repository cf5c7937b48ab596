// The links of a run: its output, and the pages that show it. PURE.
import { routes } from '../../../wire/routes.ts';
import type { JobEngine, RunPlan } from '../../backends/job-engine.ts';
import { historyLink } from '../../backends/runs/run-plan.ts';
import type { JobExecutionRecord } from '../../model/records/records.ts';

const logs = 'Logs';

/** By name. The service does not know under which host it is reached, so the link to the output is a path. Undefined if nothing of the run is kept. */
export function urlsOf(engine: JobEngine, plan: RunPlan): JobExecutionRecord['urls'] {
  const pages = engine.pages?.(plan);
  if (pages === undefined) return undefined;
  const { tenant, execution } = plan;
  return { ...pages, [logs]: `/v1.1/${encodeURIComponent(tenant)}/${routes.jobExecutions.path}/${execution.id}/logs` };
}

/** What is left when the cluster is gone: its pages are gone with it. */
export const keptUrls = (urls: JobExecutionRecord['urls']): JobExecutionRecord['urls'] =>
  urls && Object.fromEntries(Object.entries(urls).filter(([name]) => [logs, historyLink].includes(name)));
