// The quotas of a tenant, which leave room for other tenants, and the memory that there is for the rows of all.

import type { Catalog } from '../catalog/catalog.ts';
import type { CauseKey } from '../causes.ts';
import type { ImageRecord, JobExecutionRecord } from '../records/records.ts';
import { Refusal } from '../refusal.ts';
import { kinds, memoryOf, type Store } from '../store/store.ts';

interface QuotaContext {
  readonly store: Store;
  readonly catalog: Catalog;
}

/** How much memory rows may take. */
export type RowQuotas = Pick<Catalog, 'rowByteQuota' | 'allRowBytes'>;
type RowContext = Pick<QuotaContext, 'store'> & { readonly catalog: RowQuotas };

/** The refusal names the limit, the current use and the remedy. */
export const exceeded = (cause: CauseKey, message: string, flag: string) =>
  Refusal.by(cause, `${message}; delete what is not needed, or start the service with a larger ${flag}`);

/** Resources of all kinds and registrations of images count as rows. All rows are in memory, so their sizes count, too. */
export function checkRows({ store, catalog }: QuotaContext, tenant: string): void {
  const used = kinds.reduce((sum, kind) => sum + store.count(kind, tenant), 0);
  if (used < catalog.rowQuota)
    return checkSize({ store, catalog }, tenant, { what: 'create anything', cause: 'tooManyRows' });
  throw exceeded(
    'tooManyRows',
    `cannot create anything in tenant ${tenant}: it has ${used} of ${catalog.rowQuota} rows`,
    '--quota-rows',
  );
}

interface RowGrowth {
  readonly what: string;
  readonly cause: CauseKey;
  /** How many bytes of memory it adds. When absent: nobody knows, but not many. */
  readonly more?: number;
}

const sizeOfAll = ({ store }: RowContext): number => store.tenants().reduce((sum, each) => sum + store.size(each), 0);

function checkSize(means: RowContext, tenant: string, { what, cause, more = 0 }: RowGrowth): void {
  const { rowByteQuota, allRowBytes } = means.catalog;
  const size = means.store.size(tenant);
  if (size + more >= rowByteQuota)
    throw exceeded(
      cause,
      `cannot ${what} in tenant ${tenant}: its rows take ${size} of ${rowByteQuota} bytes of memory`,
      '--quota-row-bytes',
    );
  const all = sizeOfAll(means);
  if (size + more < allRowBytes / 2 && all + more < allRowBytes) return;
  const use = `its rows take ${size}, and those of all tenants ${all}, of ${allRowBytes} bytes of memory`;
  throw Refusal.by(
    cause,
    `cannot ${what} in tenant ${tenant}: ${use}, of which a tenant gets at most half; delete what is not needed, or give the service more memory`,
  );
}

/** Whether the rows of the tenant may take so many bytes of memory more. */
export function hasRoom(means: RowContext, tenant: string, more: number): boolean {
  const { rowByteQuota, allRowBytes } = means.catalog;
  const limit = Math.min(rowByteQuota, allRowBytes / 2);
  return means.store.size(tenant) + more < limit && sizeOfAll(means) + more < allRowBytes;
}

/** In characters. A smaller change is always possible, because it can be what allows a deletion. All rows can have one, so it cannot be much. */
export const smallChange = 128;

/** A change can enlarge a row by about the size of its body. */
export function checkGrowth(means: QuotaContext, tenant: string, body: unknown): void {
  if (JSON.stringify(body ?? null).length > smallChange)
    checkSize(means, tenant, { what: 'make a large change', cause: 'tooLargeRows' });
}

/** Tags come in many small requests, and none of them is needed for a deletion. */
export function checkLarger(means: RowContext, tenant: string, image: ImageRecord): void {
  const more = memoryOf(image) - means.store.sizeOf('images', tenant, image.id);
  if (more > 0) checkSize(means, tenant, { what: 'make an image larger', cause: 'tooManyRows', more });
}

/** What its stages add to the row of a run, besides messages. */
const bytesOfStages = 1024;

/** Throws unless there is room for a run with its files and the URLs of its data. `kept`: what its row takes by now. When absent: it has none yet. */
export function checkRunSize(means: RowContext, tenant: string, run: JobExecutionRecord, kept = -bytesOfStages): void {
  const more = memoryOf(run) - kept;
  if (more > 0) checkSize(means, tenant, { what: `keep ${more} bytes more of a run`, cause: 'tooManyRows', more });
}

/** Checks the bytes of all internal binaries. */
export function checkBytes({ store, catalog }: QuotaContext, tenant: string, wanted: number): void {
  const used = store.list('jobBinaryInternals', tenant).reduce((sum, { datasize }) => sum + datasize, 0);
  if (used + wanted <= catalog.byteQuota) return;
  throw exceeded(
    'tooManyBytes',
    `cannot keep binary of ${wanted} bytes in tenant ${tenant}: its binaries have ${used} of ${catalog.byteQuota} bytes`,
    '--quota-bytes',
  );
}
