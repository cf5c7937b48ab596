// What can happen in a simulated world: everything that is judged, traced and counted is one of these.
import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { Kind, Records } from '../../../src/service/model/records/records.ts';
import { markerIn } from '../../../src/wire/jobs.ts';
import type { Change } from '../api/api-server.ts';
import type { ServiceAnswer } from '../service/service.ts';
import type { Sent } from '../service/service-way.ts';
import type { Replica } from '../world/replica.ts';

export interface Write {
  readonly replica: Replica;
  readonly call: ApiCall;
}

/** One thing that happens; invariants judge each of them. */
export type Happening =
  | { readonly is: 'kubernetes sent'; readonly by: Write }
  | { readonly is: 'kubernetes read'; readonly by: Write; readonly status: number; readonly body: unknown }
  | { readonly is: 'kubernetes changed'; readonly change: Change; readonly by: Write | undefined }
  | { readonly is: 'service sent'; readonly sent: Sent }
  /** `late`: long after its sender was told something else. */
  | {
      readonly is: 'service settled';
      readonly sent: Sent;
      readonly answer: ServiceAnswer | undefined;
      readonly late: boolean;
    }
  | {
      readonly is: 'service changed';
      readonly kind: Kind;
      readonly before: Records[Kind] | undefined;
      readonly after: Records[Kind] | undefined;
    }
  | {
      readonly is: 'said';
      readonly replica: Replica;
      readonly level: string;
      readonly text: string;
      readonly bug: boolean;
    };

/** A request to the service in the words of its collection. */
export interface Target {
  readonly method: string;
  readonly collection: string;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** What is asked for beside the object itself. */
  readonly operation: string | undefined;
}

const targets = new WeakMap<Sent, Target>();

export function targetOf(sent: Sent): Target {
  const known = targets.get(sent);
  if (known !== undefined) return known;
  const target = readTarget(sent.request);
  targets.set(sent, target);
  return target;
}

function readTarget({ method, path, body = '{}' }: Sent['request']): Target {
  const [, , , collection = '', id, operation] = path.split('?')[0]?.split('/') ?? [];
  if (operation === 'execute') {
    const { job_configs } = JSON.parse(body) as { job_configs?: unknown };
    return { method, collection: 'job-executions', id: undefined, name: markerIn(job_configs), operation };
  }
  // PUT stores a file under a new name, as POST creates other objects.
  if (collection === 'job-binary-internals' && method === 'PUT')
    return { method: 'POST', collection, id: undefined, name: decodeURIComponent(id ?? ''), operation };
  // The interface cancels with a GET.
  if (operation === 'cancel') return { method: 'CANCEL', collection, id, name: undefined, operation };
  const { name } = method === 'POST' && id === undefined ? (JSON.parse(body) as { name?: string }) : {};
  return { method, collection, id, name, operation };
}
