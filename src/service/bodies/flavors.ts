// What upstream takes for a flavor: digits or an identifier in UUID form. Names are refused before anybody looks for them. PURE.
import type { Form } from './narrowing.ts';

const flavorForm: Form = {
  pattern: /^([+-]?\d+|[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12})$/,
  message: 'is no flavor: give its identifier, digits or in UUID form, and not its name',
};

/** Of a template that is one group. */
export const ownFlavor = { forms: { flavor_id: flavorForm } };
/** Of the groups in a list of that name. */
export const flavorsOf = (list: string) => ({ forms: { [`${list}.*.flavor_id`]: flavorForm } });

const signed = (flavor: number): string => (flavor < 0 ? String(flavor) : `+${flavor}`);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/**
 * Upstream takes a whole number, too, and then does not find it: identifiers are text. With its sign it is of the form of a flavor, and no
 * flavor is called that.
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

/** What was sent as a number, in the words of who sent it. */
export const unsigned = (flavor: string): string | undefined => /^\+(\d+)$/.exec(flavor)?.[1];
