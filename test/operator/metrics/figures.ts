// Reads figures as text, without the prefix that all of them have.
import type { Registry } from 'prom-client';

const prefix = 'dataprocessing_operator_';

/** The lines of the figures whose names begin with `name`. */
export async function linesOf(registry: Registry, name: string): Promise<readonly string[]> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(prefix + name));
  return lines.map((line) => line.slice(prefix.length));
}
