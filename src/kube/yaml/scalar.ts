// What a scalar of YAML means to kubectl: YAML 1.1, with the exceptions of the library that kubectl uses. PURE.

/** A floating-point number, in contrast to an integer. As the key of a mapping it is written differently. */
export interface Float {
  readonly float: number;
}

/** A bigint is an integer of 64 bits with its sign. */
export type Scalar = string | boolean | bigint | Float | null;

const words: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, { float: Infinity }] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, { float: -Infinity }] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, { float: Number.NaN }] as const),
]);

const integer = /^([-+]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;
const decimal = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;
const fraction = /^\.\d(_?\d)*([eE][-+]?\d(_?\d)*)?$/;

/** A scalar without quotes and tag. Dates, times and numbers of base 60 such as 1:30:00 stay text. */
export function plainScalar(text: string): Scalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+\d]/.test(text)) return fraction.test(text) ? floatOr(text, text.replaceAll('_', '')) : text;
  const digits = text.replaceAll('_', '');
  const found = integerIn(digits);
  if (found !== undefined) return found;
  return decimal.test(digits) ? floatOr(text, digits) : text;
}

/** What exceeds the range of a number stays text. */
function floatOr(text: string, digits: string): Scalar {
  const float = Number(digits);
  return Number.isFinite(float) ? { float } : text;
}

/** Undefined if it is none, or has more than 64 bits. */
function integerIn(digits: string): Scalar | undefined {
  const [, sign, magnitude = ''] = integer.exec(digits) ?? [];
  if (sign === undefined) return undefined;
  const size = BigInt(magnitude.replace(/^0(?=\d)/, '0o').toLowerCase());
  const value = sign === '-' ? -size : size;
  if (BigInt.asIntN(64, value) === value) return value;
  return sign === '' && BigInt.asUintN(64, value) === value ? { float: Number(value) } : undefined;
}

const prefix = 'tag:yaml.org,2002:';

/** A scalar with a tag, with or without quotes. Tags that mean nothing to kubectl make text. Throws if the text is not of the tag. */
export function taggedScalar(tag: string, text: string): Scalar {
  const value = plainScalar(text);
  const type = tag.startsWith(prefix) ? tag.slice(prefix.length) : '';
  if (type === 'binary') return decoded(text);
  if (type === 'float' && typeof value === 'bigint') return { float: Number(value) };
  if (!['null', 'bool', 'int', 'float'].includes(type)) return text;
  if (typeOf(value) !== type) throw new Error(`${JSON.stringify(text)} is not of the type !!${type}`);
  return value;
}

function typeOf(value: Scalar): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'str' : 'float';
}

function decoded(text: string): string {
  const base64 = text.replace(/\s/g, '');
  if (!/^([\w+/]{4})*([\w+/]{2}==|[\w+/]{3}=)?$/.test(base64) || base64.includes('_'))
    throw new Error('a value of the type !!binary is not valid base64');
  return Buffer.from(base64, 'base64').toString();
}
