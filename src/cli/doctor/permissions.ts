// What the user may do, one question for each verb and kind.
import type { PodTransport } from '../../kube/http/transport.ts';
import { group } from '../../operator/api/shared-api.ts';
import { definitions } from '../../operator/kinds/definitions.ts';
import { customKinds } from '../kind-names.ts';
import type { Finding, Level } from './finding.ts';
import type { SharedSecret } from './shared-connections.ts';

const area = 'Permissions';
const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const atOnce = 8;
const askMs = 5_000;

/** With spec.policy. */
const plannedKinds = definitions.flatMap(({ plural, spec }) => ('policy' in spec.shape ? [plural] : []));

interface Need {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
  readonly name?: string;
}

interface Group {
  readonly purpose: string;
  readonly missing: Level;
  readonly needs: readonly Need[];
  /** What helps, where that is not to ask for the verbs. */
  readonly todo?: string;
}

interface AskedPlaces {
  readonly namespace: string;
  readonly operatorNamespace: string;
  /** Of the SharedConnections that are looked at. */
  readonly sharedSecrets?: readonly SharedSecret[];
}

function groupsFor({ namespace, operatorNamespace, sharedSecrets = [] }: AskedPlaces): readonly Group[] {
  const onKinds = (...verbs: readonly string[]) =>
    customKinds.flatMap(({ plural }) => verbs.map((verb) => ({ verb, group, resource: plural, namespace })));
  const approvals = plannedKinds.map((resource) => ({ verb: 'approve', group, resource, namespace }));
  const inOperator = { namespace: operatorNamespace, name: 'dataprocessing-operator', verb: 'get' };
  return [
    { purpose: 'read the objects', missing: 'wrong', needs: onKinds('get', 'list') },
    { purpose: 'change the objects', missing: 'note', needs: onKinds('create', 'patch', 'delete') },
    { purpose: 'approve plans where the admission policy asks for it', missing: 'note', needs: approvals },
    {
      purpose: 'read events, for the last error',
      missing: 'note',
      needs: [{ verb: 'list', group: '', resource: 'events', namespace }],
    },
    {
      purpose: 'read Secrets, for logs, orphans and import without --token-file',
      missing: 'note',
      needs: [{ verb: 'get', group: '', resource: 'secrets', namespace }],
    },
    ...sharedSecrets.map(sharedGroup),
    {
      purpose: 'reach services of the cluster through the API server',
      missing: 'note',
      needs: [{ verb: 'get', group: '', resource: 'services', subresource: 'proxy', namespace }],
    },
    {
      purpose: 'see whether the operator runs',
      missing: 'note',
      needs: [
        { ...inOperator, group: 'coordination.k8s.io', resource: 'leases' },
        { ...inOperator, group: 'apps', resource: 'deployments' },
      ],
    },
  ];
}

/** Who shares the connection seldom lets its users read the token. */
function sharedGroup({ connection, namespace, name }: SharedSecret): Group {
  return {
    purpose: `read Secret ${name} of SharedConnection ${connection} in namespace ${namespace}, for logs, orphans and import through it without --token-file`,
    missing: 'note',
    needs: [{ verb: 'get', group: '', resource: 'secrets', namespace, name }],
    todo: 'give a token with --token-file, or ask who shares it',
  };
}

export async function checkPermissions(transport: PodTransport, at: AskedPlaces): Promise<readonly Finding[]> {
  const groups = groupsFor(at);
  const needs = groups.flatMap((one) => one.needs);
  const answers = new Map<Need, boolean | undefined>();
  for (let begin = 0; begin < needs.length; begin += atOnce) {
    const some = needs.slice(begin, begin + atOnce);
    const allowed = await Promise.all(some.map((need) => isAllowed(transport, need)));
    some.forEach((need, index) => answers.set(need, allowed[index]));
  }
  return groups.map((one) => findingOf(one, answers));
}

/** Undefined if the API server does not answer. */
async function isAllowed(transport: PodTransport, need: Need): Promise<boolean | undefined> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: need },
  };
  try {
    const { status } = (await transport.request({ method: 'POST', path, body, timeoutMs: askMs })) as {
      readonly status?: { readonly allowed?: boolean };
    };
    return status?.allowed === true;
  } catch {
    return undefined;
  }
}

function findingOf({ purpose, missing, needs, todo }: Group, answers: ReadonlyMap<Need, boolean | undefined>): Finding {
  const refused = needs.filter((need) => answers.get(need) === false);
  if (needs.some((need) => answers.get(need) === undefined))
    return { area, level: 'note', text: `it is not known whether you may ${purpose}: the API server does not answer` };
  if (refused.length === 0) return { area, level: 'ok', text: `you may ${purpose}` };
  const verbs = [...new Set(refused.map(({ verb }) => verb))];
  const words = verbs.map((verb) => {
    const resources = refused.filter((need) => need.verb === verb).map(resourceText);
    return `"${verb}" on ${resources.join(', ')}`;
  });
  const namespace = refused[0]?.namespace;
  return {
    area,
    level: missing,
    text: `you may not ${purpose}`,
    todo: todo ?? `ask for the verb ${words.join(', and ')} in namespace ${namespace}`,
  };
}

function resourceText({ resource, subresource }: Need): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
