// Failures that pass.
import { isNoSpace } from './space.ts';

/**
 * A failure that may pass, for example because a disk is full. The call is repeated with a backoff and never fails the operation. Users see the
 * message meanwhile.
 */
export class Transient extends Error {
  override readonly name = 'Transient';
}

/** Nothing is known of what was to be observed. A call that ends with it at its deadline has not failed: it is repeated. */
export class CannotLook extends Transient {}

/** Others decide when it goes on, at a time that they choose. A call that ends with it at its deadline has not failed: it is repeated. */
export class Queued extends Transient {}

/** Whether what failed is to be repeated: there may be room on a full disk later, whoever met it. */
export const mayPass = (cause: unknown): cause is Error => cause instanceof Transient || isNoSpace(cause);
