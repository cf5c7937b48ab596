// The answers of the page's server, and the headers that all of them have.

export interface WebReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Scripts and styles are the files of the server, and no text becomes HTML. Nothing else is loaded, embedded or sent anywhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const common = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export function headersOf({ type, body, headers = {}, status }: WebReply): Readonly<Record<string, string | number>> {
  // The rest of a request that was refused is not read.
  const end = status === 413 || status === 405 ? { connection: 'close' } : {};
  const content = status === 304 ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  return { ...common, ...content, ...headers, ...end };
}

/** As JSON. The message is for users. */
export function problem(status: number, message: string, headers: WebReply['headers'] = {}): WebReply {
  return { status, type: 'application/json', body: `${JSON.stringify({ error: message })}\n`, headers };
}
