// Delta encoding: a text as what it does not have in common with a reference or with its own beginning. For thousands of short texts
// that are alike: for each of them zlib would make a stream, and allocate 64 kB.

/** What texts are told by. */
export interface DeltaReference {
  readonly bytes: Uint8Array;
  /** Where words of four bytes stand in it, by slot. */
  readonly places: Uint16Array;
}

/** So many bytes are copied at least: it takes two to copy from as far back as before, and up to four from elsewhere. */
const least = { asFarBack: 4, elsewhere: 6 } as const;
/** No better place is looked for. */
const goodEnough = 16;
const slotBits = 12;
const slots = 1 << slotBits;
/** In bytes: more places than slots would hide one another. */
const longestReference = slots;
const wordBytes = 4;
/** Of four bits: as many or more, and then a number tells how many more. */
const many = 15;

/** Others share the slot, and places wrap at 64 kB: what is there is always compared. */
const slotOf = (word: number): number => Math.imul(word, 0x9e_37_79_b1) >>> (32 - slotBits);

/** The reference and the text after it, for one call at a time. As long as any pair that was ever encoded. */
let window = Buffer.alloc(0);
let words = new DataView(window.buffer);
let output = Buffer.alloc(0);
const places = new Uint16Array(slots);

/** Of the beginning of a text. */
export function referenceOf(text: string): DeltaReference {
  // Never empty: something is always so and so far back. Not a Buffer, which may be part of a larger one and keep all of it.
  const bytes = Uint8Array.from(Buffer.from(text || ' ').subarray(0, longestReference));
  const view = new DataView(bytes.buffer);
  const found = new Uint16Array(slots);
  for (let at = 0; at + wordBytes <= bytes.length; at++) found[slotOf(view.getInt32(at))] = at;
  return { bytes, places: found };
}

/**
 * The same for the same text and reference, one character for each byte; takes some 15 µs for 2 kB. It says, in turn: how many
 * bytes are new and how many more than four are copied then, in one byte where both are few; the new ones; from how far back
 * the others are copied, where 0 means as far as before.
 */
export function encode(text: string, reference: DeltaReference): string {
  const begin = reference.bytes.length;
  const end = load(text, reference);
  let [length, done, back] = [0, begin, begin];
  for (let at = begin; at + wordBytes <= end; ) {
    let from = at - back;
    let count = alike(from, at, end);
    const slot = slotOf(words.getInt32(at));
    const other = places[slot] ?? 0;
    places[slot] = at;
    if (count < goodEnough) {
      const better = alike(other, at, end);
      if (better >= Math.max(least.elsewhere, count + 3)) [from, count] = [other, better];
    }
    if (count < least.asFarBack) {
      at += 1;
      continue;
    }
    length = putNew(length, done, at, count - least.asFarBack);
    length = putNumber(length, at - from === back ? 0 : at - from);
    back = at - from;
    at += count;
    done = at;
  }
  return output.toString('latin1', 0, putNew(length, done, end, 0));
}

/** The text that this process encoded with a reference of these `bytes`; takes some 10 µs for 2 kB. */
export function decode(delta: string, bytes: Uint8Array): string {
  window.set(bytes);
  let [read, end, back] = [0, bytes.length, bytes.length];
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = delta.charCodeAt(read++);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const countOf = (bits: number): number => (bits === many ? many + number() : bits);
  for (;;) {
    const counts = delta.charCodeAt(read++);
    const fresh = countOf(counts >>> 4);
    const count = countOf(counts & many) + least.asFarBack;
    for (const last = end + fresh; end < last; end++) window[end] = delta.charCodeAt(read++);
    if (read === delta.length) return window.toString('utf8', bytes.length, end);
    back = number() || back;
    // Byte by byte: what is copied may be what has just been copied.
    for (const last = end + count; end < last; end++) window[end] = window[end - back] ?? 0;
  }
}

/** Fills the window; answers with where the text ends. */
function load(text: string, { bytes, places: known }: DeltaReference): number {
  const most = bytes.length + 3 * text.length;
  if (window.length < most) {
    window = Buffer.alloc(2 * most);
    words = new DataView(window.buffer);
    output = Buffer.alloc(2 * most);
  }
  window.set(bytes);
  places.set(known);
  return bytes.length + window.write(text, bytes.length);
}

/** For how many bytes the window says at one place what it says at another one. */
function alike(one: number, other: number, end: number): number {
  let count = 0;
  while (other + count < end && window[one + count] === window[other + count]) count += 1;
  return count;
}

function putNumber(at: number, value: number): number {
  let [place, rest] = [at, value];
  for (; rest >= 128; rest >>>= 7) output[place++] = (rest & 127) | 128;
  output[place++] = rest;
  return place;
}

function putNew(at: number, from: number, to: number, copied: number): number {
  const fresh = to - from;
  output[at] = (Math.min(fresh, many) << 4) | Math.min(copied, many);
  let place = at + 1;
  if (fresh >= many) place = putNumber(place, fresh - many);
  if (copied >= many) place = putNumber(place, copied - many);
  window.copy(output, place, from, to);
  return place + fresh;
}
