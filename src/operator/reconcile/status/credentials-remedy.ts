// The remedy where a service refuses the credentials of a Connection. PURE.
import { ServiceError } from '../../../wire/errors/service-error.ts';
import type { Outcome } from '../outcome.ts';
import { type Key, nameText } from '../pass-ports.ts';

/** The part of a Connection's spec that matters here; the API server may not have checked it. */
interface Credentialed {
  readonly auth?: { readonly type?: unknown; readonly secretRef?: { readonly name?: string } };
}

/** The same failure; one of the credentials gets the remedy for those of this Connection. */
export function withAccessRemedy(outcome: Outcome, connection: Key, spec: unknown): Outcome {
  if (outcome.result !== 'failed' || !(outcome.cause instanceof ServiceError)) return outcome;
  const { category, why } = outcome.cause;
  if (category !== 'unauthorized') return outcome;
  return { ...outcome, message: `${outcome.message}. ${accessRemedy(connection, spec, why)}` };
}

function accessRemedy(connection: Key, spec: unknown, why: string): string {
  const { type, secretRef } = (spec as Credentialed | undefined)?.auth ?? {};
  if (!secretRef) return `Set spec.auth of ${nameText(connection)}`;
  const secret = `Secret ${secretRef.name}`;
  if (type !== 'Keystone') return `Check the token in ${secret}, and spec.tenantID of ${nameText(connection)}`;
  // What is wrong with the file is reported already.
  if (why.includes('clouds.yaml')) return `Correct clouds.yaml in ${secret}`;
  return `Check the project in clouds.yaml of ${secret}, and that the service accepts tokens of this Keystone`;
}
