// Values of `catch`, which may be anything.

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of the system or the library, or the name of the error. Never the message, which may quote a secret. */
export const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : error.name;

/** Whether `error` is a system error with this code, such as ENOENT. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** The message of an error with those of its causes: `fetch` hides the reason of a failure in the innermost one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : reasonOfCause(error);
  return [error.message, inner].filter((part) => part !== '').join(': ');
}

function reasonOfCause(error: Error): string {
  return error.cause === undefined ? '' : reasonOf(error.cause);
}
