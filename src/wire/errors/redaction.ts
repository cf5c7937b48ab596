// Removes secrets from foreign texts: those that are known, in any encoding that a server may use for them, and what looks like credentials.

/** Characters that are never encoded. */
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
 * A pattern for one character, or a run of backslashes, in plain text, JSON, quoted JSON, URLs and HTML. Bounds on the number of escapes keep the
 * search fast.
 */
const spelling = (piece: string): string => {
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
    // Last, because most encodings of & begin with it.
    String.raw`\\{0,4}${literal(piece)}`,
  ];
  return `(?:${ways.flat().join('|')})`;
};

/** This many characters of a secret are treated as the secret, because a server may truncate what it echoes. */
const telling = 12;

/** The base64 encodings of a secret at any position in a longer text, without the characters that depend on neighboring bytes. */
const inBase64 = (secret: string): readonly string[] => {
  const bytes = utf8.encode(secret);
  const texts = [0, 1, 2].map((before) => {
    const bits = 8 * (before + bytes.length);
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
  });
  const inAddresses = texts.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([...texts, ...inAddresses])].filter((text) => text.length >= telling);
};

interface Search {
  readonly beginning: RegExp;
  /** The pieces after the beginning. */
  readonly pieces: readonly string[];
}

const searchFor = (text: string): Search => {
  const pieces: readonly string[] = text.match(/\\+|[^]/gu) ?? [];
  const beginning = new RegExp(pieces.slice(0, telling).map(spelling).join(''), 'g');
  return { beginning, pieces: pieces.slice(telling) };
};

/** By secret, because the same few are searched for repeatedly. */
const searches = new Map<string, readonly Search[]>();
const mostSearches = 64;

const searchesFor = (secret: string): readonly Search[] => {
  const known = searches.get(secret);
  if (known !== undefined) return known;
  if (searches.size >= mostSearches) searches.clear();
  const made = [secret, ...inBase64(secret)].map(searchFor);
  searches.set(secret, made);
  return made;
};

/** Replaces each secret, or a long beginning of it, by `***`, because a server may echo what it was sent. */
export const redact = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== '')
    .flatMap(searchesFor)
    .reduce(hide, text);

const hide = (text: string, { beginning, pieces }: Search): string => {
  if (text.search(beginning) < 0) return text;
  const patterns = new Map([...new Set(pieces)].map((piece) => [piece, new RegExp(spelling(piece), 'y')]));
  const rest = pieces.flatMap((piece) => patterns.get(piece) ?? []);
  let shown = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(beginning)) {
    if (index < from) continue;
    shown += `${text.slice(from, index)}***`;
    from = endOf(text, index + found.length, rest);
  }
  return shown + text.slice(from);
};

/** The end of an echo whose beginning ends at `from`: the end of the secret or, if the echo breaks off, the end of the word. */
const endOf = (text: string, from: number, rest: readonly RegExp[]): number => {
  let at = from;
  for (const next of rest) {
    next.lastIndex = at;
    if (!next.test(text)) return at + text.slice(at).search(/\s|$/);
    at = next.lastIndex;
  }
  return at;
};

// Services report the failed command or address, including credentials.
const credentials: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#@]{1,512}@/gi, '$1***@'],
  [
    /((?:password|passwd|passphrase|passwort|secret|(?:secret|access|api|private)[_ -]?key|token)["']?\s{0,4}[=:]\s{0,4})("[^"]*"?|'[^']*'?|[^\s,;&"')\]}]+)/gi,
    '$1***',
  ],
];

/** Puts `***` in place of what looks like credentials, whether they are known or not. */
export const withoutCredentials = (text: string): string =>
  credentials.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text);
