// Why a key of a ConfigMap or Secret cannot be used as a file, for people. PURE.
import { similarTo } from '../../../lib/similar.ts';
import type { RawResource } from '../../api/definition.ts';
import { fileDigest } from '../../api/files.ts';

/** The key is missing, or has no bytes. Undefined: it has some. */
export function fileProblem(holder: RawResource, key: string): string | undefined {
  const { kind, metadata, data, binaryData, files } = holder;
  const found = fileDigest(holder, key);
  if (found && found.size > 0) return undefined;
  const similar = similarTo(key, Object.keys({ ...data, ...binaryData, ...files }));
  const hint = similar === undefined ? '' : ` (its key ${similar} is not read)`;
  const trouble = found ? `has nothing in its key "${key}": fill it in` : `has no key "${key}": add it${hint}`;
  return `${kind} ${metadata.name} ${trouble}`;
}
