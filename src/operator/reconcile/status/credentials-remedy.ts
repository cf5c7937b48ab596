// The remedy where a service refuses the credentials of a Connection. PURE.
import { ServiceError } from '../../../wire/errors/service-error.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import type { Outcome } from '../outcome.ts';
import { type Key, nameText } from '../pass-ports.ts';

/** The part of a Connection's spec that matters here; the API server may not have checked it. */
interface Credentialed {
  readonly auth?: { readonly type?: unknown; readonly secretRef?: { readonly name?: string } };
  readonly credentialsNamespace?: unknown;
}

/** The same failure of an object; one of the credentials gets the remedy for those of its Connection. Users of a SharedConnection can read neither it nor its Secrets. */
export function withAccessRemedy(outcome: Outcome, connection: Key, spec: unknown): Outcome {
  return withRemedy(outcome, (why) =>
    connection.kind === sharedConnectionKind
      ? `Ask the administrator of the cluster to check the credentials of ${nameText(connection)}`
      : accessRemedy(connection, spec, why),
  );
}

/** The same for the status of the Connection itself. */
export function withOwnAccessRemedy(outcome: Outcome, connection: Key, spec: unknown): Outcome {
  return withRemedy(outcome, (why) => accessRemedy(connection, spec, why));
}

function withRemedy(outcome: Outcome, remedyFor: (why: string) => string): Outcome {
  if (outcome.result !== 'failed' || !(outcome.cause instanceof ServiceError)) return outcome;
  const { category, why } = outcome.cause;
  if (category !== 'unauthorized') return outcome;
  return { ...outcome, message: `${outcome.message}. ${remedyFor(why)}` };
}

function accessRemedy(connection: Key, spec: unknown, why: string): string {
  const { auth, credentialsNamespace } = (spec ?? {}) as Credentialed;
  const { type, secretRef } = auth ?? {};
  if (!secretRef) return `Set spec.auth of ${nameText(connection)}`;
  const place = connection.kind === sharedConnectionKind ? ` in namespace ${String(credentialsNamespace)}` : '';
  const secret = `Secret ${secretRef.name}${place}`;
  if (type !== 'Keystone') return `Check the token in ${secret}, and spec.tenantID of ${nameText(connection)}`;
  // What is wrong with the file is reported already.
  if (why.includes('clouds.yaml')) return `Correct clouds.yaml in ${secret}`;
  return `Check the project in clouds.yaml of ${secret}, and that the service accepts tokens of this Keystone`;
}
