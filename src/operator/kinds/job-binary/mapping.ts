// JobBinary between YAML and the wire. PURE.
import { cleanWord } from '../../../wire/errors/shapes.ts';
import type { JobBinary, JobBinaryCreate } from '../../../wire/jobs.ts';
import type { Spec } from '../../api/definition.ts';
import { settled } from '../node-groups.ts';
import type { jobBinary } from './schema.ts';

export type JobBinarySpec = Spec<typeof jobBinary>;

export function content({ url }: JobBinarySpec): unknown {
  return { url };
}

export function body({ url, description }: JobBinarySpec, name: string): JobBinaryCreate {
  return { name, url, ...settled({ description }) };
}

export function report(remote: JobBinary): Readonly<Record<string, unknown>> {
  return settled({ url: cleanWord(remote.url) });
}
