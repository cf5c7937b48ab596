// Names for resources, from those of objects in a service. PURE.
import { baseOf } from '../../lib/generated-name.ts';

const longest = 52;
const idLetters = 8;

/** As Kubernetes allows names, without the tag of an operator. */
export function plainName(name: string): string {
  const plain = baseOf(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'unnamed' : plain;
}

/** Gives each object of a kind a name that no other one has; `taken` grows. */
export function uniqueName(taken: Set<string>, { name, id }: { readonly name: string; readonly id: string }): string {
  const plain = plainName(name);
  const suffix = plainName(id).replace(/-/g, '').slice(0, idLetters);
  const candidates = [plain, `${plain}-${suffix}`, `${plain}-${plainName(id)}`.slice(0, 250)];
  const free = candidates.find((one) => !taken.has(one)) ?? `${plain}-${taken.size}`;
  taken.add(free);
  return free;
}
