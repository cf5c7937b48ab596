// What a ServiceAccount asked of the API server, by the API server's own record of it.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Account } from '../../../dev/demo/account.ts';
import { filesOf } from '../../../dev/plane/directory.ts';

export interface Asked {
  readonly verb: string;
  /** Plural with API group and subresource, as in `clusters.dataprocessing.dev/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** Of the answer. */
  readonly status: number;
}

interface Line {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestURI: string;
  readonly responseStatus?: { readonly code: number };
}

/** Everything so far; `kubeconfig` is the administrator's of the plane. */
export async function readAudit(kubeconfig: string, { namespace, name }: Account): Promise<readonly Asked[]> {
  const text = await readFile(filesOf(dirname(kubeconfig)).audit, 'utf8');
  // The last line may be under way.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const username = `system:serviceaccount:${namespace}:${name}`;
  return lines
    .filter((line) => line.includes(username))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ user }) => user.username === username)
    .map(askedOf);
}

function askedOf({ verb, objectRef, requestURI, responseStatus }: Line): Asked {
  const [plural = requestURI, group, subresource] = [objectRef?.resource, objectRef?.apiGroup, objectRef?.subresource];
  return {
    verb,
    resource: `${plural}${group === undefined ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`,
    namespace: objectRef?.namespace,
    name: objectRef?.name,
    status: responseStatus?.code ?? 0,
  };
}
