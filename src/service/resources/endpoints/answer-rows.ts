// Lists as answers, as one text or in parts.
import { routes } from '../../../wire/routes.ts';
import { findVisible } from '../../model/checks/owners.ts';
import type { Kind, Records } from '../../model/records/records.ts';
import { renderRecord, type Service, type Subject } from '../service.ts';
import { type Answer, ok } from './endpoint.ts';

/** In characters. Rendering this much takes less than a millisecond. */
const partLength = 64 * 1024;
/** A list whose rows take no more memory is sent as one piece. */
const wholeBytes = 256 * 1024;
/** In a list of identifiers that the rows have, too. */
const idBytes = 8;

/** About as many bytes of memory as the row takes as an answer. That of a job contains its binaries. */
function shownMemoryOf<K extends Kind>({ store }: Service, { kind, tenant }: Subject<K>, record: Records[K]): number {
  const size = store.sizeOf(kind, tenant, record.id);
  if (!('mains' in record)) return size;
  const binaries = [...record.mains, ...record.libs];
  return binaries.reduce((sum, id) => sum + store.sizeOf('jobBinaries', tenant, id), size);
}

/** Resources in an object whose key is the plural name. */
function* textsOf<K extends Kind>(service: Service, at: Subject<K>, rows: Iterable<Records[K]>): Generator<string> {
  let text = `{"${routes[at.kind].plural}":[`;
  let comma = '';
  for (const record of rows) {
    text += comma + renderRecord(service, at, record);
    comma = ',';
    if (text.length < partLength) continue;
    yield text;
    text = '';
  }
  yield `${text}]}`;
}

/** The rows as they are when it is their turn, without those that are gone by then: a client that reads slowly keeps no old ones in memory. */
function* rowsNow<Row>(ids: readonly string[], findNow: (id: string) => Row | undefined): Generator<Row> {
  for (const id of ids) {
    const row = findNow(id);
    if (row !== undefined) yield row;
  }
}

const visibleNow =
  <K extends Kind>({ store }: Service, { kind, tenant }: Subject<K>) =>
  (id: string): Records[K] | undefined =>
    findVisible(store, kind, { tenant, id });

/** Answers 200 with the rows. `findNow`: the row as it is by then. */
export function answerRows<K extends Kind>(
  service: Service,
  at: Subject<K>,
  rows: readonly Records[K][],
  findNow = visibleNow(service, at),
): Answer {
  const sizes = rows.map((record) => shownMemoryOf(service, at, record));
  const whole = () => [...textsOf(service, at, rows)].join('');
  if (sizes.reduce((sum, size) => sum + size, 0) <= wholeBytes) return ok(whole());
  const ids = rows.map(({ id }) => id);
  const heldBytes = sizes.reduce((most, size) => Math.max(most, size), 0) + 4 * partLength + idBytes * ids.length;
  // No closure of this function, which would keep the rows.
  const texts = textsOf(service, at, rowsNow(ids, findNow));
  return {
    status: 200,
    parts: { texts, heldBytes },
    get text() {
      return whole();
    },
  };
}
