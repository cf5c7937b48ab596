// The quotas of a tenant, which leave room for other tenants, and the memory that there is for the rows of all.

import type { Catalog } from '../catalog/catalog.ts';
import type { CauseKey } from '../causes.ts';
import { Refusal } from '../refusal.ts';
import { kinds, type Store } from '../store/store.ts';

interface QuotaContext {
  readonly store: Store;
  readonly catalog: Catalog;
}

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

function checkSize(
  { store, catalog }: QuotaContext,
  tenant: string,
  { what, cause }: { readonly what: string; readonly cause: CauseKey },
): void {
  const { rowByteQuota, allRowBytes } = catalog;
  const size = store.size(tenant);
  if (size >= rowByteQuota)
    throw exceeded(
      cause,
      `cannot ${what} in tenant ${tenant}: its rows take ${size} of ${rowByteQuota} bytes of memory`,
      '--quota-row-bytes',
    );
  const all = store.tenants().reduce((sum, each) => sum + store.size(each), 0);
  if (size < allRowBytes / 2 && all < allRowBytes) return;
  const use = `its rows take ${size}, and those of all tenants ${all}, of ${allRowBytes} bytes of memory`;
  throw Refusal.by(
    cause,
    `cannot ${what} in tenant ${tenant}: ${use}, of which a tenant gets at most half; delete what is not needed, or give the service more memory`,
  );
}

/** In characters. A smaller change is always possible, because it can be what allows a deletion. All rows can have one, so it cannot be much. */
const smallChange = 128;

/** A change can enlarge a row by about the size of its body. */
export function checkGrowth(means: QuotaContext, tenant: string, body: unknown): void {
  if (JSON.stringify(body ?? null).length > smallChange)
    checkSize(means, tenant, { what: 'make a large change', cause: 'tooLargeRows' });
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
