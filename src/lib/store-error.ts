// Why the API server did not do what it was asked for.

/**
 * Why a read or write of the API server failed.
 * conflict: somebody else wrote in between; read again and start over. gone: the object was deleted.
 * invalid: refused for good (a bug of ours, or a CRD of another version). forbidden: RBAC, or a terminating namespace.
 */
export type StoreErrorCategory = 'conflict' | 'gone' | 'invalid' | 'forbidden' | 'throttled' | 'unreachable';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly category: StoreErrorCategory;
  readonly retryAfterMs: number | undefined;
  constructor(category: StoreErrorCategory, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.category = category;
    this.retryAfterMs = options.retryAfterMs;
  }
}
