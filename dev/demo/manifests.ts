// Applies, reads and deletes manifests as kubectl does, by the discovery of the API server.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Answer, ApiServer } from './api-server.ts';
import { NotYet, waitUntil } from './waiting.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** The part of an object that the demo reads. */
export interface Found extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly uid: string;
    readonly generation: number;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Status;
}

export interface Status {
  readonly id?: string;
  readonly externalName?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

export interface Objects {
  /** Server-side apply as manager "kubectl", strictly: unknown fields are errors. Throws when it is refused. */
  apply(manifest: Manifest): Promise<Found>;
  /** Undefined: there is none. */
  read(manifest: Manifest): Promise<Found | undefined>;
  /** Asks for the deletion and does not wait for its end. */
  remove(manifest: Manifest): Promise<void>;
}

export const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** The documents of a file, or of all YAML files of a folder in the order of their names. */
export async function readManifests(path: string): Promise<readonly Manifest[]> {
  const folder = (await stat(path)).isDirectory();
  const files = folder ? (await readdir(path)).filter((name) => name.endsWith('.yaml')).toSorted() : [''];
  const texts = await Promise.all(files.map(async (name) => readFile(join(path, name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

export interface ServedKind {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly categories?: readonly string[];
}

export const rootOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** The kinds of a version, without their subresources; none while it is not served. */
export async function discover(server: ApiServer, apiVersion: string): Promise<readonly ServedKind[]> {
  const { status, body } = await server.send({ path: rootOf(apiVersion) });
  if (status === 404) return [];
  return ((body as { resources?: readonly ServedKind[] }).resources ?? []).filter(({ name }) => !name.includes('/'));
}

/** `namespace` is that of objects that name none. */
export function openObjects(server: ApiServer, namespace: string): Objects {
  const known = new Map<string, ServedKind>();
  const served = async ({ apiVersion, kind }: Manifest): Promise<ServedKind> => {
    const key = `${apiVersion} ${kind}`;
    const found = known.get(key) ?? (await findKind(server, apiVersion, kind));
    known.set(key, found);
    return found;
  };
  const pathOf = async (manifest: Manifest): Promise<string> => {
    const { name, namespaced } = await served(manifest);
    const within = namespaced ? `/namespaces/${manifest.metadata.namespace ?? namespace}` : '';
    return `${rootOf(manifest.apiVersion)}${within}/${name}/${manifest.metadata.name}`;
  };
  return {
    apply: async (manifest) =>
      server.ask<Found>({
        method: 'PATCH',
        path: `${await pathOf(manifest)}?fieldManager=kubectl&fieldValidation=Strict`,
        contentType: 'application/apply-patch+yaml',
        body: withLastApplied(manifest),
      }),
    async read(manifest) {
      const call = { path: await pathOf(manifest) };
      const answer = await server.send(call);
      return answer.status === 404 ? undefined : (answer as Answer<Found>).body;
    },
    async remove(manifest) {
      const path = await pathOf(manifest);
      const { status } = await server.send({ method: 'DELETE', path });
      if (status >= 300 && status !== 404) throw new Error(`cannot delete ${titleOf(manifest)}: ${status}`);
    },
  };
}

/** As `kubectl apply` leaves it: without the annotation, the first one after the demo would warn of each object that lacks it. */
function withLastApplied(manifest: Manifest): object {
  const { annotations: given } = manifest.metadata;
  const annotations = { ...given, 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(manifest)}\n` };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

/** A kind is served some moments after its CRD was applied. */
async function findKind(server: ApiServer, apiVersion: string, kind: string): Promise<ServedKind> {
  return waitUntil(
    `find kind ${kind}`,
    async () =>
      (await discover(server, apiVersion)).find((each) => each.kind === kind) ??
      new NotYet(`the API server has no ${kind} in ${apiVersion}`),
    { withinMs: 30_000 },
  );
}
