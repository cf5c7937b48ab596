// JobBinary between YAML and the wire. PURE.
import { cleanWord } from '../../../wire/errors/shapes.ts';
import { type JobBinary, type JobBinaryCreate, splitUrl } from '../../../wire/jobs.ts';
import { plainDigest } from '../../api/file-digest.ts';
import type { MappingContext, ResourceReference } from '../../reconcile/kind/kind.ts';
import { settled } from '../node-groups.ts';
import { secretReferences } from '../object-credentials.ts';
import { contentReference } from './file-content.ts';
import { credentialKeys, fileEnding, fileNameOf } from './locations.ts';
import type { JobBinarySpec } from './schema.ts';

/** The Secret with the credentials, or what has the bytes. No spec has both. */
export const references = (spec: JobBinarySpec): readonly ResourceReference[] => {
  const file = spec.content && contentReference(spec.content);
  if (file) return [file];
  return spec.url === undefined ? [] : secretReferences(spec, credentialKeys[splitUrl(spec.url).scheme]);
};

/** The credentials and the bytes count, although they are never shown: their digest stands in for them. */
export const content = (spec: JobBinarySpec, hashOf: (reference: ResourceReference) => string): unknown => {
  const [reference] = references(spec);
  if (spec.content) {
    const bytes = reference ? hashOf(reference) : plainDigest(Buffer.from(spec.content.inline ?? '', 'utf8'));
    return { bytes, ...settled({ ending: fileEnding(spec), fileName: fileNameOf(spec) }) };
  }
  return { url: spec.url, ...settled({ credentials: reference && hashOf(reference) }) };
};

export const body = (
  spec: JobBinarySpec,
  given: Pick<MappingContext, 'externalName' | 'secretOf' | 'privateId'>,
): JobBinaryCreate => {
  const { description } = spec;
  const { externalName: name } = given;
  const [secret] = spec.content ? [] : references(spec);
  const file_name = fileNameOf(spec);
  const extra = settled({ ...(secret && given.secretOf(secret)), file_name });
  const url = spec.content ? `internal-db://${given.privateId}` : (spec.url ?? '');
  return { name, url, ...settled({ description }), ...(Object.keys(extra).length > 0 && { extra }) };
};

export const report = (remote: JobBinary): Readonly<Record<string, unknown>> => settled({ url: cleanWord(remote.url) });

/** The internal binary that it refers to, even if another client created it. */
export const mentions = ({
  url = '',
}: JobBinary): readonly { readonly route: 'jobBinaryInternals'; readonly id: string }[] => {
  const { scheme, host } = splitUrl(url);
  return scheme === 'internal-db' ? [{ route: 'jobBinaryInternals', id: host }] : [];
};
