// The form of flavors in upstream: digits or a UUID. Names are refused without a lookup. PURE.
import type { Form } from './narrowing.ts';

const flavorForm: Form = {
  pattern: /^([+-]?\d+|[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12})$/,
  message: 'must be a flavor id (digits or a UUID), not a name',
};

export const ownFlavor = { forms: { flavor_id: flavorForm } };
/** For the groups in the list with this name. */
export const flavorsOf = (list: string) => ({ forms: { [`${list}.*.flavor_id`]: flavorForm } });

const signed = (flavor: number): string => (flavor < 0 ? String(flavor) : `+${flavor}`);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/**
 * Upstream accepts an integer and then does not find it, because identifiers are strings. With a sign it passes the check of the form, and no flavor
 * has that name.
 */
export function withSignedFlavors(body: unknown): unknown {
  if (isList(body)) return body.map(withSignedFlavors);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]: [string, unknown]) => {
      if (key === 'flavor_id' && Number.isSafeInteger(value)) return [key, signed(Number(value))];
      return [key, isList(value) ? withSignedFlavors(value) : value];
    }),
  );
}
