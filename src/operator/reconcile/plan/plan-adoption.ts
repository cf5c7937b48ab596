// The plan for a resource that is to stand for an existing object.
//
//  in the service                      Manage, Plan                     Observe
//  nothing that the spec means         wait for it                      the same
//  several                             refuse AdoptionMismatch          the same
//  one, claimed by another resource    refuse DuplicateClaim            as below
//  one, made by another installation   refuse, unless vouched for       report it
//  one, fixed fields differ            refuse AdoptionMismatch          report what differs
//  one, equal except for counts        record it; changes follow        report what would change
//  the one that the resource has made  nothing: it keeps it as its own  the same, as Observe asks for spec.adopt
//  another than it has made            refuse InvalidSpec               the same
import { takeOverAnnotation } from '../../api/shared-api.ts';
import { collectionOf, type Drift, type Kind, privateContentOf, type RemoteObject } from '../kind/kind.ts';
import type { AdoptedTarget } from '../ledger/adoption.ts';
import { withClaim } from '../ledger/edits.ts';
import { type Claim, currentClaim, type Ledger } from '../ledger/ledger.ts';
import { installationMark, makerMark, markOf } from '../ledger/naming.ts';
import { makeCurrent } from '../ledger/revision-history.ts';
import { type Outcome, refuse, shortText, waiting } from '../outcome.ts';
import { mayBeThere } from '../ownership/ownership.ts';
import { claimOf, type ExistingObject, isAdopting, type PlanInput } from '../plan-input.ts';
import { resolutionOf } from '../resource/references.ts';
import { planExisting } from './existing.ts';
import { none, type Plan } from './next-step.ts';
import { intendedLedger, specOf } from './plan-create.ts';
import { referencePrecondition } from './preconditions.ts';

/** Undefined: the resource is to have an object of its own, or its object is recorded. */
export function planAdoption(input: PlanInput): Plan | undefined {
  const { ledger, kind, adoption, facts } = input;
  const own = ledger?.claims.find((one) => mayBeThere(kind, one));
  if (facts.adopt && own && ledger?.adopted === undefined)
    return isMetByOwn(input, facts.adopt) ? undefined : none(refuse('InvalidSpec', ownObject(own)));
  if (!isAdopting(input)) return undefined;
  const obstacle = obstacleOf(input);
  if (obstacle) return none(obstacle);
  if (adoption?.state !== 'found') throw new Error('cannot adopt: the service was not looked at');
  const { row, differs } = adoption;
  const foreign = foreignMaker(input, adoption);
  if (facts.policy === 'Observe')
    return planObserved(planExisting({ ...input, ledger: adoptionLedger(input, row) }), differs, foreign);
  if (foreign) return none(notReleased(kind, row, foreign));
  if (differs.length > 0) return none(mismatch(kind, row, differs));
  return record(input, row);
}

/** As far as the service shows the object, else as the ledger records it. */
function isMetByOwn(input: PlanInput, wanted: AdoptedTarget): boolean {
  const { id, name } = claimOf(input) ?? {};
  if (id === undefined || name === undefined) return false;
  const row = input.view?.byId(id);
  return row ? wanted.isMet(row) : wanted.isStated({ id, name });
}

function ownObject({ name, id }: Claim): string {
  const which = id === undefined ? name : `${name} (${id})`;
  const toObserve = id === undefined ? '' : `. To observe its own one, set spec.adopt.id: ${shortText(id)} after that`;
  return `spec.adopt: this resource has an object of its own in the service, ${which}: remove spec.adopt, or adopt the other object with another resource${toObserve}`;
}

function obstacleOf(input: PlanInput): Outcome | undefined {
  const { kind, facts, adoption, resolutions } = input;
  const spec = specOf(input);
  const content = privateContentOf(kind)?.field(spec);
  if (content !== undefined)
    return refuse(
      'InvalidSpec',
      `${content}: the bytes of an existing object cannot be compared: to adopt it, set spec.url as the service has it`,
    );
  const { text = `id ${facts.givenId}` } = facts.adopt ?? {};
  const what = kind.definition.kind;
  switch (adoption?.state) {
    case undefined:
    case 'missing':
      return waiting(
        'service',
        'ExternalNotFound',
        `the service has no ${what} with ${shortText(text)}. Nothing is created in its place: the operator waits for it`,
      );
    case 'several': {
      const ids = adoption.ids.map(shortText).join(', ');
      return refuse(
        'AdoptionMismatch',
        `several objects have ${shortText(text)}, such as ${ids}: set spec.adopt.id in another resource. Nothing was adopted`,
      );
    }
    case 'unresolved':
      return referencePrecondition(resolutions, kind.references(spec, facts.key.name));
    case 'found':
      return facts.policy === 'Observe' ? undefined : claimed(input, adoption.row);
  }
}

function claimed(input: PlanInput, { id }: RemoteObject): Outcome | undefined {
  const owner = input.ownerOf(id);
  if (owner === undefined) return undefined;
  return {
    ...refuse(
      'DuplicateClaim',
      `cannot adopt ${shortText(id)}, which belongs to ${owner}. To move it here, set spec.deletionPolicy of that resource to Orphan and delete it; to look at it only, set spec.policy to Observe`,
    ),
    afterMs: contestMs,
  };
}

/** An operator of another installation made the object, as far as names tell. */
interface ForeignMaker {
  readonly mark: string;
  readonly text: string;
}

type AdoptableObject = Extract<ExistingObject, { state: 'found' }>;

