// Job types with the plugins and versions that support them, as in late upstream releases.
import { type JobType, jobTypes } from '../../wire/jobs/job.ts';
import type { PluginEntry } from '../plugins/plugins.ts';
import { type Call, type Endpoint, ok } from '../routes/endpoint.ts';
import type { Service } from '../service.ts';
import { hintsOf } from './config-hints.ts';

type WantedTypes = (parameter: 'type' | 'plugin' | 'version', value: string) => boolean;

/** Each parameter can be repeated. Without it, everything matches. */
const wantedBy =
  ({ query }: Call): WantedTypes =>
  (parameter, value) =>
    query[parameter] === undefined || [query[parameter]].flat().includes(value);

function showPlugin(
  { name, title, description, versions }: PluginEntry,
  type: JobType,
  at: readonly [WantedTypes, object],
) {
  const [wanted, hints] = at;
  const running = versions.filter(
    ({ version, jobTypes: types }) => wanted('version', version) && (types === undefined || types.includes(type)),
  );
  if (!wanted('plugin', name) || running.length === 0) return [];
  return [{ name, title, description, versions: Object.fromEntries(running.map(({ version }) => [version, hints])) }];
}

/** With `hints=true`, each version has its configuration hints. */
export function showJobTypes({ catalog, dialect }: Service, call: Call): ReturnType<Endpoint['handle']> {
  const wanted = wantedBy(call);
  const withHints = [call.query['hints'] ?? []].flat()[0]?.toLowerCase() === 'true';
  const types = jobTypes[dialect].filter((type) => wanted('type', type));
  const shown = types.map((name) => {
    const hints = withHints ? hintsOf(dialect, name) : {};
    return { name, plugins: catalog.plugins.flatMap((plugin) => showPlugin(plugin, name, [wanted, hints])) };
  });
  return ok(JSON.stringify({ job_types: shown.filter(({ plugins }) => plugins.length > 0) }));
}
