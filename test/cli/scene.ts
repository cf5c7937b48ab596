// A JobExecution whose status changes each time it is read, in front of a service with outputs, for the plugin.
import { Objects } from '../../src/cli/objects.ts';
import type { Printer } from '../../src/cli/output/run-output.ts';
import type { Reach } from '../../src/cli/reach.ts';
import type { ApiCall } from '../../src/kube/http/call.ts';
import type { PodTransport } from '../../src/kube/http/transport.ts';

export const condition = (type: string, reason: string, message = 'why') => ({ type, status: 'True', reason, message });
export const stalled = (reason: string, message?: string) => ({
  state: 'Pending',
  conditions: [{ ...condition('Ready', reason, message), status: 'False' }, condition('Stalled', reason, message)],
});
export const succeeded = {
  state: 'Succeeded',
  conditions: [condition('Ready', 'Succeeded'), condition('Complete', 'Succeeded')],
};
const failing = stalled('Failed');
export const failed = { state: 'Failed', conditions: [...failing.conditions, condition('Failed', 'Failed')] };
export const running = {
  state: 'Running',
  conditions: [{ ...condition('Ready', 'Running', 'it runs'), status: 'False' }],
};

export interface SceneOptions {
  /** Of the JobExecution, each time it is read; an error ends the following. */
  readonly statuses: readonly (object | Error)[];
  /** What the API server makes of the object that is applied. */
  readonly onPatch?: (object: unknown) => object;
  /** Of the service, by run. */
  readonly outputs?: Readonly<Record<string, string>>;
}

export interface Scene {
  readonly access: Reach;
  readonly printer: Printer;
  /** Lines on standard error. */
  readonly told: readonly string[];
  /** On standard output. */
  readonly printed: () => string;
  readonly calls: readonly string[];
}

const soon = (_ms: number, go: () => void) => {
  setImmediate(go);
  return () => {};
};

export function scene({ statuses, onPatch = () => ({}), outputs = {} }: SceneOptions): Scene {
  const left = [...statuses];
  const calls: string[] = [];
  const request = async ({ method, path, body }: ApiCall) => {
    calls.push(`${method} ${path}`);
    if (method === 'PATCH') return onPatch(body);
    if (path.includes('/connections/')) return { spec: { endpoint: 'http://service.system.svc', tenantID: 'demo' } };
    if (path.endsWith('/v1alpha1'))
      return { resources: [{ name: 'jobexecutions', kind: 'JobExecution', namespaced: true }] };
    const status = left.shift();
    if (status === undefined) throw new Error('it still waits');
    if (status instanceof Error) throw status;
    return { metadata: { name: 'etl', generation: 1 }, spec: {}, status: { observedGeneration: 1, ...status } };
  };
  const open = async ({ path }: ApiCall) => {
    const text = outputs[/job-executions\/(.*)\/logs/.exec(path)?.[1] ?? ''];
    const bytes = (async function* () {
      yield Buffer.from(text ?? '');
    })();
    return { status: text === undefined ? 404 : 200, bytes };
  };
  const transport = { request, open } as unknown as PodTransport;
  const told: string[] = [];
  let printed = '';
  const printer = {
    clock: { wall: () => 0, monotonic: () => 0, after: soon },
    signal: new AbortController().signal,
    print: async (bytes: Uint8Array) => void (printed += Buffer.from(bytes).toString()),
    tell: (line: string) => void told.push(line),
    isTerminal: false,
    isColoured: false,
  };
  const access = { objects: new Objects(transport, 'team'), transport, tokenFile: undefined, isInCluster: false };
  return { access, printer, told, printed: () => printed, calls };
}
