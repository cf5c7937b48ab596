// What objects report whose Connection cannot be used. PURE.
import { ServiceError } from '../../../wire/errors/service-error.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import { type Key, nameText } from '../../reconcile/pass-ports.ts';

interface Trouble {
  readonly message: string;
  /** What a service answered has no words of the Connection's settings. */
  readonly cause?: unknown;
}

/** A SharedConnection, its Secrets and their namespace are those of the administrator: its users learn whom to ask, and no remedy that they cannot carry out. */
export function toldToUsers(key: Key, state: string, { message, cause }: Trouble): string {
  const what = `${nameText(key)} ${state}`;
  if (key.kind !== sharedConnectionKind) return `${what}: ${message}`;
  const why = cause instanceof ServiceError ? `: ${cause.why}` : '';
  return `${what}${why}. Ask the administrator of the cluster, who finds the remedy in its status`;
}
