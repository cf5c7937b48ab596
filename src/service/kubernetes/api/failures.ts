// What a failed request to the API server means for the operation that needs it. PURE.
import { ApiError, alreadyExists } from '../../../kube/api-error.ts';
import { Transient } from '../../stages/transient.ts';

export const isGone = (error: unknown): boolean => error instanceof ApiError && error.category === 'gone';

/** An answer of 404 does not pass by itself, even if it does not come from the API server. */
function passes(error: ApiError): boolean {
  if (error.status === 404 || alreadyExists(error)) return false;
  return ['unreachable', 'throttled', 'conflict'].includes(error.category);
}

const remedies: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [
    / cannot \w+ resource |: 403 the API server does not allow it$/,
    'grant it what deploy/provisioner/role.yaml has, in this namespace',
  ],
  [/ namespaces "[^"]*" not found/, 'make the namespace, or check --namespace and --tenant-namespaces'],
];

/** A `Transient` for what may pass, and otherwise the error itself, with what to do about it. */
export function explain(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (passes(error)) return new Transient(error.message, { cause: error });
  const [, remedy] = remedies.find(([pattern]) => pattern.test(error.message)) ?? [];
  if (remedy === undefined) return error;
  return new ApiError(error.category, `${error.message}: ${remedy}`, { status: error.status, cause: error });
}
