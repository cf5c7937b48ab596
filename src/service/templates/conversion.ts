// Cluster templates from configuration files: the convert route of section 4.1, which leaves the format of the file open.
//
// Here a file is the JSON of a request for a cluster template. Plugin and version are those of the path and need not be in it; the
// name is that of the path or, without one, of the file. Node groups are described in full: a file knows no identifiers.

import { renameField } from '../../wire/dialect.ts';
import { configurationFile, readBody } from '../bodies/bodies.ts';
import { parseJson } from '../http/json.ts';
import { invalidData, invalidReference, Refusal } from '../http/refusal.ts';
import type { ClusterTemplateRecord } from '../records/records.ts';
import type { Call } from '../routes/endpoint.ts';
import type { Service } from '../service.ts';
import { storeClusterTemplate } from './templates.ts';

type ConvertedFields = Readonly<Record<string, unknown>>;

const unreadable = (why: string) =>
  new Refusal([400, 'MALFORMED_REQUEST_BODY'], `cannot read configuration file: ${why}`);

function parseFile(text: unknown): ConvertedFields {
  if (typeof text !== 'string' || text.trim() === '') throw unreadable('it is empty');
  let file: unknown;
  try {
    file = parseJson(text);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  if (typeof file !== 'object' || file === null || Array.isArray(file)) throw unreadable('it is not a JSON object');
  return file as ConvertedFields;
}

/** A file made for something else is more likely to be the wrong file than to fit. */
function checkTarget(file: ConvertedFields, target: ConvertedFields): void {
  for (const [word, wanted] of Object.entries(target)) {
    if (!Object.hasOwn(file, word) || file[word] === wanted) continue;
    const found = JSON.stringify(file[word]);
    throw invalidData(`cannot convert configuration file: its ${word} is ${found}, not ${String(wanted)}`);
  }
}

/** Both forms keep the template. Late upstream has no plugin left that converts anything; earlier upstream wants the name in the path. */
export function convertConfig(service: Service, call: Call): ClusterTemplateRecord {
  const { dialect } = service;
  if (dialect !== 'neutral' && call.name === '') {
    const text = 'cannot convert configuration file: the path does not name the template';
    throw new Refusal([404, 'NOT_FOUND'], text, 'framework');
  }
  if (dialect === 'sahara')
    throw invalidReference(`cannot convert configuration file: plugin ${call.id} does not support it`);
  const file = parseFile(call.body);
  const target = { plugin_name: call.id, [renameField(dialect, 'bigdata_version')]: call.version };
  checkTarget(file, target);
  const named = call.name === '' ? {} : { name: call.name };
  const body = readBody(dialect, configurationFile(dialect), { ...file, ...target, ...named });
  return storeClusterTemplate(service, call.tenant, body);
}
