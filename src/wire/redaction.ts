// Takes secrets out of foreign texts, in whatever spelling a server may have put them there.

/** Characters that nobody spells in another way. */
const plain = /^[\w.~-]$/;
const utf8 = new TextEncoder();

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const hex = (code: number, digits: number): string =>
  code
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const named: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&apos;',
  '<': '&lt;',
  '>': '&gt;',
  '\u00A0': '&nbsp;',
  '\t': String.raw`\\{1,4}t`,
  '\n': String.raw`\\{1,4}n`,
  '\r': String.raw`\\{1,4}r`,
  '\b': String.raw`\\{1,4}b`,
  '\f': String.raw`\\{1,4}f`,
  ' ': String.raw`\+`,
};

/**
 * One character, or a run of backslashes, as a pattern of how texts, JSON, quoted JSON, addresses and pages have it. Bounds
 * on the number of escapes keep the search quick.
 */
function spelling(piece: string): string {
  if (plain.test(piece)) return literal(piece);
  if (piece.startsWith('\\'))
    return String.raw`(?:\\|\\u005[cC]|%5[cC]|&#0{0,4}92;|&#[xX]0{0,4}5[cC];){1,${4 * piece.length}}`;
  const code = piece.codePointAt(0) ?? 0;
  const units = piece.split('').map((unit) => String.raw`\\{1,4}u${hex(unit.charCodeAt(0), 4)}`);
  const bytes = [...utf8.encode(piece)].map((byte) => `%${hex(byte, 2)}`);
  const ways = [
    units.join(''),
    String.raw`\\{1,4}x${hex(code, 2)}`,
    bytes.join(''),
    `&#0{0,4}${code};`,
    `&#[xX]0{0,4}${hex(code, 1)};`,
    named[piece] ?? [],
    // Last: most spellings of & begin with it.
    String.raw`\\{0,4}${literal(piece)}`,
  ];
  return `(?:${ways.flat().join('|')})`;
}

/** So much of a secret is one already, whatever follows: a server may cut what it echoes. */
const telling = 12;

/** Puts `***` where one of the secrets, or a long beginning of it, stands: a server may echo what it was sent. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce(hide, text);
}

function hide(text: string, secret: string): string {
  if (secret === '') return text;
  const pieces: readonly string[] = secret.match(/\\+|[^]/gu) ?? [];
  const found = [...text.matchAll(new RegExp(pieces.slice(0, telling).map(spelling).join(''), 'g'))];
  if (found.length === 0) return text;
  const patterns = new Map([...new Set(pieces)].map((piece) => [piece, new RegExp(spelling(piece), 'y')]));
  const rest = pieces.slice(telling).flatMap((piece) => patterns.get(piece) ?? []);
  let shown = '';
  let from = 0;
  for (const { 0: beginning, index } of found) {
    if (index < from) continue;
    shown += `${text.slice(from, index)}***`;
    from = endOf(text, index + beginning.length, rest);
  }
  return shown + text.slice(from);
}

/** Where an echo ends whose beginning ends at `from`: where the secret does, or with the word where it breaks off. */
function endOf(text: string, from: number, rest: readonly RegExp[]): number {
  let at = from;
  for (const next of rest) {
    next.lastIndex = at;
    if (!next.test(text)) return at + text.slice(at).search(/\s|$/);
    at = next.lastIndex;
  }
  return at;
}
