// What the user of one cell does, step by step, and what he waits for.
import { apiVersion } from '../../src/api/common.ts';
import { isReady, pathOf, type Seen, until } from './mirror.ts';
import type { Stand } from './stand.ts';
import type { Step, Target } from './workloads.ts';

export interface Place {
  readonly stand: Stand;
  readonly cell: string;
  readonly namespace: string;
}

export interface Help {
  readonly wasSent: (point: string) => boolean;
  readonly handOver: () => Promise<void>;
}

export async function take(step: Step, place: Place, { wasSent, handOver }: Help): Promise<void> {
  if ('apply' in step) return apply(place, step.apply, step.spec);
  if ('remove' in step) return void (await Promise.all(step.remove.map(async (target) => remove(place, target))));
  if ('handOver' in step) return handOver();
  if ('sent' in step)
    return until(() => (wasSent(step.sent) ? undefined : `${step.sent} was not sent`), place.stand.patienceMs);
  if ('gone' in step) return until(() => first(place, step.gone, (seen) => seen !== undefined), place.stand.patienceMs);
  return until(() => first(place, step.ready, (seen) => seen === undefined || !isReady(seen)), place.stand.patienceMs);
}

/** Everything of the cell goes at once, whatever anybody still wants with it. */
export async function sweep({ stand, cell }: Place): Promise<void> {
  for (const { kind, metadata } of stand.mirror.of(cell)) {
    const path = pathOf(kind, metadata.namespace, metadata.name);
    await stand.api.send({ method: 'DELETE', path });
    await stand.api.send({ method: 'PATCH', path, body: { metadata: { finalizers: [] } } });
  }
}

async function apply(place: Place, target: Target, spec: object): Promise<void> {
  const [kind, name] = target;
  const { stand, cell } = place;
  const words = JSON.parse(JSON.stringify({ spec }).replaceAll('~endpoint', stand.endpoint).replaceAll('~', cell)) as {
    readonly spec: object;
  };
  const metadata = { name: nameOf(place, target) };
  const object =
    kind === 'Secret' ? { apiVersion: 'v1', kind, metadata, ...words.spec } : { apiVersion, kind, metadata, ...words };
  const { status, body } = await stand.api.apply(pathTo(place, target), object);
  if (status >= 300) throw new Error(`cannot apply ${kind} ${name}: ${JSON.stringify(body)}`);
  const version = Number((body as Seen).metadata.resourceVersion);
  // What comes after this must not look at an older one.
  await until(() => {
    const seen = Number(get(place, target)?.metadata.resourceVersion ?? 0);
    return seen >= version ? undefined : `${kind} ${name} was not seen`;
  }, stand.patienceMs);
}

async function remove(place: Place, target: Target): Promise<void> {
  const { status, body } = await place.stand.api.send({ method: 'DELETE', path: pathTo(place, target) });
  if (status >= 300) throw new Error(`cannot delete ${target.join(' ')}: ${JSON.stringify(body)}`);
}

/** The first of the targets that is still so, in words. */
function first(
  place: Place,
  targets: readonly Target[],
  still: (seen: Seen | undefined) => boolean,
): string | undefined {
  const one = targets.find((target) => still(get(place, target)));
  return one && `${one.join(' ')} is still ${JSON.stringify(get(place, one)?.status ?? 'as it was')}`;
}

const nameOf = ({ cell }: Place, [, name]: Target): string => (name === '' ? cell : `${cell}-${name}`);
const pathTo = (place: Place, target: Target): string => pathOf(target[0], place.namespace, nameOf(place, target));
const get = (place: Place, target: Target): Seen | undefined =>
  place.stand.mirror.get(target[0], place.namespace, nameOf(place, target));
