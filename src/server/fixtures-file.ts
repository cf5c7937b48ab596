// Fixtures as text: objects that are there when the service starts, by tenant and kind; docs/fixtures.md tells what can be in it.
import { z } from 'zod';
import type { Fixture, SectionKey } from './fixture-sections.ts';
import { parseTold, readTold } from './told.ts';

const id = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, {
  error: 'is not an identifier: 32 digits from 0 to f in UUID form, with hyphens and small letters',
});
const name = z.string().min(1);

// What else an object can have is told by whoever takes the request that makes it.
const named = z.looseObject({ name, id: id.optional() });
const internal = z
  .strictObject({ name, id: id.optional(), text: z.string().optional(), base64: z.base64().optional() })
  .refine((fields) => (fields.text === undefined) !== (fields.base64 === undefined), {
    error: 'needs its bytes: either text or base64',
  });

/** Job executions have no names: only by its identifier can one be told from another when the file is loaded again. */
const sections = {
  images: z.array(z.looseObject({ id: z.string().min(1) })),
  node_group_templates: z.array(named),
  cluster_templates: z.array(named),
  clusters: z.array(named),
  data_sources: z.array(named),
  job_binary_internals: z.array(internal),
  job_binaries: z.array(named),
  jobs: z.array(named),
  job_executions: z.array(z.looseObject({ id, job: z.string().min(1) })),
} satisfies Readonly<Record<SectionKey, z.ZodType<readonly Fixture[]>>>;

const schema = z.strictObject({ tenants: z.record(z.string().min(1), z.strictObject(sections).partial()) });

export type Fixtures = z.output<typeof schema>;

/** Throws an Error that names each wrong field. */
export const parseFixtures = (text: string): Fixtures => parseTold(schema, text);

/** Throws `cannot load fixtures FILE: ...` when the file cannot be used, also where that is found out by `load`. */
export const readFixtures = <Result>(file: string, load: (fixtures: Fixtures) => Result): Result =>
  readTold('fixtures', file, (text) => load(parseFixtures(text)), 'load');
