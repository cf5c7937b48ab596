// The content of a JobBinary: where its bytes come from, and the internal binary of the service that stores them.
import type { JobBinaryInternal } from '../../../wire/jobs.ts';
import { internalLimit } from '../../../wire/jobs.ts';
import type { MappingContext, PrivateKind, ResourceReference } from '../../reconcile/kind/kind.ts';
import type { JobBinarySpec } from './schema.ts';

/** The ConfigMap or Secret; undefined: the bytes are in the spec. */
export const contentReference = ({
  configMapKeyRef,
  secretKeyRef,
}: NonNullable<JobBinarySpec['content']>): ResourceReference | undefined => {
  if (configMapKeyRef)
    return {
      field: 'spec.content.configMapKeyRef',
      kind: 'ConfigMap',
      name: configMapKeyRef.name,
      file: configMapKeyRef.key,
    };
  if (secretKeyRef)
    return { field: 'spec.content.secretKeyRef', kind: 'Secret', name: secretKeyRef.name, file: secretKeyRef.key };
  return undefined;
};

/** What is sent for an internal binary. */
interface InternalCreate {
  readonly name: string;
  readonly bytes: Buffer;
  /** They are from a Secret. */
  readonly secret: boolean;
}

/** The bytes of a job binary, which no other job binary refers to. */
export const internalBinary: PrivateKind = {
  definition: { kind: 'Internal binary' },
  route: 'jobBinaryInternals',
  identity: 'private',
  body: (spec, given) => bodyOf(spec as JobBinarySpec, given),
  health: () => ({ state: 'ready' }),
  remedy: ({ errorName = '' }) =>
    /quota/i.test(errorName)
      ? 'It is retried. Delete binaries that nobody needs, or raise the quota of the service'
      : undefined,
  invalid: ({ errorName, detail }, body) =>
    errorName === 'DATA_TOO_BIG' ? tooBig(body as InternalCreate, detail) : undefined,
  create: (service, request, permit): Promise<JobBinaryInternal> => {
    const { name, ...upload } = request as InternalCreate;
    return service.upload(name, upload, permit);
  },
};

const bodyOf = (
  { content }: JobBinarySpec,
  { externalName: name, fileOf }: MappingContext,
): InternalCreate | undefined => {
  if (!content) throw new Error('cannot store the bytes of a JobBinary: its spec has none');
  const reference = contentReference(content);
  const bytes = reference ? fileOf(reference) : Buffer.from(content.inline ?? '', 'utf8');
  return bytes && { name, bytes, secret: reference?.kind === 'Secret' };
};

/** A Secret may be a part of the detail, which is then left out. */
const tooBig = ({ bytes }: InternalCreate, detail: string): string => {
  const own = detail === '' ? '' : ` It reports: ${detail}.`;
  return `spec.content: the file has ${bytes.length} bytes, which is more than the service stores. The usual limit of a service is ${internalLimit} bytes.${own} Make the file smaller, or put it where the service can read it and set spec.url`;
};
