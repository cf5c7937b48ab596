// Observations of a stand-in for the API server that has no watches: it is read again every half a second of the clock.
import type { Clock } from '../../../../../src/lib/ports.ts';
import { sleep } from '../../../../../src/lib/timing/wait.ts';
import {
  events,
  type KubeApi,
  type KubeObject,
  type ObjectKind,
} from '../../../../../src/service/backends/pods/api/api.ts';
import type { ObjectObserver, ObservedScope } from '../../../../../src/service/backends/pods/api/informers.ts';
import type { EventObject } from '../../../../../src/service/backends/pods/clusters/conditions.ts';

const everyMs = 500;

export const polledObjects = (api: Pick<KubeApi, 'list'>, clock: Clock): ObjectObserver => ({
  observe(scope) {
    const found = new Map<string, readonly KubeObject[]>();
    let hasChanged = false;
    const read = async (): Promise<void> => {
      for (const kind of scope.kinds) {
        const before = JSON.stringify(found.get(kind.kind) ?? []);
        found.set(kind.kind, await listed(api, kind, scope));
        hasChanged ||= JSON.stringify(found.get(kind.kind)) !== before;
      }
    };
    return {
      problem: undefined,
      list: (kind) => (found.get(kind.kind) ?? []) as never,
      async current() {
        await read();
        return false;
      },
      async next(ms, signal) {
        const until = clock.monotonic() + ms;
        for (hasChanged = false; !hasChanged && !signal.aborted && clock.monotonic() < until; ) {
          await sleep(clock, Math.min(everyMs, until - clock.monotonic()), signal);
          await read();
        }
        return new Set(hasChanged ? scope.kinds.map(({ kind }) => kind) : []);
      },
      close() {},
    };
  },
});

const whole = <T>(object: T): T => object;

async function listed(api: Pick<KubeApi, 'list'>, kind: ObjectKind, { namespace, labels, about }: ObservedScope) {
  if (kind.kind !== events.kind) return await api.list<KubeObject>(kind, namespace, { labels }, whole);
  const all = await api.list<EventObject>(kind, namespace, { fields: { type: 'Warning' } }, whole);
  return all.filter(({ involvedObject }) => about?.has(involvedObject?.name ?? ''));
}
