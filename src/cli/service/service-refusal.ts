// Tells a refusal of the API server, which is between, from an answer of the service.
import type { OpenAnswer } from '../../kube/http/transport.ts';

const longest = 4_000;

export async function beginningOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of bytes) if (text.length < longest) text += Buffer.from(part).toString();
  return text.slice(0, longest);
}

/** The answer of the service. Rejects if it is a refusal of the API server itself, which sends a Status. */
export async function ofService(
  answer: OpenAnswer,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<OpenAnswer> {
  const { status } = answer;
  if (status === 200) return answer;
  const text = await beginningOf(answer.bytes);
  const refusal = messageOfStatus(text);
  if (refusal === undefined)
    return {
      status,
      bytes: (async function* () {
        yield Buffer.from(text);
      })(),
    };
  if (status === 403)
    throw new Error(
      `you may not reach the service through the API server: ask for the verb "get" on services/proxy in namespace ${JSON.stringify(namespace)}, or run the plugin in a pod of the cluster`,
    );
  if (status === 404)
    throw new Error(
      `there is no Service ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}: correct the endpoint of the Connection`,
    );
  throw new Error(`cannot reach the service through the API server: ${status} ${refusal}`);
}

/** Undefined if it is no Status of Kubernetes. */
function messageOfStatus(text: string): string | undefined {
  try {
    const { kind, apiVersion, message } = (JSON.parse(text) ?? {}) as Readonly<Record<string, unknown>>;
    return kind === 'Status' && apiVersion === 'v1' ? String(message) : undefined;
  } catch {
    return undefined;
  }
}
