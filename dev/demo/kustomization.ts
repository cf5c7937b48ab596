// Renders the kustomizations of deploy/ as `kubectl kustomize` does, as far as they go: resources, patches by file, a namespace.
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Manifest, readManifests, titleOf } from './manifests.ts';

export interface Kustomization {
  readonly resources: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
  readonly namespace?: string;
}

const fileNames = ['kustomization.yaml', 'Kustomization'] as const;
const understood = ['apiVersion', 'kind', 'resources', 'patches', 'namespace'];
/** Of the kinds that deploy/ has, those that belong to no namespace. */
const clusterWide = /^(Namespace|CustomResourceDefinition|ClusterRole|ClusterRoleBinding|ValidatingAdmissionPolicy.*)$/;

export async function readKustomization(folder: string): Promise<Kustomization> {
  const paths = fileNames.map((name) => join(folder, name));
  const there = await Promise.all(paths.map(async (path) => access(path).then(...yesOrNo)));
  const path = paths.find((_, index) => there[index]);
  if (path === undefined) throw new Error(`cannot render ${folder}: it has no kustomization.yaml`);
  const read = parse(await readFile(path, 'utf8')) as Kustomization;
  const foreign = Object.keys(read).filter((field) => !understood.includes(field));
  if (foreign.length > 0) throw new Error(`cannot render ${path}: only kubectl understands its ${foreign.join()}`);
  return read;
}

const yesOrNo = [() => true, () => false] as const;

/** All objects, in the order in which the files name them. */
export async function renderKustomization(folder: string): Promise<readonly Manifest[]> {
  const { resources, patches = [], namespace } = await readKustomization(folder);
  const rendered = await Promise.all(resources.map(async (name) => renderResource(join(folder, name))));
  const changes = await Promise.all(patches.map(async ({ path }) => readManifests(join(folder, path))));
  const patched = changes.flat().reduce(patchOne, rendered.flat());
  return namespace === undefined ? patched : inNamespace(patched, namespace);
}

async function renderResource(path: string): Promise<readonly Manifest[]> {
  return (await stat(path)).isDirectory() ? renderKustomization(path) : readManifests(path);
}

function patchOne(manifests: readonly Manifest[], patch: Manifest): readonly Manifest[] {
  if (!manifests.some((manifest) => titleOf(manifest) === titleOf(patch)))
    throw new Error(`cannot patch ${titleOf(patch)}: the resources do not have it`);
  return manifests.map((manifest) =>
    titleOf(manifest) === titleOf(patch) ? (merged(manifest, patch) as Manifest) : manifest,
  );
}

/** As a strategic merge does it: by field, entries of lists by their names, and all else replaced. */
export function merged(base: unknown, patch: unknown): unknown {
  if (isNamedList(base) && isNamedList(patch)) {
    const added = patch.filter(({ name }) => !base.some((entry) => entry.name === name));
    const kept = base.map((entry) =>
      merged(
        entry,
        patch.find(({ name }) => name === entry.name),
      ),
    );
    return [...added, ...kept];
  }
  if (!isMap(base) || !isMap(patch)) return patch === undefined ? base : patch;
  const fields = Object.entries(patch).map(([field, value]) => [field, merged(base[field], value)] as const);
  return { ...base, ...Object.fromEntries(fields) };
}

/** With the operator's account moved along in what is bound to it. */
export function inNamespace(manifests: readonly Manifest[], namespace: string): readonly Manifest[] {
  return manifests.map((manifest) => {
    const subjects = (manifest['subjects'] as readonly object[] | undefined)?.map((one) => ({ ...one, namespace }));
    const bound = subjects === undefined ? manifest : { ...manifest, subjects };
    if (manifest.kind === 'Namespace') return { ...bound, metadata: { ...manifest.metadata, name: namespace } };
    return clusterWide.test(manifest.kind) ? bound : { ...bound, metadata: { ...manifest.metadata, namespace } };
  });
}

type NamedList = readonly { readonly name: string }[];

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNamedList = (value: unknown): value is NamedList =>
  Array.isArray(value) && value.every((entry) => isMap(entry) && typeof entry['name'] === 'string');
