// Answers a question from the caches, with what its user may list.
import { slicesOf } from '../../../lib/timing/slices.ts';
import type { AnyDefinition, RawResource } from '../../api/definition.ts';
import type { Permissions } from '../access/permissions.ts';
import type { WebAnswer, WebName, WebObject } from './answer.ts';
import type { Question } from './question.ts';
import { Selection } from './selection.ts';
import { conditionsIn, type DefinitionOf, nameIn, waitsFor, webObject } from './web-object.ts';

export interface Sources {
  readonly definitions: readonly AnyDefinition[];
  readonly list: (kind: string) => Iterable<RawResource>;
  readonly replica: () => WebAnswer['replica'];
  /** Why the caches may be old. */
  readonly notes: () => readonly string[];
}

export interface WebBounds {
  readonly objects: number;
  readonly bytes: number;
  /** Of the names of namespaces, and of the objects that wait for one. */
  readonly names: number;
}

export const usualBounds: WebBounds = { objects: 200, bytes: 512 * 1_024, names: 500 };

interface AskedOverview {
  readonly question: Question;
  readonly permissions: Permissions;
  readonly bounds?: WebBounds;
}

/** Undefined if the user may list nothing of what the question names. */
export async function overviewOf(sources: Sources, asked: AskedOverview): Promise<WebAnswer | undefined> {
  const { question, permissions, bounds = usualBounds } = asked;
  const allowed = await allowedKinds(sources, asked);
  const isAsked = ({ definition: { plural } }: AllowedKind) => [undefined, plural].includes(question.resource);
  const isNarrow = question.namespace !== undefined || question.name !== undefined;
  if (isNarrow && !allowed.some(isAsked)) return undefined;
  const selection = new Selection(question, bounds.objects);
  const namespaces = new Set<string>();
  for await (const { definition, resources } of visible(sources, allowed))
    for (const resource of resources) {
      selection.add(definition, resource);
      const { namespace } = resource.metadata;
      if (namespace !== '' && namespaces.size < bounds.names) namespaces.add(namespace);
    }
  const blocks = await blockedBy(sources, asked, allowed);
  const objects = fitting(shown(sources, selection, { question, blocks }), bounds.bytes);
  return {
    replica: sources.replica(),
    user: permissions.user,
    notes: [...sources.notes(), ...permissions.notes()],
    kinds: allowed.map(({ definition: { kind, plural } }) => ({
      kind,
      resource: plural,
      states: selection.statesOf(plural),
    })),
    namespaces: [...namespaces].sort(),
    objects,
    more: selection.matching - objects.length,
  };
}

interface AllowedKind {
  readonly definition: AnyDefinition;
  readonly includes: (namespace: string) => boolean;
}

async function allowedKinds(
  { definitions, list }: Sources,
  { question, permissions }: AskedOverview,
): Promise<readonly AllowedKind[]> {
  const all = definitions.map(async (definition) => {
    const present = () => list(definition.kind);
    const includes = await permissions.namespacesOf(definition.plural, question.namespace, present);
    return includes === undefined ? [] : [{ definition, includes }];
  });
  return (await Promise.all(all)).flat();
}

/** All objects that the user may list. Yields to the event loop in between. */
async function* visible({ list }: Sources, allowed: readonly AllowedKind[]) {
  for (const { definition, includes } of allowed)
    for await (const slice of slicesOf(list(definition.kind)))
      yield { definition, resources: slice.filter(({ metadata }) => includes(metadata.namespace)) };
}

/** What waits for the object that the question names, of `allowed` and of what is in no namespace. */
async function blockedBy(
  sources: Sources,
  asked: AskedOverview,
  allowed: readonly AllowedKind[],
): Promise<readonly WebName[]> {
  const { question, bounds = usualBounds } = asked;
  const { resource, namespace = '', name } = question;
  const named = sources.definitions.find(({ plural }) => plural === resource);
  if (named === undefined || name === undefined) return [];
  const blocked: WebName[] = [];
  for await (const { definition, resources } of visible(sources, [...allowed, ...(await kindsOutside(sources, asked))]))
    for (const by of resources)
      if (blocked.length < bounds.names && waitsFor(by, named, { namespace, name }))
        blocked.push(nameIn(definition, by));
  return blocked;
}

/**
 * The kinds in no namespace, of a question about an object in one: they do not answer it, but may wait for that object, as a SharedConnection
 * does that is being deleted. A permission in the namespace does not count for them.
 */
async function kindsOutside(sources: Sources, { question, permissions }: AskedOverview) {
  if (question.namespace === undefined) return [];
  const definitions = sources.definitions.filter(({ scope }) => scope === 'Cluster');
  return allowedKinds({ ...sources, definitions }, { question: {}, permissions });
}

function shown(
  { definitions }: Sources,
  selection: Selection,
  { question, blocks }: { readonly question: Question; readonly blocks: readonly WebName[] },
): readonly WebObject[] {
  const byKind = new Map(definitions.map((definition) => [definition.kind, definition]));
  const definitionOf: DefinitionOf = (kind) => byKind.get(kind);
  return selection.objects().map(({ definition, resource }) => {
    const object = webObject(definition, resource, definitionOf);
    return question.name === undefined ? object : { ...object, conditions: conditionsIn(resource), blocks };
  });
}

/** The first ones, as many as fit into so many bytes as JSON. */
function fitting(objects: readonly WebObject[], bytes: number): readonly WebObject[] {
  let left = bytes;
  return objects.filter((object) => {
    left -= Buffer.byteLength(JSON.stringify(object));
    return left >= 0;
  });
}
