// What an answer is that cannot be read.

/** A 2xx whose body is not what the interface says. The message names the place, not the value. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
