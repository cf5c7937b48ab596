// Renders the kustomizations of deploy/, and those of users over them, as `kubectl kustomize` does. Supports only what they use.
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { type Manifest, readManifests, titleOf } from './manifests.ts';

export interface Kustomization {
  readonly resources: readonly string[];
  /** Folders that add resources, and patch all that there is before them. */
  readonly components?: readonly string[];
  readonly patches?: readonly Patch[];
  readonly namespace?: string;
  readonly images?: readonly { readonly name: string; readonly newName: string }[];
}

/**
 * Of a file, or in place; for all objects of a kind, or for the one that has the same name. A list has operations of JSON Patch,
 * of which `add` and `replace` are understood.
 */
interface Patch {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: { readonly kind: string; readonly name?: string };
}

const fileNames = ['kustomization.yaml', 'Kustomization'] as const;
const understood = ['apiVersion', 'kind', 'resources', 'components', 'patches', 'namespace', 'images'];
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
  return renderOver([], folder);
}

async function renderOver(base: readonly Manifest[], folder: string): Promise<readonly Manifest[]> {
  const { resources, components = [], patches = [], images = [], namespace } = await readKustomization(folder);
  const own = await Promise.all(resources.map(async (name) => renderResource(join(folder, name))));
  let rendered = [...base, ...own.flat()];
  for (const name of components) rendered = [...(await renderOver(rendered, join(folder, name)))];
  const changes = await Promise.all(patches.map(async (patch) => readPatch(folder, patch)));
  const patched = changes.flat().reduce(change, rendered);
  const placed = namespace === undefined ? patched : inNamespace(patched, namespace);
  return images.reduce(replaceImage, placed);
}

async function renderResource(path: string): Promise<readonly Manifest[]> {
  return (await stat(path)).isDirectory() ? renderKustomization(path) : readManifests(path);
}

interface Change {
  readonly of: (manifest: Manifest) => boolean;
  readonly to: (manifest: Manifest) => Manifest;
  readonly title: string;
}

async function readPatch(folder: string, { path, patch = '', target }: Patch): Promise<readonly Change[]> {
  if (path === undefined && target !== undefined) {
    const read: unknown = parse(patch);
    if (Array.isArray(read)) return [operate(target, read as readonly Operation[])];
  }
  const bodies =
    path === undefined
      ? parseAllDocuments(patch).map((document) => document.toJS() as Manifest)
      : await readManifests(join(folder, path));
  return bodies.map((body) => {
    const { apiVersion: _version, kind: _kind, metadata, ...to } = body;
    const same = (manifest: Manifest) =>
      titleOf(manifest) === titleOf(body) && manifest.metadata.namespace === metadata.namespace;
    const of = target === undefined ? same : (manifest: Manifest) => manifest.kind === target.kind;
    return { of, to: (manifest) => merged(manifest, to) as Manifest, title: target?.kind ?? titleOf(body) };
  });
}

interface Operation {
  readonly op: 'add' | 'replace';
  readonly path: string;
  readonly value: unknown;
}

function operate({ kind, name }: NonNullable<Patch['target']>, operations: readonly Operation[]): Change {
  return {
    of: (manifest) => manifest.kind === kind && (name === undefined || manifest.metadata.name === name),
    to: (manifest) =>
      operations.reduce<unknown>(
        (changed, { path, value }) => placed(changed, path.split('/').slice(1), value),
        manifest,
      ) as Manifest,
    title: `${kind} ${name ?? ''}`,
  };
}

/** With the value at this path, of which `-` is the place behind the last entry of a list. */
function placed(into: unknown, [first = '', ...rest]: readonly string[], value: unknown): unknown {
  if (Array.isArray(into)) {
    const entries = into as readonly unknown[];
    if (first === '-') return [...entries, value];
    return entries.map((entry, index) =>
      String(index) === first ? (rest.length > 0 ? placed(entry, rest, value) : value) : entry,
    );
  }
  const map = isMap(into) ? into : {};
  return { ...map, [first]: rest.length > 0 ? placed(map[first], rest, value) : value };
}

function change(manifests: readonly Manifest[], { of, to, title }: Change): readonly Manifest[] {
  if (!manifests.some(of)) throw new Error(`cannot patch ${title}: no resource is that`);
  return manifests.map((manifest) => (of(manifest) ? to(manifest) : manifest));
}

/** As a strategic merge does it: by field, of which null takes one away, entries of lists by their names, and all else replaced. */
export function merged(base: unknown, patch: unknown): unknown {
  if (isNamedList(base) && isNamedList(patch)) {
    const changed = patch.map((entry) =>
      merged(
        base.find(({ name }) => name === entry.name),
        entry,
      ),
    );
    return [...changed, ...base.filter(({ name }) => !patch.some((entry) => entry.name === name))];
  }
  if (!isMap(patch)) return patch;
  const before = isMap(base) ? base : {};
  const fields = Object.entries(patch).map(([field, value]) => [field, merged(before[field], value)] as const);
  const all = { ...before, ...Object.fromEntries(fields) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

function replaceImage(
  manifests: readonly Manifest[],
  { name, newName }: { readonly name: string; readonly newName: string },
): readonly Manifest[] {
  const images = JSON.stringify(manifests).replaceAll(`"image":"${name}:`, `"image":"${newName}:`);
  return JSON.parse(images) as readonly Manifest[];
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
