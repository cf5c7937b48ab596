// Converts configuration files to cluster templates (section 4.1, which does not define the format). A file is the JSON of a request for a cluster
// template. Plugin and version come from the path. The name comes from the path or, without one, from the file. Node groups are described in full,
// because a file has no identifiers.
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import { renameField } from '../../../wire/dialect.ts';
import type { ClusterTemplateRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { configurationFile, readBody } from '../bodies/bodies.ts';
import type { Call } from '../endpoints/endpoint.ts';
import type { Service } from '../service.ts';
import { storeClusterTemplate } from './templates.ts';

const unreadable = (why: string) => Refusal.by('notJson', `cannot read configuration file: ${why}`);

function parseFile(text: unknown): JsonObject {
  if (typeof text !== 'string' || text.trim() === '') throw unreadable('it is empty');
  let file: unknown;
  try {
    file = parseJson(text);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  if (!isJsonObject(file)) throw unreadable('it is not a JSON object');
  return file;
}

/** A file for another plugin or version is more likely the wrong file than usable. */
function checkTarget(file: JsonObject, target: JsonObject): void {
  for (const [word, wanted] of Object.entries(target)) {
    if (!Object.hasOwn(file, word) || file[word] === wanted) continue;
    const found = JSON.stringify(file[word]);
    throw Refusal.by(
      'otherTarget',
      `cannot convert configuration file: its ${word} is ${found}, not ${String(wanted)}`,
    );
  }
}

/** Stores the template. No plugin of late upstream converts files any more, and early upstream requires the name in the path. */
export function convertConfig(service: Service, call: Call): ClusterTemplateRecord {
  const { dialect } = service;
  if (dialect !== 'neutral' && call.name === '') {
    const text = 'cannot convert configuration file: the path does not name the template';
    throw Refusal.by('unnamed', text);
  }
  if (dialect === 'sahara')
    throw Refusal.by('noConversion', `cannot convert configuration file: plugin ${call.id} does not support it`);
  const file = parseFile(call.body);
  const target = { plugin_name: call.id, [renameField(dialect, 'bigdata_version')]: call.version };
  checkTarget(file, target);
  const named = call.name === '' ? {} : { name: call.name };
  const body = readBody(dialect, configurationFile(dialect), { ...file, ...target, ...named });
  return storeClusterTemplate(service, call.tenant, body);
}
