// Writes YAML that kubectl reads as the same values. PURE.
import { stringify } from 'yaml';

/** In YAML 1.1, so that texts such as `yes`, `0600` and `1_000` get quotes. */
export function writeDocuments(values: readonly object[]): string {
  return values
    .map((value) => stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
}
