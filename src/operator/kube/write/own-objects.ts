// Creates and deletes custom resources that the operator makes itself, such as the JobExecutions of a JobSchedule.
import { ApiError } from '../../../kube/api-error.ts';
import type { ApiTransport } from '../../../kube/http/transport.ts';
import { collectionPath, objectPath, type ResourceKind } from '../resource.ts';

/** An object to create, without kind and apiVersion. */
export interface OwnObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: unknown;
}

export interface OwnObjects {
  /**
   * `exists`: an object of this name exists already, and may be somebody else's. Rejects with ApiError: after one without an answer the
   * object may exist.
   */
  create(kind: string, object: OwnObject): Promise<'created' | 'exists'>;
  /** Deletes exactly the object with this uid. False if it is gone already, or another object has its name. Rejects with ApiError. */
  remove(
    kind: string,
    object: { readonly namespace: string; readonly name: string; readonly uid: string },
  ): Promise<boolean>;
}

export async function createObject(
  transport: ApiTransport,
  kind: ResourceKind,
  object: OwnObject,
): Promise<'created' | 'exists'> {
  const body = { apiVersion: kind.apiVersion, kind: kind.kind, ...object };
  const path = collectionPath(kind, object.metadata.namespace);
  try {
    await transport.request({ method: 'POST', path, body });
    return 'created';
  } catch (error) {
    if (hasStatus(error, 409)) return 'exists';
    throw error;
  }
}

/** `kinds`: those that may be created and deleted. */
export function createOwnObjects(transport: ApiTransport, kinds: readonly ResourceKind[]): OwnObjects {
  const kindOf = (name: string): ResourceKind => {
    const found = kinds.find(({ kind }) => kind === name);
    if (found === undefined) throw new Error(`cannot create or delete objects of kind ${name}: it is not registered`);
    return found;
  };
  return {
    create: (name, object) => createObject(transport, kindOf(name), object),
    async remove(name, { uid, ...place }) {
      const body = { preconditions: { uid }, propagationPolicy: 'Background' };
      try {
        await transport.request({ method: 'DELETE', path: objectPath(kindOf(name), place), body });
        return true;
      } catch (error) {
        // 409: the precondition failed, so this is another object.
        if (hasStatus(error, 409) || (error instanceof ApiError && error.category === 'gone')) return false;
        throw error;
      }
    },
  };
}

/** A replica that may not lead any more gets a conflict without a status. */
const hasStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.status === status;
