// Opens the service of a Connection: reads its Secrets, logs in where the spec leaves something to that, and hands everything to the registry.
import type { Service } from '../../client/service-client.ts';
import { type Outcome, outcomeOfError } from '../../reconcile/outcome.ts';
import { withOwnAccessRemedy } from '../../reconcile/status/credentials-remedy.ts';
import type { Context } from './connection-context.ts';
import { type ConnectionSpec, secretsBeside, settingsOf } from './connection-settings.ts';
import { wasAccepted } from './connection-status.ts';
import type { LogIn, Settings } from './service-registry.ts';

export type Opened =
  | { readonly state: 'open'; readonly service: Service; readonly settings: Settings }
  /** Something is missing or wrong in the credentials. */
  | { readonly state: 'missing'; readonly message: string }
  /** Nothing can be reached with these settings. */
  | { readonly state: 'unfit'; readonly message: string }
  /** The log-in failed, or leads elsewhere. */
  | { readonly state: 'failed'; readonly outcome: Outcome };

export async function open(context: Context, spec: ConnectionSpec): Promise<Opened> {
  const { ports, key, resource } = context;
  const secrets = secretsBeside(resource, (one) => ports.store.read(one));
  const found = settingsOf(spec, resource.metadata.uid, secrets);
  if (!found.ok) return { state: 'missing', message: found.message };
  const { wanted } = found;
  const { endpoint, tenant } = wanted;
  if (wanted.authentication.type === 'keystone')
    return applyLogIn(context, spec, await ports.registry.login(key, wanted));
  // Without a log-in nothing fills in what is missing; the schema of the CRD requires both.
  if (endpoint === undefined || tenant === undefined)
    return { state: 'unfit', message: 'endpoint or tenantID is missing' };
  return apply(context, { ...wanted, endpoint, tenant });
}

function applyLogIn(context: Context, spec: ConnectionSpec, logIn: LogIn): Opened {
  switch (logIn.state) {
    case 'in':
      return apply(context, logIn.settings);
    case 'unfit':
      return { state: 'missing', message: `Secret ${spec.auth?.secretRef?.name}: ${logIn.message}` };
    case 'elsewhere':
      apply(context, logIn.settings);
      return { state: 'failed', outcome: loginOutcome(context, logIn) };
    case 'failed':
      return { state: 'failed', outcome: loginOutcome(context, logIn) };
  }
}

type Failed = Extract<LogIn, { readonly state: 'failed' | 'elsewhere' }>;

function loginOutcome({ key, resource }: Context, { at, error }: Failed): Outcome {
  const outcome = withOwnAccessRemedy(outcomeOfError(error, `authenticate at ${at}`), key, resource.spec);
  if (outcome.result !== 'failed' || error.category !== 'unreachable') return outcome;
  return {
    ...outcome,
    message: `${outcome.message}. Check auth_url in clouds.yaml, and whether the identity service runs`,
  };
}

function apply({ ports, key, resource }: Context, settings: Settings): Opened {
  try {
    return { state: 'open', service: ports.registry.apply(key, settings, wasAccepted(resource, settings)), settings };
  } catch (error) {
    // The client's own words for an address or limits that it cannot work with.
    if (error instanceof TypeError || error instanceof RangeError)
      return { state: 'unfit', message: `${error.message}; delete this ${key.kind} and apply a corrected one` };
    throw error;
  }
}
