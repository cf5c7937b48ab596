// Which fields name other objects, in the form of kustomize: it then writes the names that its generators and prefixes make into them. PURE.

import { group } from '../../src/operator/api/shared-api.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { fieldsBelow, type Schema } from './fields.ts';
import { toStructural } from './structural-schema.ts';

export interface NameReference {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly fieldSpecs: readonly { readonly path: string; readonly kind: string; readonly group: string }[];
}

const described = /^Name of the (\w+),.* in (?:the same namespace|credentialsNamespace)(?:, or of the (\w+))?\.$/;
const own: ReadonlySet<string> = new Set(definitions.map(({ kind }) => kind));

/** By the kind that the fields name. All others than ours are those of Kubernetes itself. */
export function nameReferences(): readonly NameReference[] {
  const found = definitions.flatMap(({ kind, spec }) =>
    fieldsBelow(toStructural(spec) as Schema, 'spec').flatMap(({ path, description }) => {
      const [, ...names] = described.exec(description) ?? [];
      const field = { path: path.replaceAll('[]', '').replaceAll('.', '/'), group, kind };
      return names.flatMap((named) => (named === undefined ? [] : [{ named, field }]));
    }),
  );
  return [...Map.groupBy(found, ({ named }) => named)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, fields]) => ({
      kind,
      ...(own.has(kind) ? { group } : { version: 'v1' }),
      fieldSpecs: fields.map(({ field }) => field),
    }));
}
