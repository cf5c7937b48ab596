// What the user of one cell does, step by step, and what he waits for.
import {
  apiVersion,
  ledgerAnnotation,
  recreateAnnotation,
  runAgainAnnotation,
  secretType,
  takeOverAnnotation,
} from '../../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { madeKinds } from '../../support/service/made-kinds.ts';
import { foreignJob, isOver, markerToRunAgain } from '../../support/service/runs.ts';
import { secret } from '../tables/parts.ts';
import type { Step, Target } from '../tables/steps.ts';
import type { Scene } from '../trial/scene.ts';
import { isReady, type Seen } from './mirror.ts';

/** What the user gives in the place of a token that is good for nothing any more. */
export const freshToken = 'second-sesame-19c4';

export interface User {
  readonly scene: Scene;
  readonly wasSent: (point: string) => boolean;
  /** What there was when the steps began. */
  readonly before: readonly Seen[];
}

export async function take(step: Step, user: User): Promise<void> {
  const { scene, wasSent } = user;
  if ('apply' in step) return apply(scene, step.apply, step.spec, step.annotations);
  if ('restore' in step) return restore(user, step.restore, step.spec);
  if ('anew' in step) return anew(scene, step.anew);
  if ('remove' in step)
    return void (await Promise.all(
      step.remove.map(async ([kind, name]) => scene.remove(kind, nameOf(scene, [kind, name]))),
    ));
  if ('handOver' in step) return scene.handOver();
  if ('bring' in step) return scene.store.put('jobs', scene.cell, foreignJob);
  if ('over' in step) return seeEnd(scene, step.over);
  return scene.until(() => stillMissing(step, user, wasSent));
}

type Wait = Extract<
  Step,
  | { readonly sent: string }
  | { readonly gone: readonly Target[] }
  | { readonly ready: readonly Target[] }
  | { readonly renewed: readonly Target[] }
  | { readonly tells: string }
>;

function stillMissing(step: Wait, user: User, wasSent: User['wasSent']): string | undefined {
  const { scene } = user;
  if ('sent' in step) return wasSent(step.sent) ? undefined : `${step.sent} was not sent`;
  if ('gone' in step) return first(scene, step.gone, (seen) => seen !== undefined);
  if ('tells' in step) return first(scene, [step.of], (seen) => readyOf(seen)?.reason !== step.tells);
  if ('ready' in step) return first(scene, step.ready, (seen) => seen === undefined || !isReady(seen));
  return first(scene, step.renewed, (seen) => seen === undefined || !isReady(seen) || !isRenewed(user, seen));
}

/** It has another object in the service, the one of before is gone with its file, and the operator has put that on record and told it. */
function isRenewed({ scene, before }: User, { kind, metadata, status }: Seen): boolean {
  const former = before.find((one) => one.kind === kind && one.metadata.name === metadata.name);
  const old = former?.status?.id;
  const ledger = metadata.annotations?.[ledgerAnnotation];
  // A copy that lacks no more than the end of a file is not worth a write.
  if (old === undefined || status?.id === old || status?.ledger?.includes(old)) return false;
  const gone = [old, ...filesIn(former?.metadata.annotations?.[ledgerAnnotation])];
  return gone.every((id) => ledger?.includes(id) !== true && !isThere(scene, id));
}

function filesIn(text = '{"claims":[]}'): readonly string[] {
  const { claims } = JSON.parse(text) as Pick<Ledger, 'claims'>;
  return claims.flatMap(({ collection, id }) =>
    collection === 'job-binary-internals' && id !== undefined ? [id] : [],
  );
}

const isThere = ({ store, cell }: Scene, id: string): boolean =>
  madeKinds.some((rows) => store.get(rows, cell, id) !== undefined);

const readyOf = (seen: Seen | undefined) => seen?.status?.conditions?.find(({ type }) => type === 'Ready');

