// Texts of users. PURE.

/** Throws an Error with the remedy if it has a NUL character, where it would end for the system. */
export function checkNul(what: string, text: string): void {
  if (text.includes('\0')) throw new Error(`${what} has a NUL character: remove it`);
}

/** The first text that is there twice. Undefined if there is none. */
export function firstTwice(texts: Iterable<string>): string | undefined {
  const seen = new Set<string>();
  for (const text of texts) {
    if (seen.has(text)) return text;
    seen.add(text);
  }
  return undefined;
}

/** The text with one byte for each character. */
// oxlint-disable-next-line eslint/no-control-regex
export const latin1 = (text: string): string => text.replace(/[^\u0000-\u00ff]/g, '?');

/** The text, of which no more than `most` characters are kept. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 3).toWellFormed()}...`;
}