/** Two installations do not see each other's claims: a name that the other one generated is all that tells of it. Names of images are not ours. */
function foreignMaker(
  { kind, facts, installation }: PlanInput,
  { row, template }: AdoptableObject,
): ForeignMaker | undefined {
  const mark = kind.identity === 'given' ? undefined : makerMark(row.name, template);
  const vouched = facts.resource.metadata.annotations?.[takeOverAnnotation];
  if (mark === undefined || mark === installationMark(installation)) return undefined;
  if (vouched !== undefined && (vouched === mark || installationMark(vouched) === mark)) return undefined;
  const what = markOf(row.name) === undefined ? 'the name of its template' : 'its name';
  const text = `${what} has the mark ${mark} of another installation of the operator, which may still manage it`;
  return { mark, text };
}

function notReleased(kind: Kind, row: RemoteObject, { mark, text }: ForeignMaker): Outcome {
  const release =
    'If a resource of that installation stands for it, set spec.deletionPolicy of that resource to Orphan and delete it';
  const vouch = `Once nobody else manages it, set the annotation ${takeOverAnnotation} to the name of that installation, or to ${mark}`;
  return refuse('AdoptionMismatch', `${textOf(kind, row)} is not adopted: ${text}. ${release}. ${vouch}`);
}

function textOf({ definition }: Kind, { id, name }: RemoteObject): string {
  return `${definition.kind} ${shortText(name)} (${shortText(id)})`;
}

function mismatch(kind: Kind, row: RemoteObject, differs: readonly Drift[]): Outcome {
  const message = `${textOf(kind, row)} is not adopted, because it differs from the spec: ${differsText(differs)}. Nothing was changed. ${correction(kind)}`;
  return { ...refuse('AdoptionMismatch', message), drift: differs };
}

/** The API server lets only objects be edited whose edit makes another revision. */
function correction({ identity, definition }: Kind): string {
  if (identity === 'content') return 'Correct the spec, or remove the fields that do not matter';
  const what = definition.kind;
  return `The spec of a ${what} cannot be corrected in place: delete this ${what}, which leaves the object in the service alone, and apply it again with a corrected spec, or without the fields that do not matter`;
}

/** How often to look whether that resource still claims it. */
const contestMs = 30_000;
const fieldsShown = 10;

function differsText(differs: readonly Drift[]): string {
  const shown = differs.slice(0, fieldsShown).map(({ path, want, have }) => `${path} is ${have} and not ${want}`);
  const more = differs.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${more} more` : '');
}

/** What the event of an adoption says; undefined: the current object was not adopted. */
export function adoptionText({ definition }: Kind, ledger: Ledger | undefined): string | undefined {
  const { id, name } = currentClaim(ledger) ?? {};
  if (id === undefined || name === undefined || id !== ledger?.adopted) return undefined;
  return `adopted ${definition.kind} ${shortText(name)} (${shortText(id)}) as it is: it is equal in every field of the spec that cannot change`;
}

/** Only the ledger is written. It is told once the status has its copy. */
function record(input: PlanInput, row: RemoteObject): Plan {
  const ledger = adoptionLedger(input, row);
  return { action: 'write-ledger', write: 'own', ledger, report: { outcome: { result: 'requeue' } } };
}

/** As if the resource had made the object, and will not make another one in its place. */
function adoptionLedger(input: PlanInput, row: RemoteObject): Ledger {
  const { kind, wantedHash: hash } = input;
  const claim: Claim = {
    role: 'main',
    collection: collectionOf(kind),
    name: kind.identity === 'given' ? row.id : row.name,
    id: row.id,
    origin: kind.identity === 'given' ? 'preexisting' : 'adopted',
    ...(kind.identity === 'content' && hash !== undefined && { hash }),
  };
  const made = kind.identity === 'named' ? kind.adoption.made(specOf(input), row) : {};
  const ledger = { ...intendedLedger(input, claim, { body: undefined }), ...revisionOf(input, row) };
  return makeCurrent({ ...withClaim(ledger, claim), ...made, adopted: row.id }, claim.name);
}

/** The revision of its template that the object was started from, if it tells. It need not be the current one. */
function revisionOf(input: PlanInput, row: RemoteObject): Pick<Ledger, 'templateRevision'> {
  const { kind, resolutions } = input;
  const reference = kind.identity === 'named' ? kind.template(specOf(input)) : undefined;
  const found = reference && resolutionOf(resolutions, reference);
  if (kind.identity !== 'named' || found?.state !== 'resolved') return {};
  const id = kind.fixedName.startedFrom(row);
  const { hash } = found.claims.find((one) => one.id !== undefined && one.id === id) ?? {};
  return hash === undefined ? {} : { templateRevision: hash };
}

/** The ledger that an observed resource would have, for its status; undefined: it is not only observed, or nothing was found. */
export function observedLedger(input: PlanInput): Ledger | undefined {
  const { facts, adoption, service } = input;
  if (facts.policy !== 'Observe' || adoption?.state !== 'found' || service.state !== 'usable' || !isAdopting(input))
    return undefined;
  return adoptionLedger(input, adoption.row);
}

/** What cannot be adopted is told before what would be changed. */
function planObserved(plan: Plan, differs: readonly Drift[], foreign: ForeignMaker | undefined): Plan {
  if ((differs.length === 0 && !foreign) || !isPresent(plan)) return plan;
  const difference = differs.length > 0 ? [`it differs from the spec: ${differsText(differs)}`] : [];
  const why = [...(foreign ? [foreign.text] : []), ...difference].join('; and ');
  const message = `observed only. It would not be adopted, because ${why}`;
  return none({ result: 'held', message, drift: differs, isReady: true });
}

/** The object is there and ready. What is wrong with the spec is told by what differs. */
function isPresent(plan: Plan): boolean {
  if (plan.action !== 'none') return true;
  const { outcome } = plan;
  return outcome.result === 'settled' || (outcome.result === 'refused' && outcome.reason === 'InvalidSpec');
}
