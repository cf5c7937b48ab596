// The SharedConnections that objects of a namespace name. Users of one seldom may read it.
import type { PodTransport } from '../../kube/http/transport.ts';
import { sharedConnectionKind } from '../../operator/api/shared-api.ts';
import { customKind } from '../kind-names.ts';
import type { Connection } from '../objects.ts';
import { connectionOf, type Observed } from '../observed.ts';
import type { Seen } from '../why/chain.ts';
import { readObject } from '../why/situation.ts';
import type { Finding } from './finding.ts';

const area = 'Connections';
/** A namespace uses one or two. */
const mostNames = 20;

export interface SharedConnections {
  readonly found: readonly Observed[];
  /** Names of those that do not exist. */
  readonly missing: readonly string[];
  /** Why others are not looked at. */
  readonly unread: readonly Finding[];
}

export async function readShared(transport: PodTransport, objects: readonly Observed[]): Promise<SharedConnections> {
  const all = [...new Set(objects.flatMap(sharedNameOf))];
  const kind = customKind(sharedConnectionKind);
  if (kind === undefined) throw new Error(`there is no kind ${sharedConnectionKind}`);
  const names = all.slice(0, mostNames);
  const seen = await Promise.all(names.map((name) => readObject(transport, kind, { namespace: '', name })));
  const more = all.length - names.length;
  const text = `${more} more SharedConnections that objects here name are not looked at`;
  return {
    found: seen.flatMap((one) => (one.state === 'found' ? [{ ...one.object, kind: sharedConnectionKind }] : [])),
    missing: names.filter((_name, at) => seen[at]?.state === 'missing'),
    unread: [
      ...names.flatMap((name, at) => unreadFinding(name, seen[at])),
      ...(more > 0 ? [{ area, level: 'note', text } as const] : []),
    ],
  };
}

/** The Secret with the token of a SharedConnection, in the namespace that keeps it. */
export interface SharedSecret {
  readonly connection: string;
  readonly namespace: string;
  readonly name: string;
}

/** That of Keystone is of no use here: it has no token. */
export function tokenSecrets({ found }: Pick<SharedConnections, 'found'>): readonly SharedSecret[] {
  return found.flatMap(({ metadata, spec }) => {
    const { auth, credentialsNamespace: namespace } = (spec ?? {}) as Partial<Connection['spec']>;
    const name = auth?.type === 'Token' ? auth.secretRef?.name : undefined;
    return name === undefined || namespace === undefined ? [] : [{ connection: metadata.name, namespace, name }];
  });
}

function sharedNameOf(object: Observed): readonly string[] {
  const { kind, name } = connectionOf(object) ?? {};
  return kind === sharedConnectionKind && name !== undefined ? [name] : [];
}

/** That the kind is not served is a finding of the CRDs. */
function unreadFinding(name: string, seen: Seen | undefined): readonly Finding[] {
  const what = `SharedConnection ${name}`;
  if (seen?.state === 'failed') return [{ area, level: 'note', text: `${what} cannot be read: ${seen.why}` }];
  if (seen?.state !== 'forbidden') return [];
  const text = `you may not read ${what}, so that it is not looked at`;
  const todo = 'ask for the verb "get" on sharedconnections.dataprocessing.dev in a ClusterRole, or ask who shares it';
  return [{ area, level: 'note', text, todo }];
}
