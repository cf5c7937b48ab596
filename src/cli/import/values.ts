// Reads values of a service's answers, which may be anything, and leaves secrets out. PURE.
import { looksSecret } from '../../lib/secrets.ts';
import type { Fields } from '../fields.ts';

/** `left`: paths of what was left out because it may be a secret. */
export interface Reading {
  readonly left: string[];
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number, or a number as text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

export function textsOf(value: unknown): readonly string[] | undefined {
  const texts = listOf(value).filter((one) => typeof one === 'string');
  return texts.length > 0 ? texts : undefined;
}

/** Without what is not there. */
export function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Of a map from target to option to value. */
export function configsOf(value: unknown, path: string, { left }: Reading): Fields | undefined {
  const kept = Object.entries(fieldsOf(value)).flatMap(([target, options]) => {
    const own = Object.entries(fieldsOf(options)).filter(([name, one]) => {
      const isSecret = looksSecret(name) || (typeof one === 'string' && hasUser(one));
      if (isSecret) left.push(`${path}.${target}.${name}`);
      return !isSecret && (typeof one === 'string' || typeof one === 'boolean' || Number.isSafeInteger(one));
    });
    return own.length === 0 ? [] : [[target, Object.fromEntries(own)] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** A URL with a user, and perhaps a password. */
function hasUser(text: string): boolean {
  return /[a-z][a-z0-9+.-]*:\/\/[^/\s]*@/i.test(text);
}
