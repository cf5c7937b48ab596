// Checks the installation, the permissions of the user and the Connections of a namespace.
import type { PodTransport } from '../../kube/http/transport.ts';
import { objectPath } from '../../kube/resource.ts';
import { apiVersion } from '../../operator/api/shared-api.ts';
import type { DoctorWish } from '../arguments/commands.ts';
import { jsonOf } from '../bounded-json.ts';
import { customKinds } from '../kind-names.ts';
import { isBehind, type Observed, wantedSince } from '../observed.ts';
import { type OperatorState, readOperatorState } from '../operator-state.ts';
import { printFound } from '../output/formats.ts';
import { painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { readAll } from '../read-all.ts';
import { skewFinding } from './clocks.ts';
import { askServices, stateFindings } from './connections.ts';
import { doctorPage } from './doctor-page.ts';
import type { Finding } from './finding.ts';
import { mistakesIn } from './mistakes.ts';
import { type NetworkPolicy, networkFindings } from './network.ts';
import { operatorFindings } from './operator-findings.ts';
import { checkPermissions } from './permissions.ts';
import { servedKinds } from './served-kinds.ts';
import { readShared, tokenSecrets } from './shared-connections.ts';

const askMs = 10_000;
const patienceMs = 30_000;
/** The oldest version of Kubernetes that is tested. */
const oldestMinor = 30;

/** Resolves to the exit code: 1 if something is wrong. `version`: of this program. */
export async function printDoctor(
  reach: Reach,
  { wish, version }: { readonly wish: DoctorWish; readonly version: string },
  printer: Printer,
): Promise<number> {
  const { format, operatorNamespace } = wish;
  const { transport, objects } = reach;
  const { namespace } = objects;
  const [server, openApi, operator, resources] = await Promise.all([
    checkServer(transport),
    ask(transport, `/openapi/v3/apis/${apiVersion}`),
    readOperatorState(transport, { operatorNamespace, namespace }),
    readResources(reach),
  ]);
  const shared = await readShared(transport, resources);
  const connections = [...resources.filter(({ kind }) => kind === 'Connection'), ...shared.found];
  const unseen = resources.filter((one) => isUnseen(one, operator)).length;
  const [permissions, services, policy] = await Promise.all([
    checkPermissions(transport, {
      namespace,
      operatorNamespace: operator.namespace,
      sharedSecrets: tokenSecrets(shared),
    }),
    askServices(reach, connections, printer.signal),
    readPolicy(transport, operator),
  ]);
  const findings: readonly Finding[] = [
    ...server,
    ...servedKinds(openApi.value),
    ...operatorFindings(operator, { namespace, version, unseen }),
    ...permissions,
    ...stateFindings(connections, shared, namespace),
    ...services,
    ...networkFindings(policy, connections),
    ...mistakesIn([...resources, ...shared.found], shared.missing),
  ];
  const page = () => doctorPage(findings, painter(printer.isColoured));
  await printFound(printer, format, { found: { findings }, page });
  return findings.some(({ level }) => level === 'wrong') ? 1 : 0;
}

function isUnseen(object: Observed, { now }: OperatorState): boolean {
  return isBehind(object) && now - wantedSince(object) > patienceMs;
}

/** What may not be read is a finding of the permissions. */
async function readResources({ objects }: Reach): Promise<readonly Observed[]> {
  const lists = await Promise.all(customKinds.map((kind) => readAll(objects, kind, false).catch(() => undefined)));
  return lists.flatMap((list) => list?.items.map((one) => ({ ...one, kind: list.kind })) ?? []);
}

/** Rejects if the API server cannot be reached: then there is nothing else to find. */
async function checkServer(transport: PodTransport): Promise<readonly Finding[]> {
  const sent = transport.clock.wall();
  const answer = await jsonOf(await transport.open({ method: 'GET', path: '/version', timeoutMs: askMs }));
  const { status, value, date } = answer;
  if (status !== 200)
    return [{ area: 'API server', level: 'wrong', text: `it answers ${status}`, todo: 'check the kubeconfig' }];
  const { gitVersion = 'unknown', minor = '' } = (value ?? {}) as {
    readonly gitVersion?: string;
    readonly minor?: string;
  };
  const isOld = Number.parseInt(minor, 10) < oldestMinor;
  const text = `Kubernetes ${gitVersion}`;
  const todo = `use Kubernetes 1.${oldestMinor} or newer`;
  return [
    isOld ? { area: 'API server', level: 'wrong', text, todo } : { area: 'API server', level: 'ok', text },
    ...skewFinding('the API server', date, { sent, got: transport.clock.wall() }),
  ];
}

async function readPolicy(transport: PodTransport, { namespace }: OperatorState): Promise<NetworkPolicy | undefined> {
  const kind = { kind: 'NetworkPolicy', apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' };
  const found = await ask(transport, objectPath(kind, { namespace, name: 'dataprocessing-operator' }));
  return found.status === 200 ? (found.value as NetworkPolicy) : undefined;
}

async function ask(transport: PodTransport, path: string) {
  try {
    return await jsonOf(await transport.open({ method: 'GET', path, timeoutMs: askMs }));
  } catch {
    return { status: 0, value: undefined };
  }
}
