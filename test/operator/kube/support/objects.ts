// Objects and watch events as the API server would send them, for scripts.

import type { ResourceKind } from '../../../../src/kube/resource.ts';
import type { RawResource } from '../../../../src/operator/api/definition.ts';

export const widgets: ResourceKind = { kind: 'Widget', apiVersion: 'test.dataprocessing.dev/v1', plural: 'widgets' };

export interface Sketch {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly version?: number | string;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly finalizers?: readonly string[];
}

export function widget(sketch: Sketch = {}): RawResource {
  const { name = 'one', namespace = 'team-a', uid = `uid-${name}`, version = 1, spec, status, finalizers } = sketch;
  return {
    apiVersion: widgets.apiVersion,
    kind: widgets.kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(version),
      generation: 1,
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

export function event(type: 'ADDED' | 'MODIFIED' | 'DELETED', sketch: Sketch): object {
  return { type, object: widget(sketch) };
}

export function bookmark(version: number, initialEnd = false): object {
  const annotations = initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), ...annotations } } };
}

/** The Status object of an ERROR event or of a refused request. */
export function status(code: number, message: string): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    message,
    ...(code === 404 && { reason: 'NotFound' }),
  };
}

export function errorEvent(code: number, message: string): object {
  return { type: 'ERROR', object: status(code, message) };
}

export function list(version: number, items: readonly object[], token?: string): object {
  const metadata = { resourceVersion: String(version), ...(token === undefined ? {} : { continue: token }) };
  return { kind: 'List', metadata, items };
}
