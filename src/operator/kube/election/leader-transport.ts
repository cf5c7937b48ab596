// The way to the API server of everything but the lease: only a leader writes.
import type { Leadership } from '../../reconcile/ports.ts';
import { ApiError } from '../api-error.ts';
import { verbOf } from '../http/call.ts';
import type { ApiTransport } from '../http/transport.ts';
import { targetText } from '../resource-kind.ts';

/** Writes of a replica that does not lead are conflicts and are not sent: whoever wanted them looks again later, if there is a later. */
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
