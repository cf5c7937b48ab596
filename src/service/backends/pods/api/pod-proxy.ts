// Requests to pods over HTTP through the API server, for a service that is not in the cluster itself. URLs have host names as `podHost` makes them.
import { ApiError } from '../../../../kube/api-error.ts';
import type { ApiCall } from '../../../../kube/http/call.ts';
import type { OpenAnswer, PodTransport } from '../../../../kube/http/transport.ts';
import { parseAnswer, readText, readWhole } from '../../../../lib/http/bounded.ts';
import { within } from '../../../../lib/timing/wait.ts';
import type { AskJson } from '../../../engines/engine.ts';
import type { Get } from '../../../engines/probes.ts';
import type { Download } from '../../runs/transfer.ts';
import { type KubeObject, pathOf, pods } from './api.ts';
import { beginning } from './bytes.ts';
import { podOfHost } from './names.ts';
import { Requests } from './requests.ts';

/** For a whole answer, however slowly it arrives. */
const answerMs = 5000;

export interface PodProxy {
  readonly get: Get;
  readonly ask: AskJson;
  /** Headers are not passed on, and redirects not followed. */
  readonly download: Download;
  /** A host for URLs that reaches the pod. */
  readonly addressOf: (pod: KubeObject) => string;
}

function callOf(url: string) {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const [namespace, pod] = podOfHost(hostname);
  const path = `${pathOf(pods, namespace, `${pod}:${port}`)}/proxy${pathname}`;
  return { path, query: Object.fromEntries(searchParams) };
}

/** All of them reject with `Transient` if the API server does not reach the pod, and as long as it refuses what may be allowed again. */
export function createPodProxy(transport: PodTransport): PodProxy {
  const requests = new Requests(transport.clock);
  const open = async (call: ApiCall): Promise<OpenAnswer> => {
    const { status, bytes } = await requests.make(call, async () => {
      const answer = await transport.open(call);
      return answer.status < 400 ? answer : await ofPod(answer);
    });
    return { status, bytes: explained(bytes, (error) => requests.explain(call, error)) };
  };
  return {
    get: async (url, signal, onLine) => {
      const { status, bytes } = await open({ method: 'GET', ...callOf(url), signal });
      return { ok: status < 300, text: await readWhole(bytes, onLine) };
    },
    ask: async (url, put) => {
      const method = put === undefined ? 'GET' : 'PUT';
      const controller = new AbortController();
      const asked = async () => {
        const { status, bytes } = await open({ method, ...callOf(url), body: put, signal: controller.signal });
        const text = await readText(bytes);
        if (status >= 300) throw new Error(`${url} answers with ${status}`);
        return parseAnswer(text);
      };
      try {
        return await within(
          { clock: transport.clock, ms: answerMs, late: `no answer within ${answerMs / 1000} s` },
          asked,
        );
      } finally {
        controller.abort();
      }
    },
    download: (url, { signal }) => open({ method: 'GET', ...callOf(url), signal }),
    addressOf: ({ metadata }) => `${metadata.name}.pod.${metadata.namespace}.svc`,
  };
}

/** An answer that breaks off is explained as one that does not begin. */
async function* explained(
  bytes: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw explain(error);
  }
}

/** Rejects with ApiError if it is the API server that refuses, because it does not reach the pod: that says nothing about what was asked for. */
async function ofPod({ status, bytes }: OpenAnswer): Promise<OpenAnswer> {
  const body = await beginning(bytes);
  const message = refusalOf(body.toString('utf8'));
  const isForbidden = status === 401 || status === 403;
  if (message !== undefined)
    throw new ApiError('unreachable', `the API server does not reach the pod: ${message}`, {
      status: isForbidden ? status : 0,
    });
  return { status, bytes: once(body) };
}

/** The message of a Status. Undefined if the text is something else. */
function refusalOf(text: string): string | undefined {
  try {
    const { kind, message } = parseAnswer(text) as { readonly kind?: unknown; readonly message?: unknown };
    return kind === 'Status' ? String(message).slice(0, 300) : undefined;
  } catch {
    return undefined;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
