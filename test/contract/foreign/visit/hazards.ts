// Requests that a service may store and then not survive. Only a bundled service of the test's own may get them. PURE.
import { type Json, parse } from '../../peer.ts';

/** Why a service could not show and list its rows any more. By collection, what a field must not be. */
const hazards: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  clusters: { cluster_configs: 'the configurations of a cluster' },
  jobs: { job_configs: 'the configurations of a run' },
  'job-executions': { info: 'the state of a run' },
};

/** A body may be given as its text or bytes. */
function contentOf(sent: Json): Json {
  if (sent instanceof Uint8Array) return parse(Buffer.from(sent).toString());
  return typeof sent === 'string' ? parse(sent) : sent;
}

/** Why the request is not sent to a service that somebody needs afterwards. Undefined: it can be sent. */
export function hazardOf(collection: string, sent: Json): string | undefined {
  const content = contentOf(sent);
  if (typeof content !== 'object' || content === null) return undefined;
  const found = Object.entries(hazards[collection] ?? {}).find(([field]) => content[field] === null);
  return found && `a service that stores null for ${found[1]} cannot list them any more`;
}
