// HTML in which every value is text, unless it is HTML of this file. PURE.

/** Only `html` makes it. */
export interface Html {
  readonly markup: string;
}

type HtmlValue = Html | string | number | undefined | readonly Html[];

const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => names[character] ?? '');

function markupOf(value: HtmlValue): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}

/** Attributes must be in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const markup = parts.map((part, index) => part + markupOf(values[index])).join('');
  return { markup };
}
