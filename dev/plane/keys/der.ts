// The few ASN.1 encodings (DER, X.690) that a certificate needs.

const value = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
};

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes = Buffer.from(size.toString(16).padStart(size > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => value(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => value(0x31, ...parts);
export const octets = (content: Uint8Array): Buffer => value(0x04, content);
export const utf8 = (text: string): Buffer => value(0x0c, Buffer.from(text, 'utf8'));
export const truth = (): Buffer => value(0x01, Buffer.from([0xff]));

/** A field with a tag of its own: `constructed` around other fields, else around bare bytes. */
export const tagged = (tag: number, content: Uint8Array, constructed = true): Buffer =>
  value((constructed ? 0xa0 : 0x80) | tag, content);

/** A positive number from its big-endian bytes. */
export const integer = (bytes: Uint8Array): Buffer =>
  // A leading one bit would make it negative.
  value(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes);

export const bits = (content: Uint8Array, unused = 0): Buffer => value(0x03, Buffer.from([unused]), content);

/** Certificates write years up to 2049 with two digits (RFC 5280, 4.1.2.5). */
export const time = (moment: Date): Buffer =>
  value(0x17, Buffer.from(`${moment.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));

export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(arc: number): number[] {
  const digits = [arc & 0x7f];
  for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}
