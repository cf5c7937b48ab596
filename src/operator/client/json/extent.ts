// Finds the end of a JSON string, object or array that arrives in chunks. It does not validate it.

export const quote = 0x22;
const backslash = 0x5c;
export const comma = 0x2c;
export const openArray = 0x5b;
export const closeArray = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

/** V8 takes some hundred bytes for an object whose keys no other one has, and much less for any other value. */
const objectValues = 3;

/** A size, or a maximum size. */
export interface Size {
  readonly bytes: number;
  readonly values: number;
  /** The depth of nesting. */
  readonly depth: number;
}

export class Extent {
  #depth = 0;
  #deepest = 0;
  #inText = false;
  /** The next byte of the string is escaped. */
  #escaped = false;
  #values = 1;

  /** The number of values so far. An object counts as three, and an empty structure may count as one more. */
  get values(): number {
    return this.#values;
  }

  /** The maximum depth so far. */
  get depth(): number {
    return this.#deepest;
  }

  /** The end in `body`, starting at `from`; undefined if it is in a later chunk. */
  endIn(body: Buffer, from: number): number | undefined {
    let at = from;
    do {
      if (at >= body.length) return undefined;
      at = this.#inText ? this.#passText(body, at) : this.#passStructure(body, at);
    } while (this.#depth > 0 || this.#inText);
    return at;
  }

  /** Stops at the start of the next string or at the end of the outermost structure. */
  #passStructure(body: Buffer, from: number): number {
    let [at, depth, values, deepest] = [from, this.#depth, this.#values, this.#deepest];
    do {
      const byte = body[at++];
      if (byte === quote) this.#inText = true;
      else if (byte === comma) values++;
      else if (byte === openObject || byte === openArray) {
        depth++;
        values += byte === openObject ? objectValues : 1;
        if (depth > deepest) deepest = depth;
      } else if (byte === closeObject || byte === closeArray) depth--;
    } while (depth > 0 && !this.#inText && at < body.length);
    this.#depth = depth;
    this.#values = values;
    this.#deepest = deepest;
    return at;
  }

  #passText(body: Buffer, from: number): number {
    const begin = this.#escaped ? from + 1 : from;
    const end = body.indexOf(quote, begin);
    const last = end < 0 ? body.length : end;
    let first = last;
    while (first > begin && body[first - 1] === backslash) first--;
    this.#escaped = (last - first) % 2 === 1;
    if (end < 0 || this.#escaped) return last;
    this.#inText = false;
    return end + 1;
  }
}

export function sizeOf(body: Buffer): Size {
  const extent = new Extent();
  for (let at: number | undefined = 0; at !== undefined && at < body.length; ) at = extent.endIn(body, at);
  return { bytes: body.byteLength, values: extent.values, depth: extent.depth };
}

export function exceeds(size: Size, most: Size): boolean {
  return size.bytes > most.bytes || size.values > most.values || size.depth > most.depth;
}
