// The error for an answer that does not match the interface.

/** A 2xx answer whose body does not match the interface. The message names the field, not its value. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
