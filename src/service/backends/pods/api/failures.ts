// What a failed request to the API server, or to a pod through it, means for the operation that needs it. PURE.
import { ApiError, alreadyExists, kindAbsent } from '../../../../kube/api-error.ts';
import { CannotLook, Transient } from '../../../model/disk/transient.ts';

/** Whether the API server has said that there is no object of this name. */
export const isGone = (error: unknown, name: string): boolean =>
  error instanceof ApiError && error.category === 'gone' && error.message.includes(` "${name}" not found`);

export const grantRemedy = 'grant it what deploy/provisioner/role.yaml has, in this namespace';

/** What is known of the requests with the same verb for the same kind in the same namespace. */
export interface RequestHistory {
  /** The API server has carried one out since the service started, or a record says that it did before. */
  readonly hasWorked: boolean;
  /** How long all of them have been refused, in ms. */
  readonly refusedMs: number;
}

/** A failure that says nothing about a single object: nothing of the kind can be read or written at the moment. */
interface Obstacle {
  readonly remedy: string;
  /** The service cannot remove it, and another try does not help, unless it has worked before. */
  readonly isFinal: boolean;
}

/** A 403 about the very object of the request. Another try leads to the same, unless somebody changes the rule that it names. */
const decision =
  / exceeded quota: | violates PodSecurity |admission webhook "[^"]*" denied the request|ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/;

/**
 * A policy that cannot decide: its parameters are not synchronized yet after the start of an API server, or are not there. Unless the policy says
 * otherwise, this is a 422, as for an object that is wrong.
 */
const undecided = /olicy '[^']*'(?: with binding '[^']*')? denied request: failed to configure (?:policy|binding): /;

const versionRemedy = 'check that this is the address of an API server, and its version';

/** A 403 that says nothing about the object of the request. */
const isForbidden = ({ category, message }: ApiError): boolean => category === 'forbidden' && !decision.test(message);

const obstacles: readonly (readonly [holds: (error: ApiError) => boolean, Obstacle])[] = [
  [
    ({ status }) => status === 401,
    { remedy: 'check the credentials of the service, such as the token of its ServiceAccount', isFinal: false },
  ],
  [
    (error) =>
      isForbidden(error) && / cannot \w+ resource |: 403 the API server does not allow it$/.test(error.message),
    { remedy: grantRemedy, isFinal: true },
  ],
  [
    ({ status, message }) => status === 404 && / namespaces "[^"]*" not found/.test(message),
    { remedy: 'make the namespace, or check --namespace and --tenant-namespaces', isFinal: true },
  ],
  [kindAbsent, { remedy: versionRemedy, isFinal: true }],
  [({ status }) => [405, 406, 415].includes(status), { remedy: versionRemedy, isFinal: true }],
  [
    ({ message }) => undecided.test(message),
    { remedy: 'check the admission policy, and that its parameters are there', isFinal: true },
  ],
  [isForbidden, { remedy: 'check the quotas and the admission plugins of the API server', isFinal: true }],
];

const obstacleIn = (error: ApiError): Obstacle | undefined => obstacles.find(([holds]) => holds(error))?.[1];

/** Whether nothing of the kind can be reached, which says nothing about the object of the request. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && obstacleIn(error) !== undefined;

/** Whether it says that something is not there which is neither the object of this name nor its namespace or kind. */
export const namesOther = (error: unknown, name = ''): boolean =>
  error instanceof ApiError && error.category === 'gone' && !isGone(error, name) && !isRefusal(error);

/** After its start, the caches of an API server are empty: those for RBAC for some 50 ms, those of its admission for up to ten seconds. */
const mostRefusedMs = 60_000;
/** After that, a failure is shown as one of the installation. */
export const patienceMs = 10 * 60_000;

// ---------------------------------------------------------------------------------------------------------------------
// failure                                   has worked  refused for   verdict
// no answer, one that is not of the API     any         any           Transient
//   server, 5xx, 429, conflict
// 409 AlreadyExists, 404 of an object       any         any           as it is: the caller knows what it means
// 401, 404 of the namespace or the kind,    yes         < 10 min      Transient
//   405, 406, 415, any 403 but the next,    yes         >= 10 min     Transient: `cannot look: `, with the remedy
//   a policy that cannot decide             no          < 1 min       Transient, with the remedy
//                                           no          >= 1 min      final, with the remedy; 401: as if it had worked
// 403: a quota is exceeded, a webhook or    any         any           final, as it is
//   a policy denies it, PodSecurity
// 400, 413, 422, 500 for a bad apply        any         any           final, as it is
// not of a request                          any         any           as it is
// ---------------------------------------------------------------------------------------------------------------------
/**
 * A `Transient` for what may pass, and otherwise the error itself, with its remedy. What has worked before is never final: that nothing can be observed
 * does not mean that anything has ended.
 */
export function explain(error: unknown, { hasWorked, refusedMs }: RequestHistory): unknown {
  if (!(error instanceof ApiError)) return error;
  const obstacle = obstacleIn(error);
  if (obstacle === undefined) return passes(error) ? new Transient(error.message, { cause: error }) : error;
  const told = `${error.message}: ${obstacle.remedy}`;
  const mayPass = hasWorked || !obstacle.isFinal;
  if (mayPass && refusedMs >= patienceMs) return new CannotLook(`cannot look: ${told}`, { cause: error });
  if (mayPass) return new Transient(error.message, { cause: error });
  if (refusedMs < mostRefusedMs) return new Transient(told, { cause: error });
  return new ApiError(error.category, told, { status: error.status, reason: error.reason, cause: error });
}

const passes = (error: ApiError): boolean =>
  !alreadyExists(error) && ['unreachable', 'throttled', 'conflict'].includes(error.category);
