// The kinds of custom resources, by all names that kubectl accepts for them. PURE.
import type { ResourceKind } from '../kube/resource.ts';
import { didYouMean } from '../lib/similar.ts';
import { apiVersion, group } from '../operator/api/shared-api.ts';
import { definitions } from '../operator/kinds/definitions.ts';

export const allKinds: readonly ResourceKind[] = definitions.map(({ kind, plural, scope }) => ({
  kind,
  plural,
  apiVersion,
  clusterScoped: scope === 'Cluster',
}));

/** Those of a namespace. */
export const customKinds: readonly ResourceKind[] = allKinds.filter(({ clusterScoped }) => clusterScoped !== true);

export function customKind(name: string): ResourceKind | undefined {
  return allKinds.find(({ kind }) => kind === name);
}

/** Its objects are of the whole cluster. */
export function isInNoNamespace(kind: string): boolean {
  return customKind(kind)?.clusterScoped === true;
}

/** The short name and the singular, for completions and messages. */
export const kindWords: readonly string[] = definitions.map(({ kind }) => kind.toLowerCase());

export interface ObjectName {
  readonly kind: ResourceKind;
  readonly name: string;
}

/** Undefined if there is no such kind. */
export function kindNamed(word: string): ResourceKind | undefined {
  const bare = word.toLowerCase().replace(new RegExp(`\\.(v1alpha1\\.)?${group.replace('.', '\\.')}$`), '');
  const found = definitions.find(({ kind, plural, shortName }) =>
    [kind.toLowerCase(), plural, shortName].some((one) => one === bare),
  );
  return found && customKind(found.kind);
}

/** `KIND/NAME`, or `KIND NAME`. Returns what is wrong in place of it. */
export function objectNamed(words: readonly string[]): ObjectName | string {
  const [first = '', ...rest] = words.flatMap((word) => word.split('/'));
  const [name = '', ...others] = rest;
  if (first === '' || name === '' || others.length > 0) return 'give one object, such as cluster/etl';
  const kind = kindNamed(first);
  if (kind !== undefined) return { kind, name };
  const meant = didYouMean(first.toLowerCase(), kindWords);
  return `there is no kind ${JSON.stringify(first)}${meant === '' ? `: use one of ${kindWords.join(', ')}` : meant}`;
}
