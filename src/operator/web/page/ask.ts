// One request to /api/objects.
import type { WebAnswer } from '../view/answer.ts';

export type AskOutcome =
  | { readonly kind: 'answer'; readonly answer: WebAnswer; readonly etag: string | undefined }
  /** The client has the newest answer. */
  | { readonly kind: 'same' }
  | { readonly kind: 'unauthorized'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface Asking {
  readonly send: typeof fetch;
  readonly query: string;
  /** Only ever in the header. */
  readonly token: string;
  readonly etag: string | undefined;
  readonly signal: AbortSignal;
}

/** Never rejects. */
export async function ask({ send, query, token, etag, signal }: Asking): Promise<AskOutcome> {
  try {
    const response = await send(`api/objects?${query}`, {
      headers: { authorization: `Bearer ${token}`, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal,
    });
    if (response.status === 304) return { kind: 'same' };
    if (response.ok) {
      const answer = (await response.json()) as WebAnswer;
      return { kind: 'answer', answer, etag: response.headers.get('etag') ?? undefined };
    }
    const message = await messageIn(response);
    return { kind: response.status === 401 ? 'unauthorized' : 'failed', message };
  } catch {
    return { kind: 'failed', message: 'the operator does not answer' };
  }
}

async function messageIn(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { readonly error?: unknown };
    return typeof error === 'string' ? error : `the answer has the status ${response.status}`;
  } catch {
    return `the answer has the status ${response.status}`;
  }
}
