// Plans for the objects of a file, as the operator would once they were applied. Nothing is written anywhere.
import type { RawResource } from '../../kube/resource.ts';
import { isConnection } from '../../operator/api/shared-api.ts';
import { keyOf, keyText, type PassContext } from '../../operator/reconcile/pass-ports.ts';
import { createPreview } from '../../operator/reconcile/preview.ts';
import { connectionOf } from '../../operator/reconcile/resource/references.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { KubeObject } from '../objects.ts';
import { type Observed, standingIn } from '../observed.ts';
import { counted } from '../output/page.ts';
import { policyOf } from '../plan/waiting-plan.ts';
import type { Reach } from '../reach.ts';
import { affectedBy, heldInTime } from './affected.ts';
import { AskedServices } from './asked-services.ts';
import { type DryRun, dryRun, isOurs, type ObjectPlace, placeIn } from './dry-run.ts';
import { type FilePlan, type FilePlans, type InFile, toldOf, untagged } from './file-plans.ts';
import { type AcceptedRun, fateOf, leadsElsewhere } from './object-fate.ts';
import { kindsByName, type PreviewWorld, previewPorts } from './preview-ports.ts';
import { installationIn, readHolders, readResources } from './see.ts';
import { SeenObjects } from './seen-objects.ts';
import { specChanges } from './spec-changes.ts';

/** Any list that was read will do. */
const anyAgeMs = 3_600_000;

/** Rejects if the objects of the namespace cannot be read. */
export async function planFile(reach: Reach, objects: readonly KubeObject[], signal: AbortSignal): Promise<FilePlans> {
  const usual = reach.objects.namespace;
  const ours = objects.filter(isOurs);
  refuseTwins(ours.map((one) => placeIn(one, usual)));
  const runs: DryRun[] = [];
  for (const one of ours) runs.push(await dryRun(reach, one, signal));
  const accepted = runs.filter((one) => 'after' in one);
  const namespaces = [...new Set(accepted.map(({ after }) => after.metadata.namespace || usual))];
  const seen = await readResources(reach, namespaces);
  const store = new SeenObjects(seen.resources);
  for (const { after } of accepted) store.put(heldInTime(store, after));
  const installation = await installationIn(reach, seen.resources);
  const services = new AskedServices({ reach, store, signal });
  const world = { store, services, installation, seesAll: seen.seesAll, clock: reach.transport.clock };
  const file = new FileUnderWay({ reach, world, accepted, signal });
  const plans: FilePlan[] = [];
  for (const run of runs) plans.push(await file.planFor(run));
  const affected: FilePlan[] = [];
  for (const one of affectedBy(store, accepted)) affected.push(await file.planAffected(one));
  const notLookedAt = objects.filter((one) => !isOurs(one)).map((one) => placeIn(one, usual));
  const warnings = [...seen.warnings, ...unknownAmong(affected)];
  return { plans: [...plans, ...affected.filter(isOfFile)], notLookedAt, warnings };
}

/** What the file does not contain is told only if something comes of the file for it. */
function isOfFile({ state, message }: FilePlan): boolean {
  return state === 'changes' || (state === 'waits' && message?.includes('which FILE ') === true);
}

function unknownAmong(affected: readonly FilePlan[]): readonly string[] {
  const unknown = affected.filter(({ state }) => state === 'unknown');
  const [first] = unknown;
  if (first === undefined) return [];
  const what = `${counted(unknown.length, 'object')} that ${unknown.length === 1 ? 'refers' : 'refer'} to those of FILE`;
  return [`what becomes of ${what} is not known, such as ${first.kind} ${first.name}: ${first.message}`];
}

function refuseTwins(places: readonly ObjectPlace[]): void {
  const texts = places.map(keyText);
  const twin = texts.find((text, at) => texts.indexOf(text) !== at);
  if (twin !== undefined) throw new UsageError(`FILE has ${twin} more than once`);
}

interface FileInput {
  readonly reach: Reach;
  readonly world: PreviewWorld;
  readonly accepted: readonly AcceptedRun[];
  readonly signal: AbortSignal;
}

