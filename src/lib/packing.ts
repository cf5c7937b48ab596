// Texts of which thousands are alike, kept in a fraction of their size: what one has in common with a sample is kept once.
import { type DeltaReference, decode, encode, referenceOf } from './delta.ts';

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

  /** As it was packed. */
  text(): string {
    return decode(this.bytes, this.#sample);
  }
}

interface Sample {
  reference: DeltaReference;
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
    const sample = this.#samples.get(sort) ?? { reference: referenceOf(''), packed: 0, renewAt: 0, longest: '' };
    this.#samples.set(sort, sample);
    renew(sample, text);
    return new Packed(encode(text, sample.reference), sample.reference.bytes);
  }
}

/** The first texts are often poor ones: now and then, and ever more seldom, the sample is another. */
function renew(sample: Sample, text: string): void {
  sample.packed += 1;
  if (text.length > sample.longest.length) sample.longest = text;
  if (sample.packed < sample.renewAt) return;
  sample.reference = referenceOf(sample.longest);
  sample.renewAt = 2 * sample.packed;
  sample.longest = '';
}
