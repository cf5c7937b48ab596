// The operator's own account, with exactly the permissions that an installation gives to it.
import { openApiServer } from '../../../dev/demo/api-server.ts';
import { openObjects } from '../../../dev/demo/manifests.ts';
import { wholeCluster } from '../../e2e/support/installation.ts';

export interface Account {
  /** The header that its requests bear. */
  readonly authorization: string;
  /** Grants in this namespace what an installation grants for the Lease in its own. */
  permitLease(namespace: string): Promise<void>;
}

const needed = /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?|ValidatingAdmissionPolicy(Binding)?)$/;
const seconds = 24 * 3_600;

export async function openAccount(kubeconfig: string): Promise<Account> {
  const server = await openApiServer(kubeconfig);
  const { manifests, account } = await wholeCluster();
  const objects = openObjects(server, account.namespace);
  for (const manifest of manifests.filter(({ kind }) => needed.test(kind))) await objects.apply(manifest);
  const { status } = await server.ask<{ readonly status: { readonly token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: seconds } },
  });
  await server.close();
  return {
    authorization: `Bearer ${status.token}`,
    async permitLease(namespace) {
      const there = await openApiServer(kubeconfig);
      const ofLease = manifests.filter(({ kind }) => kind === 'Role' || kind === 'RoleBinding');
      for (const { metadata, ...rest } of ofLease)
        await openObjects(there, namespace).apply({ ...rest, metadata: { ...metadata, namespace } } as never);
      await there.close();
    },
  };
}
