// Requests that a service may store and then not survive. Only a bundled service of the test's own may get them. PURE.
import type { Json } from '../../peer.ts';

/** Why a service could not show and list its rows any more. By collection, what a field must not be. */
const hazards: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  clusters: { cluster_configs: 'the configurations of a cluster' },
  jobs: { job_configs: 'the configurations of a run' },
  'job-executions': { info: 'the state of a run' },
};

/** Why the request is not sent to a service that somebody needs afterwards. Undefined: it can be sent. */
export function hazardOf(collection: string, sent: Json): string | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const found = Object.entries(hazards[collection] ?? {}).find(([field]) => sent[field] === null);
  return found && `a service that stores null for ${found[1]} cannot list them any more`;
}
