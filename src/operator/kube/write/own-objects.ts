// Creates and deletes custom resources that the operator makes itself, such as the JobExecutions of a JobSchedule.
import { ApiError } from '../../../kube/api-error.ts';
import type { ApiTransport } from '../../../kube/http/transport.ts';
import type { NewObject } from '../../reconcile/ports.ts';
import { collectionPath, objectPath, type ResourceKind } from '../resource.ts';

/** See ResourceStore. Rejects with ApiError: after one without an answer the object may exist. */
export async function createObject(
  transport: ApiTransport,
  kind: ResourceKind,
  object: NewObject,
): Promise<'created' | 'exists'> {
  const path = collectionPath(kind, object.metadata.namespace);
  try {
    await transport.request({ method: 'POST', path, body: { apiVersion: kind.apiVersion, ...object } });
    return 'created';
  } catch (error) {
    if (hasStatus(error, 409)) return 'exists';
    throw error;
  }
}

interface ExactObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Deletes exactly the object with this uid. False if it is gone already, or another object has its name. Rejects with ApiError. */
export async function removeObject(
  transport: ApiTransport,
  kind: ResourceKind,
  { uid, ...place }: ExactObject,
): Promise<boolean> {
  const body = { preconditions: { uid }, propagationPolicy: 'Background' };
  try {
    await transport.request({ method: 'DELETE', path: objectPath(kind, place), body });
    return true;
  } catch (error) {
    // 409: the precondition failed, so this is another object.
    if (hasStatus(error, 409) || (error instanceof ApiError && error.category === 'gone')) return false;
    throw error;
  }
}

/** A replica that may not lead any more gets a conflict without a status. */
const hasStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.status === status;
