// Rejects writes to the API server while this replica does not lead. The Lease itself is written without it.
import type { Leadership } from '../../reconcile/ports.ts';
import { ApiError } from '../api-error.ts';
import { verbOf } from '../http/call.ts';
import type { ApiTransport } from '../http/transport.ts';
import { targetText } from '../resource-kind.ts';

/** A rejected write is a conflict and is not sent, so the caller requeues. */
export function whileLeading(transport: ApiTransport, leadership: Leadership): ApiTransport {
  return {
    async request(call) {
      if (call.method === 'GET' || leadership.leading()) return transport.request(call);
      const action = `${verbOf(call)} ${targetText(call.path)}`;
      throw new ApiError('conflict', `cannot ${action}: another replica may lead`);
    },
    stream: (call) => transport.stream(call),
    close: () => transport.close(),
  };
}
