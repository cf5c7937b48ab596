// Texts of users that reach the system. PURE.

/** Throws an Error with the remedy if it has a NUL character, where it would end for the system. */
export function checkNul(what: string, text: string): void {
  if (text.includes('\0')) throw new Error(`${what} has a NUL character: remove it`);
}
