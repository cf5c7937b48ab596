// Approves a plan: sets the annotation with its hash, unless anything has changed since the plan was shown.
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../kube/api-error.ts';
import { objectPath, type ResourceKind } from '../../kube/resource.ts';
import { approvePlanAnnotation } from '../../operator/api/shared-api.ts';
import { manager } from '../objects.ts';
import { isBehind, type Observed } from '../observed.ts';
import type { Reach } from '../reach.ts';
import { planIn } from './waiting-plan.ts';

const mostTries = 5;

/** The admission policy of deploy/approvals, as the API server names it when it refuses. */
const policy = 'dataprocessing-operator-approvals';

/**
 * Resolves to the object with the annotation; undefined: it has changed, and nothing was approved. Other writes, such as a report of the
 * operator, change nothing of what was shown, so that the approval is tried again with the newer version.
 */
export async function approve(reach: Reach, kind: ResourceKind, shown: Observed): Promise<Observed | undefined> {
  const { name } = shown.metadata;
  let seen = shown;
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      return await annotate(reach, kind, seen);
    } catch (error) {
      if (!(error instanceof ApiError && error.category === 'conflict')) throw refusal(error, kind);
    }
    seen = await reach.objects.read<Observed>(kind, name);
    if (!isAsShown(seen, shown)) return undefined;
  }
  throw new Error(`${kind.kind} ${name} changes all the time, so that nothing was approved: try again`);
}

/** The API server refuses it with a conflict if the object is of another version, or another object of the name. */
async function annotate({ transport, objects }: Reach, kind: ResourceKind, { metadata, ...object }: Observed) {
  const { name, uid, resourceVersion } = metadata;
  const annotations = { [approvePlanAnnotation]: planIn({ metadata, ...object })?.hash };
  return (await transport.request({
    method: 'PATCH',
    path: objectPath(kind, { namespace: objects.namespace, name }),
    query: { fieldManager: manager },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion, annotations } },
  })) as Observed;
}

function isAsShown(seen: Observed, shown: Observed): boolean {
  const isSameSpec = seen.metadata.uid === shown.metadata.uid && seen.metadata.generation === shown.metadata.generation;
  return isSameSpec && !isBehind(seen) && isDeepStrictEqual(planIn(seen), planIn(shown));
}

function refusal(error: unknown, { plural }: ResourceKind): unknown {
  if (!(error instanceof ApiError) || error.category !== 'forbidden') return error;
  const resource = `${plural}.dataprocessing.dev`;
  const right = error.message.includes(policy)
    ? `the verb "approve" on ${resource}, which the admission policy ${policy} wants (the ClusterRole dataprocessing-operator-approve has it)`
    : `the verb "patch" on ${resource}`;
  const remedy = `ask for ${right}, or for the approval of somebody who has it`;
  return new Error(`you may not approve the plan: ${remedy}`, { cause: error });
}
