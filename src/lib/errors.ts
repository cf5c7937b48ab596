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

const longestCause = 200;

/**
 * What `fetch` hides: why there is no answer, or only a part of it. Other errors, such as an abort, as they are. Names no address that a host leads to,
 * because who names the host need not know the network. `shown`: the URL for the message; when absent, the caller names it.
 */
export function failureOfFetch(error: unknown, shown?: string): unknown {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return error;
  const why = plainCause(error.cause);
  return new Error(shown === undefined ? why : `the request to ${shown} failed: ${why}`, { cause: error });
}

function plainCause(cause: Error): string {
  const [first = cause] = cause instanceof AggregateError ? cause.errors : [];
  const code = codeOf(first);
  if ('syscall' in first) return `${first.syscall} ${code}`;
  return code.startsWith('UND_ERR') ? code : first.message.slice(0, longestCause);
}

/** The message of an error with those of its causes: `fetch` hides the reason of a failure in the innermost one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : reasonOfCause(error);
  return [error.message, inner].filter((part) => part !== '').join(': ');
}

function reasonOfCause(error: Error): string {
  return error.cause === undefined ? '' : reasonOf(error.cause);
}
