// Texts of which thousands are alike, kept in a fraction of their size: what one has in common with a sample is kept once.
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * How far back, in bytes and as a power of two, a text may refer to itself and to the sample; the size of what is remembered of
 * it; and the bytes in which a call answers. Most texts need no more, and with the defaults each call takes up to twice as long.
 */
const options = { windowBits: 12, memLevel: 4, chunkSize: 2_048 } as const;

/** One text. */
export class Packed {
  /** One character for each byte: a Buffer takes more for itself than most of these hold. */
  readonly bytes: string;
  readonly #sample: Buffer;

  constructor(bytes: string, sample: Buffer) {
    this.bytes = bytes;
    this.#sample = sample;
  }

  same(other: Packed): boolean {
    return this.#sample === other.#sample ? this.bytes === other.bytes : this.text() === other.text();
  }

  /** As it was packed; takes some 10 µs. */
  text(): string {
    return inflateRawSync(Buffer.from(this.bytes, 'latin1'), { ...options, dictionary: this.#sample }).toString();
  }
}

/** What is longer than the window would push its own beginning out of it. */
const longestSample = 3_072;

/** For texts that are alike: each takes what it has of its own. A text that is packed stays readable whatever comes after it. */
export class Packer {
  #sample = Buffer.alloc(0);
  #packed = 0;
  #renewAt = 0;

  pack(text: string): Packed {
    const whole = Buffer.from(text);
    this.#renew(whole);
    const bytes = deflateRawSync(whole, { ...options, dictionary: this.#sample }).toString('latin1');
    return new Packed(bytes, this.#sample);
  }

  /** The first texts are often poor ones: now and then, and ever more seldom, one that says as much or more becomes the sample of those that follow. */
  #renew(whole: Buffer): void {
    this.#packed += 1;
    const head = whole.subarray(0, longestSample);
    if (this.#packed < this.#renewAt || head.byteLength < this.#sample.byteLength) return;
    this.#sample = Buffer.from(head);
    this.#renewAt = 2 * this.#packed;
  }
}
