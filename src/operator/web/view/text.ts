// Texts of limited length. PURE.

/** An ellipsis marks what was cut. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

/** A text from somebody else, which may be anything. */
export function textOf(value: unknown, longest: number): string {
  return typeof value === 'string' ? cut(value, longest) : '';
}
