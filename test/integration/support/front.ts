// What stands between operator and service in a test: a proxy that forwards until it is told otherwise, and a log that is kept.
import type { Log, LogFields } from '../../../src/lib/ports.ts';
import type { Backend } from '../../operator/kinds/support/backend.ts';
import { type FaultProxy, openProxy } from '../../operator/kinds/support/fault-proxy.ts';

/** A proxy in front of the service, as good as it until it is told otherwise; `token` is what the service gets. */
export async function openFront(service: string, token?: string): Promise<FaultProxy> {
  const none = async (): Promise<void> => undefined;
  return openProxy(forwarding(service, token), { before: none, after: none, hanging: () => undefined });
}

/** The service behind a proxy of one's own. */
export function forwarding(service: string, token?: string): Pick<Backend, 'answer'> {
  return {
    async answer({ method, url, body }) {
      const headers = {
        ...(token === undefined ? {} : { 'x-auth-token': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const real = await fetch(`${service}${url}`, { method, headers, ...(body === undefined ? {} : { body }) });
      return { status: real.status, headers: { 'content-type': 'application/json' }, body: await real.text() };
    },
  };
}

/** A log whose lines hold all that any log could write: the fields, and what errors and their causes carry. */
export function keptLog(): { readonly lines: readonly string[]; readonly log: Log } {
  const lines: string[] = [];
  const note = (level: string) => (fields: LogFields, message: string) => {
    const { err, ...rest } = fields;
    lines.push(`${level} ${message} ${JSON.stringify(rest)} ${errorText(err)}`);
  };
  return { lines, log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') } };
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? '' : JSON.stringify(error);
  const fields = Object.getOwnPropertyNames(error).map((name) => [name, Reflect.get(error, name) as unknown]);
  return `${JSON.stringify(Object.fromEntries(fields))} ${errorText(error.cause)}`;
}