/** A user reads that nobody can know whether a run was started, and asks for another one. */
async function seeEnd(scene: Scene, target: Target): Promise<void> {
  const unknown = () => markerToRunAgain(readyOf(seenOf(scene, target))?.message);
  const goesOn = (seen: Seen | undefined): boolean =>
    seen?.status?.observedGeneration !== seen?.metadata.generation || !isOver(seen?.status?.conditions);
  await scene.until(() => (unknown() === undefined ? first(scene, [target], goesOn) : undefined));
  const marker = unknown();
  if (marker === undefined) return;
  await scene.annotate(target[0], nameOf(scene, target), { [runAgainAnnotation]: marker });
  await scene.until(() => first(scene, [target], (seen) => goesOn(seen) || unknown() !== undefined));
}

/** A user whose token is refused reads what is wrong, and puts another one into the Secret. */
export async function mend(scene: Scene): Promise<void> {
  const says = (seen: Seen) => seen.status?.conditions?.some(({ reason }) => reason === 'Unauthorized');
  await scene.until(() => (scene.objects().some(says) ? undefined : 'nothing says that the token is refused'));
  await scene.apply(
    'Secret',
    nameOf(scene, secret),
    secretOf(scene, { type: secretType, stringData: { token: freshToken } }),
  );
}

/** The first of the targets that is still so, in words. */
function first(
  scene: Scene,
  targets: readonly Target[],
  still: (seen: Seen | undefined) => boolean,
): string | undefined {
  const one = targets.find((target) => still(seenOf(scene, target)));
  if (one === undefined) return undefined;
  return `${one.join(' ')} is still ${JSON.stringify(seenOf(scene, one)?.status ?? 'as it was')}`;
}

async function apply(
  scene: Scene,
  [kind, name]: Target,
  spec: object,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const words = wordsOf(scene, spec);
  const full = nameOf(scene, [kind, name]);
  const object =
    kind === 'Secret'
      ? secretOf(scene, words)
      : { apiVersion, kind, metadata: { name: full, annotations }, spec: words };
  await scene.apply(kind, full, object);
}

/** What a backup has kept: neither uid nor status. */
async function restore({ scene, before }: User, [kind, name]: Target, spec: object): Promise<void> {
  const full = nameOf(scene, [kind, name]);
  const { metadata } = before.find((one) => one.kind === kind && one.metadata.name === full) ?? {};
  const annotations = {
    [ledgerAnnotation]: metadata?.annotations?.[ledgerAnnotation],
    // An operator that does not see all namespaces cannot know that the one of before is gone.
    [takeOverAnnotation]: scene.installation,
  };
  await scene.apply(kind, full, {
    apiVersion,
    kind,
    metadata: { name: full, annotations, finalizers: metadata?.finalizers },
    spec: wordsOf(scene, spec),
  });
}

async function anew(scene: Scene, [kind, name]: Target): Promise<void> {
  const full = nameOf(scene, [kind, name]);
  const id = scene.get(kind, full)?.status?.id ?? '';
  await scene.annotate(kind, full, { [recreateAnnotation]: id });
}

const secretOf = (scene: Scene, content: object): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: nameOf(scene, secret) },
  ...content,
});

function wordsOf({ cell, endpoint, token }: Scene, spec: object): object {
  const text = JSON.stringify(spec).replaceAll('~endpoint', endpoint).replaceAll('~token', token);
  return JSON.parse(text.replaceAll('~', cell)) as object;
}

function nameOf(scene: Scene, [kind, name]: Target): string {
  const full = name === '' ? scene.cell : `${scene.cell}-${name}`;
  if (!full.endsWith('*')) return full;
  const fits = (seen: Seen): boolean => seen.kind === kind && seen.metadata.name.startsWith(full.slice(0, -1));
  return scene.objects().find(fits)?.metadata.name ?? full;
}

const seenOf = (scene: Scene, target: Target): Seen | undefined => scene.get(target[0], nameOf(scene, target));
