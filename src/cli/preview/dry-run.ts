// What the API server would make of an object of a file. It validates the object and fills in defaults, and keeps nothing (dryRun).
import { ApiError, kindAbsent } from '../../kube/api-error.ts';
import { objectPath, type RawResource, type ResourceKind, toResource } from '../../kube/resource.ts';
import { messageOf } from '../../lib/errors.ts';
import { apiVersion, group } from '../../operator/api/shared-api.ts';
import type { Fields } from '../fields.ts';
import { customKind } from '../kind-names.ts';
import type { KubeObject } from '../objects.ts';
import type { Observed } from '../observed.ts';
import type { Reach } from '../reach.ts';
import { applyPatch } from './apply-patch.ts';

export interface ObjectPlace {
  readonly kind: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** An object of the file. `before`: as it is; undefined: there is none of the name. */
export type DryRun =
  | {
      readonly place: ObjectPlace;
      readonly kind: ResourceKind;
      readonly before: Observed | undefined;
      readonly after: RawResource;
    }
  /** It cannot be applied as it is. */
  | { readonly place: ObjectPlace; readonly problem: string };

/** The kinds of this API. Others are nothing that the operator would plan for. */
export function isOurs({ apiVersion: version }: KubeObject): boolean {
  return version.startsWith(`${group}/`);
}

export function placeIn(object: KubeObject, usual: string): ObjectPlace {
  const { name, namespace = usual } = object.metadata;
  const isNowhere = customKind(object.kind)?.clusterScoped === true;
  return { kind: object.kind, namespace: isNowhere ? '' : namespace, name };
}

export async function dryRun({ transport, objects }: Reach, object: KubeObject, signal: AbortSignal): Promise<DryRun> {
  const place = placeIn(object, objects.namespace);
  const kind = object.apiVersion === apiVersion ? customKind(object.kind) : undefined;
  if (kind === undefined) return { place, problem: `there is no kind ${object.kind} in ${object.apiVersion}` };
  const path = objectPath(kind, place);
  try {
    const before = await existing(async () => (await transport.request({ method: 'GET', path, signal })) as Observed);
    const { contentType, query, body } = applyPatch(object, before);
    const asked = { ...query, dryRun: 'All', fieldValidation: 'Strict' };
    const answer = await transport.request({ method: 'PATCH', path, query: asked, contentType, body, signal });
    return { place, kind, before, after: toResource(kind, versioned(answer)) };
  } catch (error) {
    signal.throwIfAborted();
    return { place, problem: refusalOf(error, kind) };
  }
}

async function existing(read: () => Promise<Observed>): Promise<Observed | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && !kindAbsent(error)) return undefined;
    throw error;
  }
}

/** What is not stored has no version. */
function versioned(answer: unknown): unknown {
  const object = answer as { readonly metadata?: Fields };
  return { ...object, metadata: { resourceVersion: '0', ...object.metadata } };
}

function refusalOf(error: unknown, { plural }: ResourceKind): string {
  if (error instanceof ApiError && error.category === 'forbidden')
    return `you may not apply it: ask for the verbs "get", "create" and "patch" on ${plural}.dataprocessing.dev (${error.message})`;
  return messageOf(error);
}
