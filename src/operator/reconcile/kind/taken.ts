// What a spec takes of what exists in the service: by an identifier in a field of its own, or by words with which the service looks it up. PURE.
import { isUuid } from '../../../wire/common.ts';
import { sourceBeginning, sourceSwitches } from '../../../wire/job-rules.ts';
import { splitUrl } from '../../../wire/jobs.ts';

/** GivenFields that name an object of the service by its identifier. Other identifiers are of the cloud, and belong to nobody's object. */
const serviceIDs: readonly string[] = [
  'clusterTemplateID',
  'nodeGroupTemplateID',
  'imageID',
  'jobID',
  'jobBinaryID',
  'clusterID',
  'inputID',
  'outputID',
];

const switches: readonly string[] = Object.values(sourceSwitches);

/** `instead`: what a namespace can do that may not take it. */
interface Taken {
  readonly field: string;
  readonly instead: string;
}

type GivenFields = Readonly<Record<string, unknown>>;

/** A spec of any shape, or a part of one. `place`: for messages. */
interface SpecPart {
  readonly place: string;
  readonly fields: GivenFields;
}

/** The first thing that a spec takes. `jobOf`: the spec of the Job with this name, if it exists. */
export function takenBy(given: unknown, jobOf: (name: string) => unknown): Taken | undefined {
  const spec: SpecPart = { place: 'spec', fields: fieldsOf(given) };
  const job: SpecPart = { place: 'spec.job', fields: fieldsOf(spec.fields['job']) };
  const cluster: SpecPart = { place: 'spec.cluster', fields: fieldsOf(spec.fields['cluster']) };
  for (const part of [spec, job, cluster]) {
    const field = identifierIn(part);
    if (field !== undefined) return { field, instead: 'Create it with this object instead' };
  }
  return fileIn(spec) ?? sourceIn(spec, [spec, job, referredJob(spec, jobOf)]);
}

function fieldsOf(value: unknown): GivenFields {
  return Object(value ?? {}) as GivenFields;
}

function referredJob({ fields }: SpecPart, jobOf: (name: string) => unknown): SpecPart {
  const name = textOf(fieldsOf(fields['jobRef'])['name']);
  return { place: `spec.jobRef: Job ${name}: spec`, fields: fieldsOf(name === '' ? undefined : jobOf(name)) };
}

/** A field of its own, or of an entry of a list. */
function identifierIn({ place, fields }: SpecPart): string | undefined {
  const own = Object.keys(fields).find((field) => field === 'adopt' || serviceIDs.includes(field));
  if (own !== undefined) return `${place}.${own}`;
  for (const [field, list] of Object.entries(fields)) {
    const entries = Array.isArray(list) ? (list as readonly unknown[]) : [];
    const taken = entries.flatMap((entry) => Object.keys(fieldsOf(entry))).find((name) => serviceIDs.includes(name));
    if (taken !== undefined) return `${place}.${field}[].${taken}`;
  }
  return undefined;
}

/** The service reads the bytes of any internal binary of the tenant, whoever stored them. */
function fileIn({ fields }: SpecPart): Taken | undefined {
  if (splitUrl(textOf(fields['url'])).scheme.toLowerCase() !== 'internal-db') return undefined;
  return { field: 'spec.url', instead: 'Give the bytes of the file in spec.content instead' };
}

/** A run gets the URL and the credentials of any data source of the tenant that its words refer to. `jobs`: what can have the interface of its job. */
function sourceIn(run: SpecPart, jobs: readonly SpecPart[]): Taken | undefined {
  const configs = fieldsOf(run.fields['configs']);
  const set = switches.find((name) => isOn(configs[name]));
  const field = set === undefined ? referringField(run, jobs) : `spec.configs[${set}]`;
  if (field === undefined) return undefined;
  const instead =
    'Give the URLs of the data, without options that look up data sources, or name a DataSource in inputRef or outputRef of the JobExecution';
  return { field, instead };
}

/** What the interface calls a data source needs no switch, and a switch can be the value of an argument. */
function referringField(run: SpecPart, jobs: readonly SpecPart[]): string | undefined {
  for (const job of jobs) {
    const described = job.fields['interface'];
    for (const argument of Array.isArray(described) ? described.map(fieldsOf) : []) {
      const found = wordsFor(argument, run, job).find(([, word]) => isReferring(argument, word));
      if (found) return found[0];
    }
  }
  return undefined;
}

/** All that can become the value of an argument, with its field. */
function wordsFor(
  argument: GivenFields,
  { fields: run }: SpecPart,
  job: SpecPart,
): readonly (readonly [string, unknown])[] {
  const { name, mappingType: type, location } = textsOf(argument);
  return [
    [`spec.interface[${name}]`, fieldsOf(run['interface'])[name]],
    [`spec.${type}[${location}]`, fieldsOf(run[type])[location]],
    [`${job.place}.interface[${name}].default`, argument['default']],
  ];
}

function isReferring(argument: GivenFields, word: unknown): boolean {
  const { mappingType, location } = textsOf(argument);
  if (mappingType === 'configs' && switches.includes(location)) return isOn(word);
  return argument['valueType'] === 'data_source' && isReference(word);
}

function textsOf({ name, mappingType, location }: GivenFields) {
  return { name: textOf(name), mappingType: textOf(mappingType), location: textOf(location) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** As services read a switch. */
function isOn(value: unknown): boolean {
  return value === true || textOf(value).toLowerCase() === 'true';
}

function isReference(word: unknown): boolean {
  const text = textOf(word);
  return isUuid(text) || text.toLowerCase().startsWith(sourceBeginning);
}
