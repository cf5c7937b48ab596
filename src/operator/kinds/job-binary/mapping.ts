// JobBinary between YAML and the wire. PURE.
import { cleanWord } from '../../../wire/errors/shapes.ts';
import { type JobBinary, type JobBinaryCreate, splitUrl } from '../../../wire/jobs.ts';
import type { Spec } from '../../api/definition.ts';
import type { MappingContext, ResourceReference } from '../../reconcile/kind.ts';
import { secretReferences } from '../credentials.ts';
import { settled } from '../node-groups.ts';
import { credentialKeys } from './locations.ts';
import type { jobBinary } from './schema.ts';

export type JobBinarySpec = Spec<typeof jobBinary>;

export const references = (spec: JobBinarySpec): readonly ResourceReference[] =>
  secretReferences(spec, credentialKeys[splitUrl(spec.url).scheme]);

/** The credentials count, although they are never shown: their digest stands in for them. */
export function content(spec: JobBinarySpec, hashOf: (reference: ResourceReference) => string): unknown {
  const [secret] = references(spec);
  return { url: spec.url, ...settled({ credentials: secret && hashOf(secret) }) };
}

export function body(spec: JobBinarySpec, given: Pick<MappingContext, 'externalName' | 'secretOf'>): JobBinaryCreate {
  const { url, description } = spec;
  const [secret] = references(spec);
  return { name: given.externalName, url, ...settled({ description, extra: secret && given.secretOf(secret) }) };
}

export function report(remote: JobBinary): Readonly<Record<string, unknown>> {
  return settled({ url: cleanWord(remote.url) });
}