class FileUnderWay {
  readonly #input: FileInput;
  readonly #preview: ReturnType<typeof createPreview>;
  /** What FILE does with an object, by its key. */
  readonly #inFile: ReadonlyMap<string, 'creates' | 'changes'>;
  /** Connections that would lead elsewhere, or with other credentials. */
  readonly #moved: ReadonlySet<string>;

  constructor(input: FileInput) {
    this.#input = input;
    this.#preview = createPreview(previewPorts(input.world));
    const changed = input.accepted.filter((one) => fateOf(one) !== 'unchanged');
    this.#inFile = new Map(
      changed.map(({ place, before }) => [keyText(place), before ? 'changes' : 'creates'] as const),
    );
    const moved = changed.filter((one) => isConnection(one.place.kind) && leadsElsewhere(one));
    this.#moved = new Set(moved.map(({ place }) => keyText(place)));
  }

  async planFor(run: DryRun): Promise<FilePlan> {
    if (!('after' in run))
      return { ...run.place, object: 'refused', state: 'refused', message: run.problem, notes: [] };
    const { place, before, after } = run;
    const about = { ...place, object: fateOf(run), notes: [] };
    if (before?.metadata.deletionTimestamp !== undefined)
      return { ...about, state: 'nothing', message: 'it is being deleted, and stays so' };
    if (!kindsByName.has(place.kind)) return { ...about, state: 'nothing', message: withoutObject(place.kind) };
    const told = await this.#plan(after, before === undefined);
    if (told.state !== 'unknown' || before === undefined) return { ...about, ...told };
    return { ...about, ...told, spec: specChanges(before.spec, after.spec), notes: [...told.notes, statusOf(before)] };
  }

  async planAffected(resource: RawResource): Promise<FilePlan> {
    return { ...keyOf(resource), object: 'affected', ...(await this.#plan(resource, false)) };
  }

  async #plan(resource: RawResource, isNew: boolean): Promise<Pick<FilePlan, 'state' | 'plan' | 'message' | 'notes'>> {
    const { reach, world, signal } = this.#input;
    const [kind, connection] = [kindsByName.get(resource.kind), connectionOf(resource)];
    const unknown = (message: string) => ({ state: 'unknown' as const, message, notes: [] });
    if (this.#moved.has(keyText(connection)))
      return unknown(`FILE changes ${connection.kind} ${connection.name}, and the service is not asked in the new way`);
    const obstacle = await world.services.open(connection, resource.metadata.namespace);
    if (obstacle !== undefined) return unknown(obstacle);
    const [unread] = kind ? await readHolders(reach, world.store, { kind, resource }) : [];
    if (unread !== undefined) return unknown(unread);
    const context: PassContext = { signal, pollMs: anyAgeMs };
    const found = await this.#preview(keyOf(resource), context);
    signal.throwIfAborted();
    const policy = policyOf(resource as unknown as Observed);
    const { uid, namespace } = resource.metadata;
    // References stay in the namespace, but for those to what is in none.
    const inFile: InFile = ({ kind: of, name }) =>
      [namespace, ''].flatMap((one) => this.#inFile.get(keyText({ kind: of, namespace: one, name })) ?? [])[0];
    const told = toldOf({ preview: found, policy, isNew, inFile });
    return isNew ? untagged(told, { uid, installation: world.installation }) : told;
  }
}

function withoutObject(kind: string): string {
  if (kind === 'JobSchedule') return 'it creates JobExecutions at its times, and stands for no object in the service';
  if (kind === 'NodeGroup') return 'it sets a count of its Cluster, and stands for no object in the service';
  return 'it leads to the service, and stands for no object there';
}

function statusOf(before: Observed): string {
  const standing = standingIn(before);
  const id = before.status?.['id'];
  return `according to its status, it is ${standing}${typeof id === 'string' ? `, with id ${id}` : ', with nothing in the service'}. Whether the service has been changed since is not known`;
}
