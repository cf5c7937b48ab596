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
  readonly #sample: Uint8Array;

  constructor(bytes: string, sample: Uint8Array) {
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

interface Sample {
  /** Not a Buffer, which may be part of a larger one and keep all of it. */
  bytes: Uint8Array;
  packed: number;
  renewAt: number;
  /** The longest text since it was renewed: it says most. */
  longest: string;
}

/** For texts that are alike: each takes what it has of its own. A text that is packed stays readable whatever comes after it. */
export class Packer {
  readonly #samples = new Map<string, Sample>();

  /** Texts of one sort share a sample. */
  pack(text: string, sort: string): Packed {
    const sample = this.#samples.get(sort) ?? { bytes: new Uint8Array(), packed: 0, renewAt: 0, longest: '' };
    this.#samples.set(sort, sample);
    renew(sample, text);
    const bytes = deflateRawSync(text, { ...options, dictionary: sample.bytes }).toString('latin1');
    return new Packed(bytes, sample.bytes);
  }
}

/** The first texts are often poor ones: now and then, and ever more seldom, the sample is another. */
function renew(sample: Sample, text: string): void {
  sample.packed += 1;
  if (text.length > sample.longest.length) sample.longest = text;
  if (sample.packed < sample.renewAt) return;
  sample.bytes = Uint8Array.from(Buffer.from(sample.longest).subarray(0, longestSample));
  sample.renewAt = 2 * sample.packed;
  sample.longest = '';
}
