// Creates and deletes custom resources that the operator makes itself, such as the JobExecutions of a JobSchedule.
import { ApiError, alreadyExists } from '../../../kube/api-error.ts';
import type { ApiTransport } from '../../../kube/http/transport.ts';
import { collectionPath, objectPath, type ResourceKind } from '../../../kube/resource.ts';
import type { NewObject } from '../../reconcile/pass-ports.ts';

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
    if (alreadyExists(error)) return 'exists';
    throw error;
  }
}

/** Deletes exactly the object with this uid, unless it is gone already. Rejects with ApiError, for example if another object has its name. */
export async function removeObject(
  transport: ApiTransport,
  kind: ResourceKind,
  { uid, ...place }: { readonly namespace: string; readonly name: string; readonly uid: string },
): Promise<void> {
  const body = { preconditions: { uid }, propagationPolicy: 'Background' };
  try {
    await transport.request({ method: 'DELETE', path: objectPath(kind, place), body });
  } catch (error) {
    if (!(error instanceof ApiError && error.category === 'gone')) throw error;
  }
}
