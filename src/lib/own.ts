// Reads objects by keys that users choose. PURE.

/** The key that no record of values can have: an assignment to it is lost. */
export const reservedKey = '__proto__';

/** The value of the object's own property. Undefined for what all objects inherit, such as `constructor`. */
export const ownValue = <T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
