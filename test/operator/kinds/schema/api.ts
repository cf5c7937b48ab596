// Asks the real API server what it thinks of an object: created or changed in a dry run, or for good.
import { randomUUID } from 'node:crypto';
import type { Definition } from '../../../../src/operator/api/definition.ts';
import { apiVersion } from '../../../../src/operator/api/shared-api.ts';
import { definitions as registered } from '../../../../src/operator/kinds/index.ts';
import { type Answer, type ApiServer, connect, createNamespace } from '../../../support/kubernetes/api-server.ts';
import { applyCrds } from '../../../support/kubernetes/crds.ts';

export type Kind =
  | 'Connection'
  | 'SharedConnection'
  | 'NodeGroupTemplate'
  | 'ClusterTemplate'
  | 'Cluster'
  | 'ImageRegistration'
  | 'DataSource'
  | 'JobBinary'
  | 'Job'
  | 'JobExecution'
  | 'JobSchedule'
  | 'NodeGroup';

/** A kind without samples of its own does not compile into these tables: add them. */
export const definitions = registered as readonly (Definition & { readonly kind: Kind })[];
export type Spec = Readonly<Record<string, unknown>>;

/** What the API server says against an object: `field: message`, one for each complaint. Empty: it takes the object. */
export type Verdict = readonly string[];

export interface SchemaApi {
  readonly server: ApiServer;
  readonly namespace: string;
  /** The verdict on a new object; nothing is stored. */
  tryCreate(kind: Kind, spec: unknown): Promise<Verdict>;
  /** The same of an object that is applied by the server: its parser refuses some of what the schema would. */
  tryApply(kind: Kind, spec: unknown, path?: string): Promise<Verdict>;
  /** Stores an object and returns its path. Throws when it is refused. */
  create(kind: Kind, spec: Spec): Promise<string>;
  /** The verdict on a spec in place of the stored one; nothing is stored. */
  tryReplace(path: string, spec: Spec): Promise<Verdict>;
  /** The verdict on a merge patch of the spec; nothing is stored. */
  tryPatch(path: string, spec: Spec): Promise<Verdict>;
  close(): Promise<void>;
}

const dryRun = '?dryRun=All&fieldValidation=Strict';

export async function openSchemaApi(kubeconfig: string, namespace: string): Promise<SchemaApi> {
  await applyCrds(kubeconfig);
  const server = await connect(kubeconfig);
  await createNamespace(server, namespace);
  const collection = (kind: Kind) => {
    const { plural, scope } = definitionOf(kind);
    return scope === 'Cluster'
      ? `/apis/${apiVersion}/${plural}`
      : `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
  };
  const object = (kind: Kind, spec: unknown) => ({ apiVersion, kind, metadata: { name: `t-${randomUUID()}` }, spec });
  return {
    server,
    namespace,
    tryCreate: async (kind, spec) =>
      verdictOf(await server.send({ method: 'POST', path: collection(kind) + dryRun, body: object(kind, spec) })),
    tryApply: async (kind, spec, path) => {
      const body = object(kind, spec);
      const at = path ?? `${collection(kind)}/${body.metadata.name}`;
      const named = { ...body, metadata: { name: at.slice(at.lastIndexOf('/') + 1) } };
      return verdictOf(await server.apply(at, named, dryRun));
    },
    create: async (kind, spec) => {
      const body = object(kind, spec);
      const path = `${collection(kind)}/${body.metadata.name}`;
      const answer = await server.apply(path, body);
      if (answer.status !== 201) throw new Error(`cannot create: ${verdictOf(answer).join('; ')}`);
      return path;
    },
    tryReplace: async (path, spec) => {
      const { body } = await server.send({ path });
      return verdictOf(await server.send({ method: 'PUT', path: path + dryRun, body: { ...(body as object), spec } }));
    },
    tryPatch: async (path, spec) =>
      verdictOf(await server.send({ method: 'PATCH', path: path + dryRun, body: { spec } })),
    close: async () => server.close(),
  };
}

function definitionOf(kind: Kind): (typeof definitions)[number] {
  const found = definitions.find((each) => each.kind === kind);
  if (!found) throw new Error(`no definition of ${kind}`);
  return found;
}

interface Failure {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/** Each cause of a refusal, as `field: message`; empty when the API server took it. */
export function verdictOf({ status, body }: Answer): Verdict {
  if (status < 300) return [];
  const { message = String(body), details } = body as Failure;
  const causes = details?.causes ?? [];
  if (causes.length === 0) return [`${status}: ${message}`];
  return causes.map(({ field, message: why }) => `${field}: ${why}`).filter((line) => !line.startsWith('<nil>'));
}
