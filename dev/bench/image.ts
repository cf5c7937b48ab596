// Reads from the Dockerfile how the image starts the operator, so that the benchmark measures the same.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Start {
  /** Flags for Node. */
  readonly nodeFlags: readonly string[];
  /** What the image sets. */
  readonly environment: Readonly<Record<string, string>>;
}

const dockerfile = join(import.meta.dirname, '..', '..', 'Dockerfile');

/** Throws `cannot read the Dockerfile: ...` when its entry point is not Node with flags and a script. */
export async function readStart(text?: string): Promise<Start> {
  const lines = (text ?? (await readFile(dockerfile, 'utf8'))).split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const [, words = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(last.join('\n')) ?? [];
  const [node, ...flags] = JSON.parse(words) as readonly string[];
  if (node !== 'node' || flags.pop()?.endsWith('.js') !== true)
    throw new Error(`cannot read the Dockerfile: its ENTRYPOINT is not Node with flags and a script: ${words}`);
  const pairs = last.filter((line) => line.startsWith('ENV ')).flatMap((line) => line.split(' ').slice(1));
  return { nodeFlags: flags, environment: Object.fromEntries(pairs.map((pair) => pair.split('=', 2))) };
}
