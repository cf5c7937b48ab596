// Reads what the operator would have in its cache, as far as the user may.
import { ApiError } from '../../kube/api-error.ts';
import { type RawResource, type ResourceKind, toResource } from '../../kube/resource.ts';
import { messageOf } from '../../lib/errors.ts';
import { ledgerAnnotation, secretType } from '../../operator/api/shared-api.ts';
import type { Kind } from '../../operator/reconcile/kind/kind.ts';
import { ledgerIn } from '../../operator/reconcile/ledger/ledger.ts';
import { specOf } from '../../operator/reconcile/resource/facts.ts';
import { ledgerTexts } from '../../operator/reconcile/resource/references.ts';
import { customKinds } from '../kind-names.ts';
import type { Observed } from '../observed.ts';
import type { Reach } from '../reach.ts';
import { type KindList, readAll } from '../read-all.ts';
import type { SeenObjects } from './seen-objects.ts';

export interface SeenResources {
  readonly resources: readonly RawResource[];
  /** All namespaces were read. */
  readonly seesAll: boolean;
  readonly warnings: readonly string[];
}

/** Of all namespaces if the user may, and of these otherwise. Rejects if the user may not read these either. */
export async function readResources(reach: Reach, namespaces: readonly string[]): Promise<SeenResources> {
  const read = await Promise.all(customKinds.map((kind) => listsOf(reach, kind, namespaces)));
  const cut = read.flatMap(({ lists }) => lists.filter(({ isPartial }) => isPartial).map(({ kind }) => kind));
  const seesAll = read.every(({ isWhole }) => isWhole);
  return {
    resources: read.flatMap(({ kind, lists }) =>
      lists.flatMap(({ items }) => items.map((one) => toResource(kind, one))),
    ),
    seesAll: seesAll && cut.length === 0,
    warnings: [
      ...(seesAll
        ? []
        : [
            'you may not list the resources of other namespaces: whether one of them claims the same objects of the service is not known',
          ]),
      ...[...new Set(cut)].map((kind) => `there are more resources of kind ${kind} than are read`),
    ],
  };
}

async function listsOf({ objects }: Reach, kind: ResourceKind, namespaces: readonly string[]) {
  const whole = await readAll(objects, kind, true).catch(() => undefined);
  if (whole !== undefined) return { kind, lists: [whole], isWhole: true };
  const lists: KindList[] = [];
  for (const namespace of namespaces) lists.push(await readAll(objects.within(namespace), kind, false));
  return { kind, lists, isWhole: false };
}

/** By the ledgers that it has written, or else as the operator is named without a flag. Empty: not known. */
export async function installationIn({ transport }: Reach, resources: readonly RawResource[]): Promise<string> {
  const written = resources.flatMap((one) => ledgerIn(ledgerTexts(one, ledgerAnnotation)[1])?.installation ?? []);
  const counts = [...Map.groupBy(written, (one) => one)].map(([name, all]) => [name, all.length] as const);
  const [most] = counts.toSorted(([, one], [, other]) => other - one);
  if (most !== undefined) return most[0];
  try {
    const found = (await transport.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' })) as Observed;
    return found.metadata.uid ?? '';
  } catch {
    return '';
  }
}

const builtIn: Readonly<Record<string, ResourceKind>> = {
  Secret: { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' },
  ConfigMap: { kind: 'ConfigMap', apiVersion: 'v1', plural: 'configmaps' },
};

/** The Secrets and ConfigMaps that the spec refers to. Returns those that the user may not read. */
export async function readHolders(
  { objects }: Reach,
  store: SeenObjects,
  { kind, resource }: { readonly kind: Kind; readonly resource: RawResource },
): Promise<readonly string[]> {
  const spec = specOf(kind, resource);
  const { name, namespace } = resource.metadata;
  const problems: string[] = [];
  for (const reference of spec.ok ? kind.references(spec.value, name) : []) {
    const of = builtIn[reference.kind];
    if (of === undefined || store.read({ kind: of.kind, namespace, name: reference.name })) continue;
    try {
      const holder = toResource(of, await objects.within(namespace).read(of, reference.name));
      // The operator reads no other Secrets.
      if (of.kind !== 'Secret' || holder.type === secretType) store.put(holder);
    } catch (error) {
      if (error instanceof ApiError || (error instanceof Error && error.cause instanceof ApiError))
        problems.push(messageOf(error));
    }
  }
  return problems;
}
