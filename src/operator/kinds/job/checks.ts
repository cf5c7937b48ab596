// What a dialect cannot express of a job, and what CEL cannot check of its binaries and its interface. PURE.
import { isUuid } from '../../../wire/common.ts';
import { type Dialect, dialectName } from '../../../wire/dialect.ts';
import { argumentMappings } from '../../../wire/job-rules.ts';
import { type JobType, jobTypes } from '../../../wire/jobs.ts';
import type { ArgumentSpec, BinarySpec, JobSpec } from './mapping.ts';

export const checkJob = (spec: JobSpec, dialect: Dialect): string | undefined =>
  checkDialect(spec, dialect) ?? checkBinaries(spec) ?? checkInterface(spec);

const checkDialect = ({ type, interface: described }: JobSpec, dialect: Dialect): string | undefined => {
  const service = `a service of the dialect ${dialectName(dialect)}`;
  const types: readonly JobType[] = jobTypes[dialect];
  if (!types.includes(type))
    return `spec.type: ${service} has no jobs of type ${type}: use ${types.join(', ')}, or a Connection to a service of another dialect`;
  if (dialect === 'savanna' && described && described.length > 0)
    return `spec.interface: jobs of ${service} have none: remove it, and give configs, params and args to each execution`;
  return undefined;
};

const binaryKey = ({ jobBinaryRef, jobBinaryID = '' }: BinarySpec): string =>
  jobBinaryRef ? `JobBinary ${jobBinaryRef.name}` : jobBinaryID.toLowerCase().replaceAll('-', '');

/** The first one whose key another one before it has, too, and that other one. */
const repeated = <T>(
  all: readonly T[],
  keyOf: (one: T) => string,
): { readonly first: T; readonly second: T } | undefined => {
  const firstOf = new Map<string, T>();
  for (const second of all) {
    const first = firstOf.get(keyOf(second));
    if (first !== undefined) return { first, second };
    firstOf.set(keyOf(second), second);
  }
  return undefined;
};

const checkBinaries = (spec: JobSpec): string | undefined => {
  const placed = (['mains', 'libs'] as const).flatMap((list) =>
    (spec[list] ?? []).map((binary, index) => ({ place: `spec.${list}[${index}]`, key: binaryKey(binary) })),
  );
  const same = repeated(placed, ({ key }) => key);
  return same && `${same.second.place}: names the same binary as ${same.first.place}: remove one of them`;
};

const field = ({ name }: ArgumentSpec, part: string): string => `spec.interface[${name}].${part}`;

const checkInterface = ({ type, interface: described = [] }: JobSpec): string | undefined => {
  const mappings = argumentMappings[type];
  const foreign = described.find(({ mappingType }) => !mappings.includes(mappingType));
  if (foreign && mappings.length === 0) return `spec.interface: a job of type ${type} has no arguments: remove it`;
  if (foreign)
    return `${field(foreign, 'mappingType')}: a job of type ${type} has no ${foreign.mappingType}: use ${mappings.join(' or ')}`;
  const bad = described.find((argument) => !isDefault(argument));
  if (bad) return `${field(bad, 'default')}: must be ${defaultWords[bad.valueType ?? 'string']}`;
  return checkPlaces(described) ?? checkPositions(described.filter(({ mappingType }) => mappingType === 'args'));
};

const defaultWords = {
  string: 'a text',
  number: 'a number of digits only, in quotes',
  data_source: 'the identifier of a data source in the service, or a URL',
};

const isDefault = ({ default: value, valueType }: ArgumentSpec): boolean => {
  if (value === undefined || valueType === undefined || valueType === 'string') return true;
  if (valueType === 'number') return /^\d+$/.test(value);
  return isUuid(value) || /^[a-z][a-z0-9+.-]*:/i.test(value);
};

const checkPlaces = (described: readonly ArgumentSpec[]): string | undefined => {
  for (const part of ['name', 'location'] as const) {
    const reserved = described.find((argument) => argument[part] === '__proto__');
    if (reserved) return `${field(reserved, part)}: __proto__ is the key of no value: choose another word`;
  }
  const same = repeated(described, ({ mappingType, location }) => `${mappingType} ${location}`);
  return same && `${field(same.second, 'location')}: ${same.first.name} has it already: give each argument its own`;
};

/** Each has its own location by now. */
const checkPositions = (positional: readonly ArgumentSpec[]): string | undefined => {
  const outside = positional.find(
    ({ location }) => !/^(0|[1-9]\d*)$/.test(location) || Number(location) >= positional.length,
  );
  if (outside)
    return `${field(outside, 'location')}: the locations of args must be 0, 1, 2 and so on, without a gap: use one from 0 to ${positional.length - 1}`;
  const bare = positional.find(({ required, default: value }) => !required && value === undefined);
  return (
    bare && `${field(bare, 'default')}: set it, because args that follow keep their places when this one is left out`
  );
};
