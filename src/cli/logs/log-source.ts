// Where the output of a run can be read: at the service of its Connection.
import type { OpenAnswer } from '../../kube/http/transport.ts';
import type { Execution } from '../objects.ts';
import type { Reach } from '../reach.ts';
import { openService } from '../service/service-source.ts';

export interface LogQuery {
  readonly follow: boolean;
  readonly tailLines: number | undefined;
}

export interface LogSource {
  /** The base URL of the service, for messages. */
  readonly endpoint: string;
  /** Resolves when the answer begins, whatever its status is. */
  open(id: string, query: LogQuery, signal: AbortSignal): Promise<OpenAnswer>;
}

/** A service sends something at least as often when a log is followed, or has nothing to say for long. */
const idleMs = 3_600_000;

export async function openSource(reach: Reach, { spec }: Execution): Promise<LogSource> {
  const { kind = 'Connection', name = 'default' } = spec.connectionRef ?? {};
  const service = await openService(reach, { kind, name });
  const { endpoint, tenant } = service;
  return {
    endpoint,
    open: (id, { follow, tailLines }, signal) => {
      const query = {
        ...(follow && { follow: 'true' }),
        ...(tailLines !== undefined && { tailLines: `${tailLines}` }),
      };
      const path = `/v1.1/${encodeURIComponent(tenant)}/job-executions/${encodeURIComponent(id)}/logs`;
      return service.get(path, { query, signal, idleMs });
    },
  };
}
