// A command of the plugin, run in this process, and what it printed.
import { expect, inject } from 'vitest';
import { writeKubeconfig } from '../../../dev/plane/keys/kubeconfig.ts';
import { readCommand } from '../../../src/cli/arguments/command-line.ts';
import { printDoctor } from '../../../src/cli/doctor/doctor-command.ts';
import { printImport } from '../../../src/cli/import/import-command.ts';
import { Objects } from '../../../src/cli/objects.ts';
import type { Printer } from '../../../src/cli/output/run-output.ts';
import { approvePlan } from '../../../src/cli/plan/approve-command.ts';
import { printPlans } from '../../../src/cli/plan/plan-command.ts';
import { printOrphans } from '../../../src/cli/service/orphans-command.ts';
import { printStatus } from '../../../src/cli/status/status-command.ts';
import { printWhy } from '../../../src/cli/why/why-command.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../../src/kube/http/transport.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { connect } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';
import type { World } from '../support/world.ts';

export interface Told {
  readonly code: number;
  readonly output: string;
  readonly lines: readonly string[];
}

interface Where {
  readonly namespace: string;
  readonly path?: string | undefined;
  readonly ask?: Printer['ask'] | undefined;
}

/** Runs a command of the plugin in this process. `path`: of the kubeconfig. `ask`: as if there were a terminal. */
export async function runPlugin(
  args: readonly string[],
  { namespace, path = inject('kubeconfig'), ask }: Where,
): Promise<Told> {
  const command = readCommand(args, '0.0.0');
  const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock: systemClock });
  await using stack = new AsyncDisposableStack();
  const transport = stack.adopt(createTransport({ config, clock: systemClock }), (one) => one.close());
  const reach = {
    objects: new Objects(transport, namespace),
    transport,
    tokenFile: undefined,
    isInCluster: false,
  };
  const lines: string[] = [];
  let output = '';
  const printer = {
    clock: systemClock,
    signal: new AbortController().signal,
    print: async (bytes: Uint8Array) => void (output += Buffer.from(bytes).toString()),
    tell: (line: string) => void lines.push(line),
    isTerminal: false,
    isColoured: false,
    ...(ask && { ask }),
  };
  const print = async (): Promise<number> => {
    if (command.command === 'why') return printWhy(reach, command, printer);
    if (command.command === 'status') return printStatus(reach, command, printer);
    if (command.command === 'plan') return printPlans(reach, command, printer);
    if (command.command === 'approve') return approvePlan(reach, command, printer);
    if (command.command === 'orphans') return printOrphans(reach, command, printer);
    if (command.command === 'import') return printImport(reach, command, printer);
    if (command.command === 'doctor') return printDoctor(reach, { wish: command, version: '0.0.0' }, printer);
    throw new Error(command.command);
  };
  return { code: await print(), output, lines };
}

const rbac = 'rbac.authorization.k8s.io';

/** The kubeconfig of a user who may do only this with the kinds of the operator, in the namespace of the world. */
export async function userWhoMay(
  world: World,
  name: string,
  rule: { readonly resources: readonly string[]; readonly verbs: readonly string[] },
): Promise<string> {
  const { api, namespace } = world;
  const metadata = { name: `${name}-${namespace}` };
  const rules = [{ apiGroups: ['dataprocessing.dev'], ...rule }];
  const subjects = [{ apiGroup: rbac, kind: 'User', name: metadata.name }];
  const roleRef = { apiGroup: rbac, kind: 'Role', name: metadata.name };
  for (const [kind, more] of [
    ['Role', { rules }],
    ['RoleBinding', { subjects, roleRef }],
  ] as const) {
    const at = `/apis/${rbac}/v1/namespaces/${namespace}/${kind.toLowerCase()}s/${metadata.name}`;
    const { status, body } = await api.apply(at, { apiVersion: `${rbac}/v1`, kind, metadata, ...more });
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  }
  const kubeconfig = await writeKubeconfig(inject('planeDirectory'), { name: metadata.name, groups: [] });
  await using user = await connect(kubeconfig);
  const probe = async () => (await user.send({ path: world.path('Cluster', 'nobody') })).status;
  await expect.poll(probe, { timeout: limitMs }).toBe(404);
  return kubeconfig;
}
