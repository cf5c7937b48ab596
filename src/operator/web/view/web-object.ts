// An object as the page shows it. Each field is bounded in number and length, whatever the object has.
import type { AnyDefinition, RawResource } from '../../api/definition.ts';
import { readStatus } from '../../reconcile/resource/read-conditions.ts';
import type { WebBlocker, WebCondition, WebName, WebObject } from './answer.ts';
import { columnsOf } from './columns.ts';
import { linksOf } from './links.ts';
import { blockersIn, stateOf } from './state.ts';
import { cut, textOf } from './text.ts';

const mostBlockers = 20;
const mostConditions = 20;
const longestMessage = 1_024;
const longestWord = 256;
const longestName = 1_024;

/** Undefined for what is no kind of the operator. */
export type DefinitionOf = (kind: string) => AnyDefinition | undefined;

export function nameIn(definition: AnyDefinition, { metadata }: RawResource): WebName {
  const { kind, plural } = definition;
  return { kind, resource: plural, namespace: metadata.namespace, name: metadata.name };
}

export function webObject(definition: AnyDefinition, resource: RawResource, definitionOf: DefinitionOf): WebObject {
  const { metadata, status } = resource;
  const { state, condition } = stateOf(resource);
  return {
    ...nameIn(definition, resource),
    state,
    reason: cut(condition?.reason ?? '', longestWord),
    message: cut(condition?.message ?? '', longestMessage),
    ...(condition !== undefined && { since: cut(condition.lastTransitionTime, longestWord) }),
    created: metadata.creationTimestamp ?? '',
    deleting: metadata.deletionTimestamp !== undefined,
    columns: columnsOf(definition.columns, resource),
    links: linksOf(status),
    blockedOn: blockersIn(status)
      .slice(0, mostBlockers)
      .map((one) => blocker(one, metadata.namespace, definitionOf)),
  };
}

/** `of`: the namespace of what it blocks. */
function blocker(one: Readonly<Record<string, unknown>>, of: string, definitionOf: DefinitionOf): WebBlocker {
  const kind = textOf(one['kind'], longestWord);
  const name = textOf(one['name'], longestName);
  const definition = definitionOf(kind);
  return {
    kind,
    name,
    ...(definition && { object: placeOf(definition, name, of) }),
    reason: textOf(one['reason'], longestWord),
    message: textOf(one['message'], longestMessage),
  };
}

/** What is in no namespace names others with theirs: `team/etl`. `of`: the namespace of what names it. */
function placeOf({ kind, plural: resource, scope }: AnyDefinition, text: string, of: string): WebName {
  const [namespace = '', name] = text.split('/');
  if (name !== undefined) return { kind, resource, namespace, name };
  return { kind, resource, namespace: scope === 'Cluster' ? '' : of, name: text };
}

export function conditionsIn({ status }: RawResource): readonly WebCondition[] {
  return readStatus(status)
    .conditions.slice(0, mostConditions)
    .map(({ type, status: value, reason, message, lastTransitionTime }) => ({
      type: cut(type, longestWord),
      status: value,
      reason: cut(reason, longestWord),
      message: cut(message, longestMessage),
      since: cut(lastTransitionTime, longestWord),
    }));
}

/** Whether the resource waits for the object of this definition. */
export function waitsFor(
  { metadata, status }: RawResource,
  definition: AnyDefinition,
  { namespace, name }: Pick<WebName, 'namespace' | 'name'>,
): boolean {
  return blockersIn(status).some((one) => {
    if (one['kind'] !== definition.kind) return false;
    const place = placeOf(definition, textOf(one['name'], longestName), metadata.namespace);
    return place.namespace === namespace && place.name === name;
  });
}
