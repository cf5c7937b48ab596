// Collects received chunks. Short ones are merged, because the object of a one-byte chunk takes a hundred bytes.

/** Shorter chunks are merged. */
const shortBytes = 4_096;
const blockBytes = 16_384;

export class Chunks {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The buffer for short chunks. */
  #block: Buffer | undefined;
  #used = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (chunk.length >= shortBytes) {
      this.#endBlock();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#block !== undefined && this.#used + chunk.length > this.#block.length) this.#endBlock();
    this.#block ??= Buffer.allocUnsafe(blockBytes);
    this.#used += chunk.copy(this.#block, this.#used);
  }

  /** Returns all chunks and forgets them. */
  take(): readonly Buffer[] {
    this.#endBlock();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#bytes = 0;
    return chunks;
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#chunks.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
