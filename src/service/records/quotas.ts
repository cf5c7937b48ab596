// What one tenant may have kept for it, so that it leaves room for others, and the service can load everything again.
import { Refusal } from '../http/refusal.ts';
import type { Catalog } from '../plugins/catalog.ts';
import { kinds, type Store } from '../store/store.ts';

interface QuotaContext {
  readonly store: Store;
  readonly catalog: Catalog;
}

/** Refused with what the limit is, how much of it is used, and what helps. */
const exceeded = (message: string, flag: string) =>
  new Refusal(
    [400, 'QUOTA_ERROR'],
    `${message}; delete what is not needed, or start the service with a larger ${flag}`,
  );

/** Each resource is a row, of whatever kind; so are the notes on an image. All rows are in memory, so their sizes count, too. */
export function checkRows({ store, catalog }: QuotaContext, tenant: string, wanted = 1): void {
  const used = kinds.reduce((sum, kind) => sum + store.count(kind, tenant), 0);
  if (used + wanted <= catalog.rowQuota) return checkSize({ store, catalog }, tenant, 'create anything');
  const more = wanted === 1 ? '' : `, and the request is for ${wanted} more`;
  throw exceeded(
    `cannot create anything in tenant ${tenant}: it has ${used} of ${catalog.rowQuota} rows${more}`,
    '--quota-rows',
  );
}

function checkSize({ store, catalog }: QuotaContext, tenant: string, what: string): void {
  const size = store.size(tenant);
  if (size < catalog.rowByteQuota) return;
  throw exceeded(
    `cannot ${what} in tenant ${tenant}: its rows have ${size} of ${catalog.rowByteQuota} bytes`,
    '--quota-row-bytes',
  );
}

/** A change with less than this is always possible: it may be what lets something be deleted. */
const smallChange = 4096;

/** A change can make a row larger by about what its body has. */
export function checkGrowth(means: QuotaContext, tenant: string, body: unknown): void {
  if (JSON.stringify(body ?? null).length > smallChange) checkSize(means, tenant, 'make a large change');
}

/** The bytes of all internal binaries. */
export function checkBytes({ store, catalog }: QuotaContext, tenant: string, wanted: number): void {
  const used = store.list('jobBinaryInternals', tenant).reduce((sum, { datasize }) => sum + datasize, 0);
  if (used + wanted <= catalog.byteQuota) return;
  throw exceeded(
    `cannot keep binary of ${wanted} bytes in tenant ${tenant}: its binaries have ${used} of ${catalog.byteQuota} bytes`,
    '--quota-bytes',
  );
}
