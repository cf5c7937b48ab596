// Reads objects by keys that users choose. PURE.

/** The value of the object's own property. Undefined for what all objects inherit, such as `constructor`. */
export const ownValue = <T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
