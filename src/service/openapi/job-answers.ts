// The schemas of answered jobs, binaries, data sources and executions by dialect. PURE.
import { z } from 'zod';
import type { Dialect } from '../../wire/dialect.ts';
import { routes } from '../../wire/routes.ts';
import { ownedIn, text } from './pieces.ts';

const anything = z.record(z.string(), z.unknown()).optional();

/** Early releases return the credentials. */
export const binaryOf = (dialect: Dialect) =>
  routes.jobBinaries.answer.out.extend({ ...ownedIn(dialect), ...(dialect === 'savanna' && { extra: anything }) });

export const sourceOf = (dialect: Dialect) =>
  routes.dataSources.answer.out.extend({
    ...ownedIn(dialect),
    ...(dialect === 'savanna' && { credentials: anything }),
  });

export function jobOf(dialect: Dialect) {
  const binaries = z.array(binaryOf(dialect)).optional();
  const shown = routes.jobs.answer.out.extend({ ...ownedIn(dialect), mains: binaries, libs: binaries });
  return dialect === 'savanna' ? shown.omit({ interface: true }) : shown;
}

/** Late releases put the values of the interface into the configurations. Early ones have neither. */
export function executionOf(dialect: Dialect) {
  const all = routes.jobExecutions.answer.out.extend(ownedIn(dialect));
  if (dialect === 'neutral') return all.extend({ interface: z.record(z.string(), z.unknown()).optional() });
  const upstream = all.extend({ return_code: text });
  return dialect === 'sahara'
    ? upstream.extend({ oozie_job_id: text })
    : upstream.omit({ data_source_urls: true }).extend({ progress: z.number().optional() });
}

const hint = z.object({ name: z.string(), value: z.string(), description: z.string() });

export const jobConfigOf = (dialect: Dialect) =>
  z.object({
    configs: z.array(hint),
    params: z.object({}).optional(),
    args: (dialect === 'savanna' ? z.object({}) : z.array(z.string())).optional(),
  });

/** Each plugin with the versions that run jobs of the type. */
export const jobTypeOf = () => {
  const { name, title, description } = routes.plugins.answer.out.shape;
  const plugin = z.object({ name, title, description, versions: z.record(z.string(), z.unknown()) });
  return z.object({ name, plugins: z.array(plugin) });
};
