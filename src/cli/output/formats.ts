// What a command has found, as JSON or YAML for programs. PURE.
import { writeDocuments } from '../../kube/yaml/write.ts';
import type { Format } from '../arguments/cli-flags.ts';

export function formatted(format: Exclude<Format, 'text'>, value: object): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : writeDocuments([value]);
}
