// Failures that pass.

/**
 * A failure that may pass, for example because a disk is full. The call is repeated with a backoff and never fails the operation. Users see the
 * message meanwhile.
 */
export class Transient extends Error {
  override readonly name = 'Transient';
}
