// The revisions in a status: those of a template, and the one that an object was made from. PURE.
import { recreateAnnotation } from '../../api/shared-api.ts';
import { currentClaim } from '../ledger/ledger.ts';
import type { PassResult } from '../plan-input.ts';
import { type Resolved, resolutionOf } from '../resource/references.ts';

/** Status fields of the kinds that have or keep revisions. */
export function revisionFields(result: PassResult): Readonly<Record<string, unknown>> {
  const { kind, ledger } = result;
  const current = currentClaim(ledger);
  if (kind.identity === 'content') {
    const revision = current?.id === undefined ? undefined : current.hash;
    const own = (ledger?.claims ?? []).filter(({ role, id }) => role !== 'private' && id !== undefined);
    const made = own.flatMap(({ hash }) => hash ?? []);
    return { ...(revision === undefined ? {} : { revision }), ...(made.length === 0 ? {} : { revisions: made }) };
  }
  const templateRevision = current?.id === undefined ? undefined : usedRevision(result);
  return templateRevision === undefined ? {} : { templateRevision };
}

/** How the object differs from what its template would create now; undefined: it does not, or that is not known. */
export function outdatedMessage(result: PassResult): string | undefined {
  const template = templateOf(result);
  const used = usedRevision(result);
  const id = currentClaim(result.ledger)?.id;
  if (id === undefined || used === undefined || template?.hash === undefined || template.hash === used)
    return undefined;
  const { kind, name } = template.reference;
  const now = `${kind} ${name} has revision ${template.hash} now, and this was made from ${used}`;
  return `${now}. It keeps its revision: to use the new one, delete this resource and apply it again, or set the annotation ${recreateAnnotation}: ${id}`;
}

type UsedTemplate = Pick<Resolved, 'reference' | 'hash' | 'claims'>;

/** As it is in the service; undefined: not known. */
function templateOf({ kind, facts, resolutions }: PassResult): UsedTemplate | undefined {
  const reference = facts.spec.ok && kind.identity === 'named' ? kind.template(facts.spec.value) : undefined;
  const found = reference && resolutionOf(resolutions, reference);
  if (found?.state === 'resolved') return found;
  return reference && found?.state === 'awaited' && found.former ? { reference, ...found.former } : undefined;
}

/** From the ledger; for objects older than that field, from the template's id in the object, where it has one. */
function usedRevision(result: PassResult): string | undefined {
  const { kind, ledger, remote, facts } = result;
  if (kind.identity !== 'named' || ledger?.templateRevision !== undefined) return ledger?.templateRevision;
  const ids = remote ? kind.referencesIn.of(remote) : [];
  const made = templateOf(result)?.claims.find((claim) => ids.some(({ id }) => id === claim.id));
  const reported = (facts.resource.status as { templateRevision?: unknown } | undefined)?.templateRevision;
  return made?.hash ?? (typeof reported === 'string' ? reported : undefined);
}
