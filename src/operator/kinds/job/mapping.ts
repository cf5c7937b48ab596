// Job between YAML and the wire. PURE.
import { cleanWord } from '../../../wire/errors/shapes.ts';
import type { Argument, Job, JobCreate } from '../../../wire/jobs.ts';
import type { Spec } from '../../api/definition.ts';
import type { ResourceReference } from '../../reconcile/kind/kind.ts';
import { settled } from '../node-groups.ts';
import type { job } from './schema.ts';

export type JobSpec = Spec<typeof job>;
export type BinarySpec = NonNullable<JobSpec['mains']>[number];
export type ArgumentSpec = NonNullable<JobSpec['interface']>[number];

const lists = ['mains', 'libs'] as const;
type List = (typeof lists)[number];

const referenceAt = (list: List, index: number, { jobBinaryRef }: BinarySpec): ResourceReference | undefined => {
  if (!jobBinaryRef) return undefined;
  return { field: `spec.${list}[${index}].jobBinaryRef`, kind: 'JobBinary', name: jobBinaryRef.name };
};

export const references = (spec: JobSpec): readonly ResourceReference[] =>
  lists.flatMap((list) => (spec[list] ?? []).flatMap((binary, index) => referenceAt(list, index, binary) ?? []));

/** Undefined for an empty list, which means the same as none. */
const binariesOf = <T>(spec: JobSpec, list: List, of: (binary: BinarySpec, reference?: ResourceReference) => T) => {
  const binaries = spec[list] ?? [];
  return binaries.length > 0
    ? binaries.map((binary, index) => of(binary, referenceAt(list, index, binary)))
    : undefined;
};

const argumentOf = ({ mappingType, valueType, ...rest }: ArgumentSpec): Argument =>
  settled({ ...rest, mapping_type: mappingType, value_type: valueType }) as Argument;

const interfaceOf = ({ interface: described = [] }: JobSpec): readonly Argument[] | undefined =>
  described.length > 0 ? described.map(argumentOf) : undefined;

/** The order of binaries can matter, that of the interface does not. */
export const content = (spec: JobSpec, hashOf: (reference: ResourceReference) => string): unknown => {
  const marked = (binary: BinarySpec, reference?: ResourceReference) =>
    reference ? { revision: hashOf(reference) } : { id: binary.jobBinaryID };
  return {
    type: spec.type,
    mains: binariesOf(spec, 'mains', marked),
    libs: binariesOf(spec, 'libs', marked),
    interface: interfaceOf(spec)?.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
};

export const body = (spec: JobSpec, name: string, idOf: (reference: ResourceReference) => string): JobCreate => {
  const identified = (binary: BinarySpec, reference?: ResourceReference) =>
    reference ? idOf(reference) : (binary.jobBinaryID ?? '');
  return {
    name,
    type: spec.type,
    ...settled({
      description: spec.description,
      mains: binariesOf(spec, 'mains', identified),
      libs: binariesOf(spec, 'libs', identified),
      interface: interfaceOf(spec),
    }),
  };
};

const shownBinaries = 50;

export const report = (remote: Job): Readonly<Record<string, unknown>> => {
  const [mains, libs] = lists.map((list) => remote[list]?.slice(0, shownBinaries).map(({ id }) => cleanWord(id)));
  return settled({ type: cleanWord(remote.type), mains, libs });
};

export const mentions = (remote: Job) =>
  lists.flatMap((list) => (remote[list] ?? []).map(({ id }) => ({ route: 'jobBinaries', id }) as const));
